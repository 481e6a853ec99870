import { type AuditRecorder, ReachError } from '@agent-reach/sdk/protocol';
import type { Principal } from '../../governance/access/principal.js';

export interface RefusalDeps {
  readonly audit: AuditRecorder;
  /** Wall clock, ms since 1970. */
  readonly wall: () => number;
}

/** A request that can't be taken is a refusal like others: it is on record, under whoever sent it. */
export function recordingRefusals<T>(deps: RefusalDeps, principal: Principal, path: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    recordRefusal(deps, principal, path, error);
    throw error;
  }
}

/** Puts a refusal on record. What is no refusal but a fault of the server is for its log. */
export function recordRefusal(deps: RefusalDeps, principal: Principal, path: string, error: unknown): void {
  if (!(error instanceof ReachError)) return;
  deps.audit.record({
    occurredAt: deps.wall(),
    kind: 'REFUSAL',
    namespace: principal.namespace ?? '',
    action: `refusal.${error.code}`,
    actor: principal.caller,
    target: path,
    outcome: error.code,
    details: { reason: error.message, fields: error.fields },
  });
}

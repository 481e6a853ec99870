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
    if (error instanceof ReachError) {
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
    throw error;
  }
}

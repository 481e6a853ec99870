import { type AuditRecorder, type ErrorCode, ReachError } from '@agent-reach/sdk/protocol';
import type { GraphqlContext } from './context.js';
import { innermost } from './errors.js';

/** Where refusals go on record. */
export interface RefusalPorts {
  readonly recorder: AuditRecorder;
  /** Counts what is refused before anybody is authenticated, by source address. */
  readonly onRefused: (code: ErrorCode, address: string) => void;
}

/** One audit record for each thing that the principal tried and may not do. Calls record their own refusals. */
export function recordRefusals(
  recorder: AuditRecorder,
  { principal, requestId, now }: Pick<GraphqlContext, 'principal' | 'requestId' | 'now'>,
  errors: readonly unknown[],
): void {
  for (const error of errors.map(innermost)) {
    if (!(error instanceof ReachError) || error.code !== 'DENIED') continue;
    const { action, namespace } = error.details ?? {};
    recorder.record({
      occurredAt: now(),
      kind: 'REFUSAL',
      namespace: typeof namespace === 'string' ? namespace : '',
      action: 'refusal.DENIED',
      actor: principal.caller,
      target: typeof action === 'string' ? action : '',
      outcome: 'DENIED',
      requestId,
      details: { reason: error.message },
    });
  }
}

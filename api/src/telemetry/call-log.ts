import type { AuditRecord, AuditRecorder } from '@agent-reach/sdk/protocol';
import type { Log } from './log.js';

/**
 * Passes records on and writes a log line for each with its requestId: calls that succeeded at `debug`, everything else
 * at `info`. At the default level a successful call thus costs no line.
 */
export function loggedRecorder(recorder: AuditRecorder, log: Log): AuditRecorder {
  return {
    record(entry) {
      recorder.record(entry);
      const level = entry.kind === 'CALL' && entry.outcome === 'OK' ? 'debug' : 'info';
      if (log.isLevelEnabled(level)) log[level](fieldsOf(entry), entry.action);
    },
  };
}

function fieldsOf(entry: AuditRecord): object {
  const { requestId, traceId, actor, target, capability, instance, outcome, durationMs, attempts, details } = entry;
  return {
    requestId,
    traceId,
    actor,
    target,
    capability,
    instance,
    outcome,
    durationMs,
    attempts,
    reason: details.reason,
  };
}

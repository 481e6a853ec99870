import type { AuditRecord, Health, Lifecycle } from '@agent-reach/sdk/protocol';
import type { Instance } from './instance.js';

/** The audit record of a state transition that just happened. `wall`: ms since 1970. */
export function transitionRecord(
  instance: Instance,
  from: Lifecycle | Health | 'none',
  actor: string,
  wall: number,
): AuditRecord {
  const { lifecycle, health, reason } = instance.live;
  const healthChanged = from === 'HEALTHY' || from === 'DEGRADED' || from === 'OFFLINE' || from === 'UNKNOWN';
  return {
    occurredAt: wall,
    kind: 'TRANSITION',
    namespace: instance.namespace,
    action: `instance.${healthChanged ? health : lifecycle}`,
    actor,
    target: instance.agent,
    instance: instance.ref,
    outcome: 'OK',
    details: { from, lifecycle, health, reason, incarnation: instance.record.incarnation },
  };
}

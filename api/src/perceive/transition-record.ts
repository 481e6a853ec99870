import type { AuditRecord } from '@agent-reach/sdk/protocol';
import type { Instance } from './instance.js';
import type { InstanceTransition } from './transition-history.js';

/** The audit record of a state transition that just happened. */
export function transitionRecord(
  { namespace, agent }: Instance,
  { at, instance, incarnation, from, to, lifecycle, health, reason, actor }: InstanceTransition,
): AuditRecord {
  return {
    occurredAt: at,
    kind: 'TRANSITION',
    namespace,
    action: `instance.${to}`,
    actor,
    target: agent,
    instance,
    outcome: 'OK',
    details: { from: from ?? 'none', lifecycle, health, reason, incarnation },
  };
}

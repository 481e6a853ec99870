import { type CallTarget, ReachError, targetFaults } from '@agent-reach/sdk/protocol';
import type { CallTargetInput } from '../types/routes.types.js';

/** The target as execution takes it. Throws INVALID_INPUT when it names nobody, or has other faults. */
export function targetOf(input: CallTargetInput, namespace: string): CallTarget {
  const { agent, type, capability, need, tags, versions } = input;
  const target: CallTarget = {
    namespace,
    ...(agent == null ? {} : { agent: agent.startsWith(`${namespace}/`) ? agent.slice(namespace.length + 1) : agent }),
    ...(type == null ? {} : { type }),
    ...(capability == null ? {} : { capability }),
    ...(need == null ? {} : { need }),
    ...(tags == null ? {} : { tags }),
    ...(versions == null ? {} : { versions }),
  };
  const fields = targetFaults(target, 'input.target');
  if (fields.length === 0) return target;
  throw new ReachError('INVALID_INPUT', 'The target is not possible so; the fields say why.', { fields });
}

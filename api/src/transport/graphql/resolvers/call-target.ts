import type { CallTarget } from '@agent-reach/sdk/protocol';
import { invalid } from '../access.js';
import type { CallTargetInput } from '../types/routes.types.js';

const MAX_TAGS = 16;
const MAX_TEXT = 128;

/** The target as execution takes it. Throws INVALID_INPUT when it names nobody. */
export function targetOf(input: CallTargetInput, namespace: string): CallTarget {
  const { agent, type, capability, tags } = input;
  if (agent == null && type == null && capability == null) {
    invalid('input.target', 'neither agent, type nor capability', 'at least one of agent, type and capability');
  }
  for (const [name, value] of Object.entries({ agent, type, capability })) {
    if (value != null && (value.length < 1 || value.length > MAX_TEXT)) {
      invalid(`input.target.${name}`, `${value.length} characters`, `1 to ${MAX_TEXT} characters`);
    }
  }
  if (tags != null && tags.length > MAX_TAGS) invalid('input.target.tags', `${tags.length}`, `at most ${MAX_TAGS}`);
  return {
    namespace,
    ...(agent == null ? {} : { agent: agent.startsWith(`${namespace}/`) ? agent.slice(namespace.length + 1) : agent }),
    ...(type == null ? {} : { type }),
    ...(capability == null ? {} : { capability }),
    ...(tags == null ? {} : { tags }),
  };
}

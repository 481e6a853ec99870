import { type FindRequest, type FoundCapability, ReachError } from '@agent-reach/sdk/protocol';
import type { CallerContext } from '../execute/ports.js';
import type { CapabilityFinder } from '../perceive/ports.js';

/**
 * What a caller finds, over a socket and over HTTP alike: in its own namespace unless it names another. Throws
 * INVALID_INPUT when there is none to look in.
 */
export function findFor(
  lookup: Pick<CapabilityFinder, 'find'>,
  caller: CallerContext,
  { text, namespace = caller.namespace, limit }: FindRequest,
): readonly FoundCapability[] {
  if (namespace === undefined) {
    throw new ReachError('INVALID_INPUT', 'namespace is missing; this caller belongs to no namespace.', {
      fields: [{ path: 'namespace', got: 'nothing', allowed: 'the namespace to look in' }],
    });
  }
  return lookup.find(text, caller, namespace, limit);
}

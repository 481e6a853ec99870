import { hash } from 'node:crypto';
import type { RouteRequest } from '@agent-reach/sdk/decide';
import { type CallTarget, type InstanceRef, ReachError } from '@agent-reach/sdk/protocol';
import type { CallerContext, CallRequest } from '../ports.js';

/** Characters of the hash that stands for an affinity key: 132 bits. */
const KEY_HASH = 22;

/**
 * What a decision is asked for. The affinity key is hashed before anything is decided by it, so that recorded decisions,
 * which keep no keys, decide by the same; an empty one is none.
 */
export function routeRequest(
  request: Pick<CallRequest, 'requestId' | 'affinityKey' | 'zone' | 'only' | 'partOf'>,
  target: CallTarget,
  caller: CallerContext,
  namespace: string,
  tried?: ReadonlySet<InstanceRef>,
): RouteRequest {
  const { affinityKey } = request;
  return {
    requestId: request.partOf ?? request.requestId,
    caller: caller.caller,
    roles: caller.roles,
    namespace,
    target,
    zone: request.zone ?? caller.zone,
    domain: caller.domain,
    affinityKey: affinityKey ? hash('sha256', affinityKey, 'base64url').slice(0, KEY_HASH) : undefined,
    only: request.only,
    tried,
  };
}

/** Callers of no namespace (people) have to name the target's. */
export function namespaceMissing(): ReachError {
  return new ReachError('INVALID_INPUT', 'target.namespace is missing; this caller belongs to no namespace.', {
    fields: [{ path: 'target.namespace', got: 'nothing', allowed: 'the namespace of the target' }],
  });
}

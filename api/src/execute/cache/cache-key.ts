import type { Domain } from '@agent-reach/sdk/decide';
import type { CallerRef, CallTarget } from '@agent-reach/sdk/protocol';

/** What makes two calls equal, so that the answer of one is as good for the other. */
export interface EqualityParts {
  readonly namespace: string;
  /** By its name; aliases are translated before. */
  readonly capability: string;
  readonly target: Pick<CallTarget, 'agent' | 'type' | 'versions' | 'tags'>;
  /** Undefined: the capability is declared caller-independent, so that callers share answers. */
  readonly caller: CallerRef | undefined;
  /** Of the caller: what a canary answers is not for production. */
  readonly domain: Domain;
  readonly paramsHash: string;
  /** Extra headers that are passed on to the capability; they may change its answer. */
  readonly headers: Readonly<Record<string, string>> | undefined;
}

/**
 * One text for all calls that are equal. Everything in it narrows who may answer, or what. Affinity key and zone only
 * prefer, so they are not in it.
 */
export function cacheKey(parts: EqualityParts): string {
  const { namespace, capability, target, caller, domain, paramsHash, headers = {} } = parts;
  const { agent, type, versions, tags = [] } = target;
  const sent = Object.entries(headers)
    .map(([name, value]) => [name.toLowerCase(), value])
    .sort();
  return JSON.stringify([
    namespace,
    capability,
    agent ?? null,
    type ?? null,
    versions ?? null,
    [...new Set(tags)].sort(),
    caller ?? null,
    domain,
    paramsHash,
    sent,
  ]);
}

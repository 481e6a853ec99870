import type { Policy } from './policy.js';
import { mix32 } from './strategies/hash.js';

/**
 * Draws which requests the newest version of a policy is for, while it is rolled out to a part of them: by a stable
 * hash of policy, version and request id. A retry thus stays with its version, widening the share keeps everybody who
 * was in it, and the next version begins with other requests than this one did.
 */
export class RolloutDraw {
  readonly #percent: number;
  /** The hash of all that comes before the request id, since that is the same for every request. */
  readonly #start: number;

  constructor(policy: Pick<Policy, 'id' | 'version' | 'rolloutPercent'>) {
    this.#percent = policy.rolloutPercent;
    this.#start = fnv1a(0x811c9dc5, `${policy.id} ${policy.version} `);
  }

  includes(requestId: string): boolean {
    return mix32(fnv1a(this.#start, requestId)) % 100 < this.#percent;
  }
}

/** FNV-1a over UTF-16 units, 32 bits, from a state on: what `hash32` does before its avalanche. */
function fnv1a(start: number, text: string): number {
  let hash = start;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash;
}

/** Which share of the calls a policy's newest version is for, and which version is for the rest. */
export interface Rollout {
  readonly newest: number;
  /** Share of the calls that the newest version is for, in percent. */
  readonly percent: number;
  readonly stable: number;
}

/** A policy as those calls use it that are not in the rollout of its newest version; undefined: all calls are. */
export function stableVersion(policy: Policy): Policy | undefined {
  if (policy.rolloutPercent >= 100 || policy.stable === undefined) return undefined;
  const { version, content } = policy.stable;
  return { ...policy, version, content, rolloutPercent: 100 - policy.rolloutPercent, stable: undefined };
}

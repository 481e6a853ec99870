import type { InstanceRef } from '../protocol/index.js';
import type { Candidate } from './candidate.js';
import { RecencyMap } from './recency-map.js';
import { rampShare } from './slow-start.js';
import { hash32, hash53, mix32, otherHash32 } from './strategies/hash.js';

/** Which instance an affinity key belongs to. */
export interface Binding {
  readonly ref: InstanceRef;
  /** The version that the instance had when the key was bound to it: for moves within a version. */
  readonly version: string;
}

interface Entry extends Binding {
  /** Monotonic, ms. */
  readonly usedAt: number;
}

/** What raising these costs: about 150 bytes a key. */
export interface BindingLimits {
  /** Beyond so many the one used least recently goes. */
  readonly maxKeys: number;
  /** A key not used for so long is forgotten. */
  readonly idleMs: number;
}

const USUAL_LIMITS: BindingLimits = { maxKeys: 100_000, idleMs: 600_000 };
/** With each use so many of the longest unused are looked at, so that keys go even if nobody calls `expire`. */
const SWEPT_PER_USE = 2;

/**
 * Which keys are bound to which instances. It decides nothing: who moves a key and when is the router's part. Keys
 * are kept as hashes (but for the one used last). Nothing here outlives the process: bindings start anew by
 * `rendezvous`, which finds the same instance again as long as the same ones are there.
 */
export class AffinityBindings {
  readonly #entries = new RecencyMap<Entry>();
  readonly #limits: BindingLimits;
  #lastKey = '';
  #lastHash = 0;

  constructor(limits: BindingLimits = USUAL_LIMITS) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#entries.size;
  }

  /**
   * Reads only; a use is told by `bind`.
   *
   * @param key the whole key: policy, namespace, capability and the call's own (`bindingKey`)
   * @param now monotonic, ms; without it a key counts until it is swept
   */
  bound(key: string, now = Number.NEGATIVE_INFINITY): Binding | undefined {
    const entry = this.#entries.get(this.#hash(key));
    return entry === undefined || this.#isIdle(entry, now) ? undefined : entry;
  }

  /** Binds a key, or moves it; with the instance that it is bound to already: the key was used. */
  bind(key: string, ref: InstanceRef, version: string, now: number): void {
    const hash = this.#hash(key);
    this.#entries.set(hash, { ref, version, usedAt: now });
    this.#sweep(now, SWEPT_PER_USE);
    while (this.#entries.size > this.#limits.maxKeys) this.#entries.dropOldest();
  }

  /** Forgets what was not used for too long. To be called now and then, so that memory is freed when calls stop. */
  expire(now: number): void {
    this.#sweep(now, Number.POSITIVE_INFINITY);
  }

  #sweep(now: number, most: number): void {
    for (let left = most; left > 0; left--) {
      const { oldest } = this.#entries;
      if (oldest === undefined || !this.#isIdle(oldest, now)) return;
      this.#entries.dropOldest();
    }
  }

  #isIdle(entry: Entry, now: number): boolean {
    return now - entry.usedAt >= this.#limits.idleMs;
  }

  /** A decision asks for a key and binds it right after: the second time it needn't be read again. */
  #hash(key: string): number {
    if (key !== this.#lastKey) {
      this.#lastKey = key;
      this.#lastHash = hash53(key);
    }
    return this.#lastHash;
  }
}

/** The whole key of a binding: one call's key means another instance for each policy and each capability. */
export function bindingKey(
  policyId: string | null,
  namespace: string,
  capability: string,
  affinityKey: string,
): string {
  return `${policyId} ${namespace} ${capability} ${affinityKey}`;
}

/**
 * The instance that a key is first bound to: the highest of the hashes of key and instance, weighted. It depends on
 * the names only, so it is the same after a restart and in any order of registration, and each weight gets its share
 * of the keys. Weight 0 is never found. With a time, an instance in slow start gets only a part of its share. Source: weighted rendezvous hashing (Thaler and Ravishankar 1996; Schindelhauer
 * and Schomaker 2005).
 */
export function rendezvous<C extends Candidate>(key: string, pool: readonly C[], monotonic?: number): C | undefined {
  const first = hash32(key);
  const second = otherHash32(key);
  let best: C | undefined;
  let bestHash = 0;
  let bestWeight = 0;
  let highest = Number.NEGATIVE_INFINITY;
  for (const candidate of pool) {
    const { ref, live } = candidate.instance;
    let { weight } = candidate.instance;
    if (weight <= 0) continue;
    if (monotonic !== undefined) weight *= rampShare(live, monotonic);
    // A table's candidates know the hash of their name.
    const hash = mix32(mix32((candidate.seed ?? hash32(ref)) ^ first) + second);
    // Neither more weight nor a higher hash: it can't win, and needs no logarithm.
    if (best !== undefined && weight <= bestWeight && hash < bestHash) continue;
    // Between 0 and 1, neither included, so that the logarithm is negative and finite.
    const score = -weight / Math.log((hash + 0.5) / 2 ** 32);
    if (score < highest || (score === highest && best !== undefined && best.instance.ref < ref)) continue;
    highest = score;
    best = candidate;
    bestHash = hash;
    bestWeight = weight;
  }
  return best;
}

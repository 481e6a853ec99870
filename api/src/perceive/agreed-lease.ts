import type { LeaseTimes } from '@agent-reach/sdk/protocol';

/** Under this load an instance may report less often. */
export const CALM_UNDER = 0.3;
/** How long the load must stay under it for each step, ms. */
export const CALM_MS = 30_000;
/** Interval and TTL grow to so many times what was asked for, by one a step. */
const MAX_STRETCH = 3;
/** A report that comes within so many intervals shows that its sender keeps that interval. */
const KEPT_WITHIN = 1.5;

/**
 * What an instance and the server agree on: how often it reports, and how long it is believed without. Under light load
 * both stretch together; with more they go back at once.
 *
 * What holds is what the instance may count on. A longer TTL holds as soon as it is answered. A shorter one holds only
 * once the instance was seen to keep the shorter interval: until then it may not have heard of it.
 */
export class AgreedLease {
  #asked: LeaseTimes;
  #stretch = 1;
  #calmSince: number | undefined;
  #answered: LeaseTimes;
  #heldTtlMs: number;
  #reportedAt = Number.NEGATIVE_INFINITY;

  constructor(asked: LeaseTimes) {
    this.#asked = asked;
    this.#answered = asked;
    this.#heldTtlMs = asked.ttlMs;
  }

  /** What the next answer names. */
  get times(): LeaseTimes {
    const { intervalMs, ttlMs } = this.#asked;
    return { intervalMs: intervalMs * this.#stretch, ttlMs: ttlMs * this.#stretch };
  }

  /** How long the instance is believed after its latest report, ms. */
  get heldTtlMs(): number {
    return this.#heldTtlMs;
  }

  /** The instance registered and is told its lease as it asked for it. */
  registered(asked: LeaseTimes, monotonic: number): void {
    this.#asked = asked;
    this.#stretch = 1;
    this.#calmSince = undefined;
    this.#answer(monotonic);
  }

  /** The instance reported; returns what it is answered. */
  reported(monotonic: number): LeaseTimes {
    const { intervalMs, ttlMs } = this.#answered;
    if (monotonic - this.#reportedAt <= KEPT_WITHIN * intervalMs) this.#heldTtlMs = ttlMs;
    return this.#answer(monotonic);
  }

  /** Takes the newest load, 0 to 1, and the time. True when the lease goes back, of which the instance should hear soon. */
  observe(load: number, monotonic: number): boolean {
    if (load >= CALM_UNDER) {
      this.#calmSince = undefined;
      if (this.#stretch === 1) return false;
      this.#stretch = 1;
      return true;
    }
    this.#calmSince ??= monotonic;
    if (this.#stretch < MAX_STRETCH && monotonic - this.#calmSince >= CALM_MS) {
      this.#stretch++;
      this.#calmSince = monotonic;
    }
    return false;
  }

  #answer(monotonic: number): LeaseTimes {
    this.#reportedAt = monotonic;
    this.#answered = this.times;
    this.#heldTtlMs = Math.max(this.#heldTtlMs, this.#answered.ttlMs);
    return this.#answered;
  }
}

import type { RateLimit } from '@agent-reach/sdk/decide';

/** Charges that are remembered at first, whatever the limit. */
const FIRST_CAPACITY = 8;

/**
 * The times of one key's latest charges. To know whether another fits, the charge `limit.calls` before it is looked at:
 * the window is exact, at the same cost whatever the limit.
 */
export class ChargeLog {
  /** A ring; grows up to the limit, and only while everything in it is within the window. */
  #times = new Float64Array(FIRST_CAPACITY);
  /** Place of the next charge. */
  #next = 0;
  #known = 0;
  #windowMs = 0;

  /** Times that it has room for. */
  get capacity(): number {
    return this.#times.length;
  }

  /** Whether its latest charge has left the window that it was last asked with. */
  idle(monotonic: number): boolean {
    return this.#known === 0 || monotonic - this.#latest(1) >= this.#windowMs;
  }

  /** Charges if there is room: then undefined; else the ms until there is, and nothing is charged. */
  charge({ calls, windowMs }: RateLimit, monotonic: number): number | undefined {
    this.#windowMs = windowMs;
    if (this.#known >= calls) {
      const waitMs = this.#latest(calls) + windowMs - monotonic;
      if (waitMs > 0) return Math.ceil(waitMs);
    }
    if (this.#known === this.capacity && this.capacity < calls && monotonic - this.#latest(this.#known) < windowMs) {
      this.#grow(Math.min(this.capacity * 2, calls));
    }
    this.#times[this.#next] = monotonic;
    this.#next = (this.#next + 1) % this.capacity;
    this.#known = Math.min(this.#known + 1, this.capacity);
    return undefined;
  }

  /** Time of a charge; 1: the last one. */
  #latest(nth: number): number {
    return this.#times[(this.#next - nth + this.capacity) % this.capacity] ?? 0;
  }

  /** Of a full ring. */
  #grow(capacity: number): void {
    const times = new Float64Array(capacity);
    times.set(this.#times.subarray(this.#next));
    times.set(this.#times.subarray(0, this.#next), this.capacity - this.#next);
    this.#next = this.capacity;
    this.#times = times;
  }
}

const BUCKETS = 10;

/** Counts or sums what happened within a window, in ten buckets, so that it moves on by a tenth of it. */
export class SlidingCount {
  readonly #counts: number[] = new Array(BUCKETS).fill(0);
  readonly #bucketMs: number;
  /** Number of the present bucket since the clock's zero. */
  #bucket = 0;
  #total = 0;

  constructor(windowMs: number) {
    this.#bucketMs = windowMs / BUCKETS;
  }

  /** `monotonic`: ms, never less than before. `amount`: what is summed; one event where things are counted. */
  add(monotonic: number, amount = 1): void {
    this.#turnTo(monotonic);
    const place = this.#bucket % BUCKETS;
    this.#counts[place] = (this.#counts[place] ?? 0) + amount;
    this.#total += amount;
  }

  total(monotonic: number): number {
    this.#turnTo(monotonic);
    return this.#total;
  }

  /** Forgets what is older than the window. */
  #turnTo(monotonic: number): void {
    const bucket = Math.floor(monotonic / this.#bucketMs);
    if (bucket === this.#bucket) return;
    for (let stale = Math.max(this.#bucket + 1, bucket - BUCKETS + 1); stale <= bucket; stale++) {
      const place = stale % BUCKETS;
      this.#total -= this.#counts[place] ?? 0;
      this.#counts[place] = 0;
    }
    this.#bucket = bucket;
  }
}

/** Upper bounds of the buckets that times fall in, ms; what is longer falls into one more. */
const BOUNDS = [1, 2, 3, 5, 8, 13, 20, 30, 50, 80, 130, 200, 300, 500, 1_000, 2_000, 5_000, 10_000, 30_000];

/** How many buckets there are. */
export const LATENCY_BUCKETS = BOUNDS.length + 1;

export function latencyBucket(ms: number): number {
  let bucket = 0;
  while (bucket < BOUNDS.length && ms > (BOUNDS[bucket] ?? 0)) bucket++;
  return bucket;
}

/**
 * The time that a share (0 to 1) of what the buckets hold did not exceed, in ms: as if times lay evenly within their
 * bucket, and at least 30 s for those of the last one. NaN when they hold nothing.
 */
export function percentile(buckets: Float64Array, share: number): number {
  let total = 0;
  for (const count of buckets) total += count;
  if (total === 0) return Number.NaN;
  let left = share * total;
  for (const [bucket, count] of buckets.entries()) {
    if (count > 0 && left <= count) {
      const from = BOUNDS[bucket - 1] ?? 0;
      return from + ((BOUNDS[bucket] ?? from) - from) * (left / count);
    }
    left -= count;
  }
  return BOUNDS.at(-1) ?? 0;
}

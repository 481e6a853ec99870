import { expect, it } from 'vitest';
import { LATENCY_BUCKETS, latencyBucket, percentile } from './latency.js';

function bucketsOf(...times: number[]): Float64Array {
  const buckets = new Float64Array(LATENCY_BUCKETS);
  for (const ms of times) {
    const bucket = latencyBucket(ms);
    buckets[bucket] = (buckets[bucket] ?? 0) + 1;
  }
  return buckets;
}

it('estimates percentiles within the bucket that they fall in', () => {
  const buckets = bucketsOf(...new Array(90).fill(4), ...new Array(10).fill(180));
  expect(percentile(buckets, 0.45)).toBe(4);
  expect(percentile(buckets, 0.9)).toBe(5);
  expect(percentile(buckets, 0.95)).toBe(165);
  expect(percentile(buckets, 1)).toBe(200);
});

it('takes a bound into the bucket below it', () => {
  expect(percentile(bucketsOf(1), 1)).toBe(1);
  expect(percentile(bucketsOf(0), 0.5)).toBe(0.5);
});

it('knows no more of what took longer than half a minute', () => {
  expect(percentile(bucketsOf(30_001, 300_000), 0.99)).toBe(30_000);
});

it('knows nothing of nothing', () => {
  expect(percentile(bucketsOf(), 0.5)).toBeNaN();
});

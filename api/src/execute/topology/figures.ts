import { LATENCY_BUCKETS, percentile } from './latency.js';

/** The columns of a history of calls; the buckets of their times follow. */
export const CALLS = 0;
export const FAILURES = 1;
export const FROM_MEMORY = 2;
export const TIMED = 3;
export const TOTAL_MS = 4;
export const BUCKETS = 5;
export const COLUMNS = BUCKETS + LATENCY_BUCKETS;

/** Times in ms; percentiles are estimates from buckets. */
export interface Latency {
  readonly meanMs: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
}

/** What the calls of a window came to, as their callers saw it. */
export class Figures {
  readonly sums = new Float64Array(COLUMNS);
  /** Failed calls by error code. */
  readonly failuresBy = new Map<string, number>();
  /** When the newest of the calls ended, monotonic ms. */
  lastAt = 0;

  get calls(): number {
    return this.sums[CALLS] ?? 0;
  }

  get failures(): number {
    return this.sums[FAILURES] ?? 0;
  }

  /** Answered without asking an instance: from the cache, or again to a repetition. */
  get fromMemory(): number {
    return this.sums[FROM_MEMORY] ?? 0;
  }

  /** Of the calls that an instance was asked for; undefined when none was. */
  get latency(): Latency | undefined {
    const timed = this.sums[TIMED] ?? 0;
    if (timed === 0) return undefined;
    const buckets = this.sums.subarray(BUCKETS);
    return {
      meanMs: (this.sums[TOTAL_MS] ?? 0) / timed,
      p50Ms: percentile(buckets, 0.5),
      p95Ms: percentile(buckets, 0.95),
      p99Ms: percentile(buckets, 0.99),
    };
  }

  failed(code: string, count: number): void {
    if (count > 0) this.failuresBy.set(code, (this.failuresBy.get(code) ?? 0) + count);
  }

  add(other: Figures): void {
    for (const [column, sum] of other.sums.entries()) this.sums[column] = (this.sums[column] ?? 0) + sum;
    for (const [code, count] of other.failuresBy) this.failed(code, count);
    this.lastAt = Math.max(this.lastAt, other.lastAt);
  }
}

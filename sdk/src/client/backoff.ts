export interface BackoffOptions {
  readonly baseMs: number;
  readonly capMs: number;
}

/**
 * Exponential backoff with full jitter: a random wait between 0 and min(cap, base × 2^failures), so that clients that
 * lost their server together do not come back together.
 */
export function backoffMs(failures: number, { baseMs, capMs }: BackoffOptions, random: number): number {
  return Math.round(random * Math.min(capMs, baseMs * 2 ** Math.min(failures, 30)));
}

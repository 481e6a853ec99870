import type { QueueSettings, RateLimit } from './policy.js';
import type { FieldReader } from './policy-fields.js';

/** Every admitted call within the window is remembered, so both are bounded. */
const RATE_LIMIT_RANGES = { calls: [1, 100_000], windowMs: [1_000, 86_400_000] } as const;
/** A call that waits holds memory and its caller; a minute is longer than most callers have. */
const QUEUE_RANGES = { maxLength: [1, 10_000], maxWaitMs: [1, 60_000] } as const;

/** Reads `rateLimit` of a policy's content; null when it was not given. Given, it needs both its fields. */
export function readRateLimit(root: FieldReader): RateLimit | null {
  return readNumbers(root.object('rateLimit'), RATE_LIMIT_RANGES);
}

/** Reads `queue` of a policy's content; null when it was not given. Given, it needs both its fields. */
export function readQueue(root: FieldReader): QueueSettings | null {
  return readNumbers(root.object('queue'), QUEUE_RANGES);
}

function readNumbers<F extends string>(
  reader: FieldReader,
  ranges: Readonly<Record<F, readonly [min: number, max: number]>>,
): Readonly<Record<F, number>> | null {
  if (!reader.given) return null;
  const numbers: Partial<Record<F, number>> = {};
  for (const field of Object.keys(ranges) as F[]) {
    const [min, max] = ranges[field];
    reader.has(field, { allowed: `a whole number from ${min} to ${max}` });
    numbers[field] = reader.whole(field, min, min, max);
  }
  reader.refuseUnknown();
  return numbers as Record<F, number>;
}

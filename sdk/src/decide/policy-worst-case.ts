import type { PolicyContent } from './policy.js';

/** Time that an attempt can take at most, in ms, when the policy leaves it to the capability's recent mean. */
export const MAX_DERIVED_TIMEOUT_MS = 300_000;

/**
 * Longest time in ms that a call under this policy can take by itself: every attempt to its timeout, and between them
 * the longest backoff, the sum of min(capMs, baseMs · factor^(n-1)) over the retries n.
 */
export function worstCaseMs(content: PolicyContent): number {
  const { maxRetries, baseMs, factor, capMs } = content.retry;
  let total = (maxRetries + 1) * (content.timeoutMs ?? MAX_DERIVED_TIMEOUT_MS);
  for (let retry = 1; retry <= maxRetries; retry += 1) total += Math.min(capMs, baseMs * factor ** (retry - 1));
  return total;
}

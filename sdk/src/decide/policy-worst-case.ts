import type { PolicyContent } from './policy.js';

/** Time that an attempt can take at most, in ms, when the policy leaves it to the capability's recent mean. */
export const MAX_DERIVED_TIMEOUT_MS = 300_000;

/**
 * Longest time in ms that a call under this policy can take by itself: the longest wait for room, every attempt and one
 * at each backup agent to its timeout, and between attempts the longest backoff, the sum of
 * min(capMs, baseMs · factor^(n-1)) over the retries n.
 */
export function worstCaseMs(content: PolicyContent): number {
  const { maxRetries, baseMs, factor, capMs } = content.retry;
  const backups = content.fallback.filter(({ kind }) => kind === 'AGENT').length;
  let total = content.queue?.maxWaitMs ?? 0;
  total += (maxRetries + 1 + backups) * (content.timeoutMs ?? MAX_DERIVED_TIMEOUT_MS);
  for (let retry = 1; retry <= maxRetries; retry += 1) total += Math.min(capMs, baseMs * factor ** (retry - 1));
  return total;
}

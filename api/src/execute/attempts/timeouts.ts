import type { PolicyContent } from '@agent-reach/sdk/decide';

/** Time for one attempt while nothing is known about the capability. */
const WITHOUT_HISTORY_MS = 30_000;
const SHORTEST_MS = 1_000;
const LONGEST_MS = 300_000;
const ACK_IN_ZONE_MS = 1_500;
const ACK_ACROSS_ZONES_MS = 5_000;
/** Longest default for a whole call whose caller names none. */
const LONGEST_CALL_MS = 600_000;

/** Time for one attempt, ms: the policy's, else 5 × the recent mean + 30 s, between 1 s and 5 min. */
export function attemptTimeout(policy: PolicyContent, recentMeanMs: number | undefined): number {
  if (policy.timeoutMs !== null) return policy.timeoutMs;
  if (recentMeanMs === undefined) return WITHOUT_HISTORY_MS;
  return Math.min(Math.max(5 * recentMeanMs + WITHOUT_HISTORY_MS, SHORTEST_MS), LONGEST_MS);
}

/** Time until an instance must have accepted, ms; grows with the attempt (1 for the first). */
export function ackTimeout(sameZone: boolean, attempt: number): number {
  return (sameZone ? ACK_IN_ZONE_MS : ACK_ACROSS_ZONES_MS) * attempt;
}

/** Time for the whole call when its caller names none: room for every attempt that the policy allows. */
export function defaultCallTimeout(policy: PolicyContent, attemptMs: number): number {
  const { maxRetries, capMs } = policy.retry;
  return Math.min(attemptMs * (maxRetries + 1) + capMs * maxRetries, LONGEST_CALL_MS);
}

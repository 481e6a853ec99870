import type { Candidate, RouteInstance } from '../candidate.js';
import type { LiveState } from '../live.js';

/** The latency that counts as the worst: beyond it a score falls no further. Source: quality formula of the design, 5 s. */
export const WORST_LATENCY_MS = 5000;

/**
 * How full an instance is, 0 to 1: the larger of this server's own count against `maxConcurrency` and of what the
 * instance reports. An agent's weight scales it, so that weight 200 takes twice the work before it looks as full.
 */
export function loadOf({ live, maxConcurrency, weight }: RouteInstance): number {
  const counted = live.inFlight / maxConcurrency;
  const reported = live.utilisation ?? 0;
  const load = Math.max(counted, reported);
  // A division costs as much as all the rest, and the usual weight makes it one by itself.
  const scaled = weight === 100 ? load : (load * 100) / weight;
  return Math.min(scaled, 1);
}

/** Mean latency against the worst, 0 to 1; 0 while unknown, so that a new instance gets its chance. */
export function latencyOf(live: LiveState, worstMs = WORST_LATENCY_MS): number {
  const mean = live.meanLatencyMs;
  if (mean === null) return 0;
  return mean < worstMs ? mean / worstMs : 1;
}

/** A degraded instance, or one whose ack is overdue, counts half. */
export function healthFactor(live: LiveState): number {
  return live.health === 'DEGRADED' || live.ackOverdue ? 0.5 : 1;
}

/** What a candidate's share of the work should be in proportion to: its weight, halved while it is degraded. */
export function shareOf({ instance }: Candidate): number {
  return instance.weight * healthFactor(instance.live);
}

/**
 * Attempts in flight for each 100 of share. One is added before dividing, so that weights count among idle
 * instances too.
 */
export function relativeInFlight(candidate: Candidate): number {
  return ((candidate.instance.live.inFlight + 1) * 100) / shareOf(candidate);
}

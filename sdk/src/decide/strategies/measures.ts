import type { LiveState } from '../live.js';
import type { RouteInstance } from '../route-table.js';

/** The latency that counts as the worst: beyond it a score falls no further. Source: quality formula of the design, 5 s. */
export const WORST_LATENCY_MS = 5000;

/**
 * How full an instance is, 0 to 1: the larger of this server's own count against `maxConcurrency` and of what the
 * instance reports. An agent's weight scales it, so that weight 200 takes twice the work before it looks as full.
 */
export function loadOf(instance: RouteInstance): number {
  const counted = instance.live.inFlight / instance.maxConcurrency;
  const load = Math.max(counted, instance.live.utilisation ?? 0);
  return Math.min(1, (load * 100) / instance.weight);
}

/** Mean latency against the worst, 0 to 1; 0 while unknown, so that a new instance gets its chance. */
export function latencyOf(live: LiveState): number {
  return live.meanLatencyMs === null ? 0 : Math.min(live.meanLatencyMs / WORST_LATENCY_MS, 1);
}

/** A degraded instance, or one whose ack is overdue, counts half. */
export function healthFactor(live: LiveState): number {
  return live.health === 'DEGRADED' || live.ackOverdue ? 0.5 : 1;
}

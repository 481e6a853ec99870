import type { Candidate } from '../candidate.js';
import { limitOf, running } from '../capacity.js';
import type { LiveState } from '../live.js';
import { rampShare } from '../slow-start.js';
import type { ScoreParts, StrategyContext } from './strategy.js';

/** What a measure reads of a decision. */
type Measuring = Pick<StrategyContext, 'now' | 'hasTasks' | 'ramps'>;

/** The latency that counts as the worst: beyond it a score falls no further. Source: quality formula of the design, 5 s. */
export const WORST_LATENCY_MS = 5000;

/**
 * How full an instance is, 0 to 1, for calls of the candidate's kind: the larger of this server's own count against
 * what may run at once and of what the instance reports.
 */
export function measuredLoad(candidate: Candidate, { hasTasks }: Measuring): number {
  const { live, maxConcurrency } = candidate.instance;
  const counted = hasTasks ? running(candidate) / limitOf(candidate) : live.inFlight / maxConcurrency;
  return Math.max(counted, live.utilisation ?? 0);
}

/** Mean latency against the worst, 0 to 1; 0 while unknown, so that a new instance gets its chance. */
export function latencyOf(live: Pick<LiveState, 'meanLatencyMs'>, worstMs = WORST_LATENCY_MS): number {
  const mean = live.meanLatencyMs;
  if (mean === null) return 0;
  return mean < worstMs ? mean / worstMs : 1;
}

/** A degraded instance, or one whose ack is overdue, counts half. */
export function healthFactor(live: LiveState): number {
  return live.health === 'DEGRADED' || live.ackOverdue ? 0.5 : 1;
}

/**
 * What a candidate's share of the work should be in proportion to: its weight, halved while it is degraded, and only
 * in part while it is in slow start.
 */
export function shareOf(candidate: Candidate, context: Measuring): number {
  if (context.ramps) return shareAt(candidate, context.now.monotonic);
  const { weight, live } = candidate.instance;
  return weight * healthFactor(live);
}

/** The same where it isn't known whether anybody is in slow start. */
export function shareAt({ instance: { weight, live } }: Candidate, monotonic: number): number {
  return weight * healthFactor(live) * rampShare(live, monotonic);
}

/** What `shareOf` is made of, for explanations. */
export function shareParts({ instance: { weight, live } }: Candidate, measuring: Measuring): ScoreParts {
  return { weight, healthFactor: healthFactor(live), ...rampPart(live, measuring) };
}

/** Shown only while there is a slow start. */
export function rampPart(live: LiveState, { now }: Measuring): ScoreParts {
  return live.rampUntil <= now.monotonic ? {} : { slowStart: rampShare(live, now.monotonic) };
}

/**
 * Attempts in flight, or tasks, for each 100 of share. One is added before dividing, so that weights count among idle
 * instances too.
 */
export function relativeInFlight(candidate: Candidate, measuring: Measuring): number {
  const count = measuring.hasTasks ? running(candidate) : candidate.instance.live.inFlight;
  return ((count + 1) * 100) / shareOf(candidate, measuring);
}

/** What `relativeInFlight` is made of, for explanations. */
export function inFlightParts(candidate: Candidate, measuring: Measuring): ScoreParts {
  const count = running(candidate);
  return {
    ...(candidate.capability.mode === 'TASK' ? { tasks: count } : { inFlight: count }),
    ...shareParts(candidate, measuring),
  };
}

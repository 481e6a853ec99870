import type { Candidate } from '../candidate.js';
import type { QualityFormula } from '../policy.js';
import { healthFactor, latencyOf, rampPart, relativeInFlight } from './measures.js';
import type { StrategyContext, StrategyFactory } from './strategy.js';

/** So little that no difference in quality worth the name is outweighed. */
const TIE_BREAK = 1e-3;

/**
 * The best quality over five minutes: base + successWeight · success rate − latencyWeight · min(mean latency /
 * latencyBoundMs, 1), halved while degraded. What is not known yet counts as good, so that a new instance gets its
 * chance. Among equals the one with the fewest attempts in flight for its weight is ahead, by less than 0.001.
 * Source of the formula: section 5 of the design.
 */
export const quality: StrategyFactory<'QUALITY'> = ({ quality: formula }) => ({
  bestTakesAll: true,
  score: (candidate, context) => {
    const { instance } = candidate;
    const factor = healthFactor(instance.live);
    const value = formula.base + successPart(candidate, formula) - latencyPart(candidate, formula);
    // With a small base it can be negative; a degraded one must be further down then too.
    return (value >= 0 ? value * factor : value / factor) - tieBreak(candidate, context);
  },
  parts: (candidate, context) => ({
    base: formula.base,
    success: successPart(candidate, formula),
    latency: -latencyPart(candidate, formula),
    healthFactor: healthFactor(candidate.instance.live),
    ...rampPart(candidate.instance.live, context),
    tieBreak: -tieBreak(candidate, context),
  }),
});

function successPart({ instance }: Candidate, { successWeight }: QualityFormula): number {
  return successWeight * (instance.live.successRate ?? 1);
}

function latencyPart({ instance }: Candidate, { latencyWeight, latencyBoundMs }: QualityFormula): number {
  return latencyWeight * latencyOf(instance.live, latencyBoundMs);
}

function tieBreak(candidate: Candidate, context: StrategyContext): number {
  const busy = relativeInFlight(candidate, context);
  return (TIE_BREAK * busy) / (1 + busy);
}

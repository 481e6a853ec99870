import type { Candidate } from '../candidate.js';
import type { LiveState } from '../live.js';
import { DEFAULT_QUALITY, type QualityFormula } from '../policy.js';
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
    const { live } = candidate.instance;
    const factor = healthFactor(live);
    const value = qualityOf(live, formula);
    // With a small base it can be negative; a degraded one must be further down then too.
    return (value >= 0 ? value * factor : value / factor) - tieBreak(candidate, context);
  },
  parts: (candidate, context) => {
    const { live } = candidate.instance;
    return {
      base: formula.base,
      success: successPart(live, formula),
      latency: -latencyPart(live, formula),
      healthFactor: healthFactor(live),
      ...rampPart(live, context),
      tieBreak: -tieBreak(candidate, context),
    };
  },
});

/** What quality looks at. */
type Quality = Pick<LiveState, 'successRate' | 'meanLatencyMs'>;

/** The quality of an instance, before its health halves it. */
export function qualityOf(live: Quality, formula: QualityFormula = DEFAULT_QUALITY): number {
  return formula.base + successPart(live, formula) - latencyPart(live, formula);
}

function successPart({ successRate }: Quality, { successWeight }: QualityFormula): number {
  return successWeight * (successRate ?? 1);
}

function latencyPart(live: Quality, { latencyWeight, latencyBoundMs }: QualityFormula): number {
  return latencyWeight * latencyOf(live, latencyBoundMs);
}

function tieBreak(candidate: Candidate, context: StrategyContext): number {
  const busy = relativeInFlight(candidate, context);
  return (TIE_BREAK * busy) / (1 + busy);
}

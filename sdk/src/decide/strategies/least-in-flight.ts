import type { Candidate } from '../candidate.js';
import { healthFactor, relativeInFlight } from './measures.js';
import type { ScoreParts, StrategyFactory } from './strategy.js';

/** The fewest attempts running, in proportion to the agent's weight; a degraded instance counts as twice as busy. */
export const leastInFlight: StrategyFactory<'LEAST_IN_FLIGHT'> = () => ({
  score: (candidate) => -relativeInFlight(candidate),
  parts: inFlightParts,
});

/** What `relativeInFlight` is made of; also of the strategies that fall back to it. */
export function inFlightParts({ instance }: Candidate): ScoreParts {
  return {
    inFlight: instance.live.inFlight,
    weight: instance.weight,
    healthFactor: healthFactor(instance.live),
  };
}

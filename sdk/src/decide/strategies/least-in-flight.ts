import type { Candidate } from '../route-table.js';
import { healthFactor } from './measures.js';
import type { StrategyFactory } from './strategy.js';

/** The fewest attempts running, in proportion to the agent's weight; a degraded instance counts as twice as busy. */
export const leastInFlight: StrategyFactory<'LEAST_IN_FLIGHT'> = () => ({
  score: (candidate) => -relativeInFlight(candidate),
  parts: (candidate) => ({
    inFlight: candidate.instance.live.inFlight,
    weight: candidate.instance.weight,
    healthFactor: healthFactor(candidate.instance.live),
  }),
});

/** One is added before dividing, so that weights count among idle instances too. */
function relativeInFlight({ instance }: Candidate): number {
  return ((instance.live.inFlight + 1) * 100) / (instance.weight * healthFactor(instance.live));
}

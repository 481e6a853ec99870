import { inFlightParts, relativeInFlight } from './measures.js';
import type { StrategyFactory } from './strategy.js';

/** The fewest attempts running, in proportion to the agent's weight; a degraded instance counts as twice as busy. */
export const leastInFlight: StrategyFactory<'LEAST_IN_FLIGHT'> = () => ({
  score: (candidate, context) => -relativeInFlight(candidate, context),
  parts: inFlightParts,
});

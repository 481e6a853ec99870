import type { RouteInstance } from '../candidate.js';
import { healthFactor, shareOf } from './measures.js';
import type { StrategyFactory } from './strategy.js';

/**
 * The least full one: −(load + 1 / maxConcurrency) · 100 / weight, with load as the larger of what this server has
 * running there against `maxConcurrency` and of what the instance reports; a degraded instance counts as twice as
 * full. The call itself is counted in, so that weights and sizes count among idle instances too.
 */
export const leastLoad: StrategyFactory<'LEAST_LOAD'> = () => ({
  score: (candidate) => {
    const { instance } = candidate;
    return (-(measuredLoad(instance) + 1 / instance.maxConcurrency) * 100) / shareOf(candidate);
  },
  parts: ({ instance }) => ({
    load: measuredLoad(instance),
    thisCall: 1 / instance.maxConcurrency,
    weight: instance.weight,
    healthFactor: healthFactor(instance.live),
  }),
});

function measuredLoad({ live, maxConcurrency }: RouteInstance): number {
  return Math.max(live.inFlight / maxConcurrency, live.utilisation ?? 0);
}

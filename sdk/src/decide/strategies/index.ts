import type { StrategySettings } from '../policy.js';
import { leastInFlight } from './least-in-flight.js';
import type { Strategy } from './strategy.js';
import { weightedScore } from './weighted-score.js';

const made = new WeakMap<StrategySettings, Strategy>();

/** The strategy that a policy names; made once per policy version. */
export function strategyOf(settings: StrategySettings): Strategy {
  let strategy = made.get(settings);
  if (strategy === undefined) {
    strategy = make(settings);
    made.set(settings, strategy);
  }
  return strategy;
}

function make(settings: StrategySettings): Strategy {
  switch (settings.name) {
    case 'WEIGHTED_SCORE':
      return weightedScore(settings);
    case 'LEAST_IN_FLIGHT':
      return leastInFlight(settings);
    default:
      return settings satisfies never;
  }
}

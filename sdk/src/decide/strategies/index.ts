import type { StrategySettings } from '../policy.js';
import { consistentHash } from './consistent-hash.js';
import { leastInFlight } from './least-in-flight.js';
import { leastLoad } from './least-load.js';
import { priorityRatio } from './priority-ratio.js';
import { quality } from './quality.js';
import { random } from './random.js';
import { roundRobin } from './round-robin.js';
import type { Strategy } from './strategy.js';
import { weightedScore } from './weighted-score.js';

const made = new WeakMap<StrategySettings, Strategy>();

/**
 * The strategy that a policy names, with what it remembers; made once for each settings object, so once for a policy
 * version. A copy of the settings has a memory of its own.
 */
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
    case 'LEAST_LOAD':
      return leastLoad(settings);
    case 'QUALITY':
      return quality(settings);
    case 'ROUND_ROBIN':
      return roundRobin(settings);
    case 'RANDOM':
      return random(settings);
    case 'CONSISTENT_HASH':
      return consistentHash(settings);
    case 'PRIORITY_RATIO':
      return priorityRatio(settings);
    default:
      return settings satisfies never;
  }
}

import { limitOf } from '../capacity.js';
import { measuredLoad, shareOf, shareParts } from './measures.js';
import type { StrategyFactory } from './strategy.js';

/**
 * The least full one: −(load + 1 / limit) · 100 / weight, with load as the larger of what this server has running there
 * against the limit (`maxConcurrency`, for tasks `maxTasks`) and of what the instance reports; a degraded instance
 * counts as twice as full. The call itself is counted in, so that weights and sizes count among idle instances too.
 */
export const leastLoad: StrategyFactory<'LEAST_LOAD'> = () => ({
  score: (candidate, context) =>
    (-(measuredLoad(candidate, context) + 1 / limitOf(candidate)) * 100) / shareOf(candidate, context),
  parts: (candidate, context) => ({
    load: measuredLoad(candidate, context),
    thisCall: 1 / limitOf(candidate),
    ...shareParts(candidate, context),
  }),
});

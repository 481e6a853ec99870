import type { RouteInstance } from '../candidate.js';
import { healthFactor, latencyOf, loadOf } from './measures.js';
import type { StrategyContext, StrategyFactory } from './strategy.js';

/**
 * score = (load·(1 − how full) + latency·(1 − mean latency / 5 s) + affinity·affinity) · health factor,
 * the weights as shares of their sum.
 *
 * Affinity with a key is 1 for the instance that the key is bound to and 0 for all others. Without a key (or with an
 * empty one) it is the share of this caller's recent calls to the instance that succeeded.
 */
export const weightedScore: StrategyFactory<'WEIGHTED_SCORE'> = ({ weights }) => {
  const sum = weights.load + weights.latency + weights.affinity;
  const load = weights.load / sum;
  const latency = weights.latency / sum;
  const affinity = weights.affinity / sum;
  return {
    score({ instance }, context) {
      const { live } = instance;
      return (
        (load * (1 - loadOf(instance)) + latency * (1 - latencyOf(live)) + affinity * affinityOf(instance, context)) *
        healthFactor(live)
      );
    },
    parts({ instance }, context) {
      return {
        load: load * (1 - loadOf(instance)),
        latency: latency * (1 - latencyOf(instance.live)),
        affinity: affinity * affinityOf(instance, context),
        healthFactor: healthFactor(instance.live),
      };
    },
  };
};

function affinityOf({ ref, live }: RouteInstance, { request, bound }: StrategyContext): number {
  if (request.affinityKey) return ref === bound ? 1 : 0;
  const history = live.callerHistory;
  return history.size === 0 ? 1 : (history.get(request.caller) ?? 1);
}

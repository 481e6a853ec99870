import type { Candidate, RouteInstance } from '../candidate.js';
import { rampShare } from '../slow-start.js';
import { healthFactor, latencyOf, measuredLoad, rampPart } from './measures.js';
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
    bestTakesAll: true,
    score(candidate, context) {
      const { instance } = candidate;
      const { live } = instance;
      return (
        (load * (1 - loadOf(candidate, context)) +
          latency * (1 - latencyOf(live)) +
          affinity * affinityOf(instance, context)) *
        healthFactor(live)
      );
    },
    parts(candidate, context) {
      const { instance } = candidate;
      return {
        load: load * (1 - loadOf(candidate, context)),
        latency: latency * (1 - latencyOf(instance.live)),
        affinity: affinity * affinityOf(instance, context),
        healthFactor: healthFactor(instance.live),
        ...rampPart(instance.live, context),
      };
    },
  };
};

/**
 * How full an instance is, 0 to 1. An agent's weight scales it, so that weight 200 takes twice the work before it looks
 * as full; and so does a slow start, but for the calls whose key is bound there.
 */
function loadOf(candidate: Candidate, context: StrategyContext): number {
  const { live, ref } = candidate.instance;
  let { weight } = candidate.instance;
  if (context.ramps && ref !== context.bound) weight *= rampShare(live, context.now.monotonic);
  const load = measuredLoad(candidate, context);
  // A division costs as much as all the rest, and the usual weight makes it one by itself.
  return Math.min(weight === 100 ? load : (load * 100) / weight, 1);
}

function affinityOf({ ref, live }: RouteInstance, { request, bound }: StrategyContext): number {
  if (request.affinityKey) return ref === bound ? 1 : 0;
  const history = live.callerHistory;
  return history.size === 0 ? 1 : (history.get(request.caller) ?? 1);
}

import type { RouteRequest } from '../request.js';
import type { RouteInstance } from '../route-table.js';
import { hash32 } from './hash.js';
import { healthFactor, latencyOf, loadOf } from './measures.js';
import type { StrategyFactory } from './strategy.js';

/**
 * score = (load·(1 − how full) + latency·(1 − mean latency / 5 s) + affinity·affinity) · health factor,
 * the weights as shares of their sum.
 *
 * Affinity with a key is a rendezvous hash of key and instance, so each key has its own stable order of instances.
 * Without a key it is the share of this caller's recent calls to the instance that succeeded.
 */
export const weightedScore: StrategyFactory<'WEIGHTED_SCORE'> = ({ weights }) => {
  const sum = weights.load + weights.latency + weights.affinity;
  const load = weights.load / sum;
  const latency = weights.latency / sum;
  const affinity = weights.affinity / sum;
  return {
    score({ instance }, request) {
      const { live } = instance;
      return (
        (load * (1 - loadOf(instance)) + latency * (1 - latencyOf(live)) + affinity * affinityOf(instance, request)) *
        healthFactor(live)
      );
    },
    parts({ instance }, request) {
      return {
        load: load * (1 - loadOf(instance)),
        latency: latency * (1 - latencyOf(instance.live)),
        affinity: affinity * affinityOf(instance, request),
        healthFactor: healthFactor(instance.live),
      };
    },
  };
};

function affinityOf(instance: RouteInstance, request: RouteRequest): number {
  if (request.affinityKey !== undefined) return hash32(`${request.affinityKey} ${instance.ref}`) / 0xffff_ffff;
  const history = instance.live.callerHistory;
  return history.size === 0 ? 1 : (history.get(request.caller) ?? 1);
}

import type { InstanceHealth } from '@/features/live/health-change';
import type { Health, Lifecycle } from '@/graphql/types';

/** The part of an agent that moves. */
export interface AgentState {
  readonly health: Health;
  readonly healthReason: string;
  readonly instanceCount: number;
  readonly readyCount: number;
  readonly inFlight: number;
  /** Mean over the instances that report one; null when none does. */
  readonly utilisation: number | null;
}

interface QueriedAgent extends Omit<AgentState, 'utilisation'> {
  readonly instances: readonly { readonly lifecycle: Lifecycle; readonly utilisation: number | null }[];
}

const BEST_FIRST: readonly Health[] = ['HEALTHY', 'DEGRADED', 'UNKNOWN', 'OFFLINE'];

/**
 * An agent's state: what the stream tells of its instances where it told something, else what was queried. An agent is
 * as healthy as the best of its instances, and OFFLINE without one, as the API says it too. The load is always the
 * queried one: the stream tells it only when a state changes, and between two changes it would stand still.
 */
export function agentState(queried: QueriedAgent, live: ReadonlyMap<string, InstanceHealth> | undefined): AgentState {
  if (live === undefined) return { ...queried, utilisation: mean(queried.instances) };
  const instances = [...live.values()];
  const best = BEST_FIRST.find((health) => instances.some((instance) => instance.health === health));
  const decisive = instances.find((instance) => instance.health === best);
  return {
    health: best ?? 'OFFLINE',
    healthReason: decisive?.reason ?? 'no instance is connected',
    instanceCount: instances.length,
    readyCount: instances.filter((instance) => instance.lifecycle === 'READY').length,
    inFlight: instances.length === 0 ? 0 : queried.inFlight,
    utilisation: instances.length === 0 ? null : mean(queried.instances),
  };
}

function mean(instances: readonly { readonly utilisation: number | null }[]): number | null {
  const known = instances.flatMap(({ utilisation }) => (utilisation === null ? [] : [utilisation]));
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}

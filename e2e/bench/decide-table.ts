import {
  createLiveState,
  DEFAULT_POLICY_CONTENT,
  type PolicyContent,
  type RouteInstance,
  type RouteRequest,
  RouteTable,
  type StrategyName,
  type StrategySettings,
} from '@agent-reach/sdk/decide';

const NAMESPACE = 'bench';
/** The instances belong to so many agents, so that a policy can name some of them. */
const AGENTS = 10;
const CALLERS = 16;
/** Requests that a round goes through again and again. */
const REQUESTS = 1_024;

const NO_ROLES: readonly string[] = [];
const CAPABILITY = { name: 'quote', aliases: ['price'], tags: ['read'], idempotent: true, mode: 'SYNC' } as const;

/** The settings of each strategy as its policy would have them. */
export const STRATEGIES: readonly StrategySettings[] = [
  DEFAULT_POLICY_CONTENT.strategy,
  { name: 'LEAST_IN_FLIGHT' },
  { name: 'LEAST_LOAD' },
  { name: 'QUALITY', quality: { base: 100, successWeight: 60, latencyWeight: 40, latencyBoundMs: 5_000 } },
  { name: 'ROUND_ROBIN' },
  { name: 'RANDOM' },
  { name: 'CONSISTENT_HASH', spillPercent: 20 },
  {
    name: 'PRIORITY_RATIO',
    agents: [
      { agent: `${NAMESPACE}/agent-0`, ratio: 70 },
      { agent: `${NAMESPACE}/agent-1`, ratio: 28 },
      { agent: `${NAMESPACE}/agent-2`, ratio: 2 },
    ],
    fallback: [`${NAMESPACE}/agent-3`],
  },
];

/** A table with so many candidates for one capability, in different states, and rules and a policy as a real one has. */
export function tableOf(candidates: number): RouteTable {
  const table = new RouteTable();
  for (let index = 0; index < candidates; index++) table.put(instanceOf(index));
  table.setPermissions([
    { id: 'all', namespace: NAMESPACE, caller: 'agent:bench/*', target: 'bench/*', capability: '*', effect: 'ALLOW' },
    { id: 'not', namespace: NAMESPACE, caller: '*', target: 'bench/*', capability: 'delete_*', effect: 'DENY' },
  ]);
  return table;
}

export function instanceOf(index: number): RouteInstance {
  const agent = `agent-${index % AGENTS}`;
  const live = createLiveState('READY', 'HEALTHY', 'ready');
  live.meanLatencyMs = 5 + ((index * 37) % 90);
  live.utilisation = ((index * 13) % 60) / 100;
  live.successRate = 1 - ((index * 7) % 5) / 100;
  return {
    ref: `${NAMESPACE}/${agent}/i${index}`,
    agent: `${NAMESPACE}/${agent}`,
    namespace: NAMESPACE,
    agentType: 'bench.quotes',
    version: '1.4.2',
    domain: 'PRODUCTION',
    zone: 'north',
    weight: 100,
    maxConcurrency: 100,
    maxQueue: 0,
    maxTasks: 100,
    capabilities: [CAPABILITY],
    live,
  };
}

export function usePolicy(table: RouteTable, strategy: StrategySettings): void {
  const content: PolicyContent = {
    ...DEFAULT_POLICY_CONTENT,
    match: { capability: 'quote', tags: [], caller: '*' },
    strategy,
  };
  const policy = { id: 'p', namespace: NAMESPACE, name: 'quotes', version: 1, content };
  table.setPolicies([{ ...policy, rolloutPercent: 100, stable: undefined }]);
}

/** Requests of several callers; with affinity keys for the strategy that goes by them. */
export function requestsFor(strategy: StrategyName): readonly RouteRequest[] {
  return Array.from({ length: REQUESTS }, (_, index) => ({
    requestId: `request-${index}`,
    caller: `agent:${NAMESPACE}/caller-${index % CALLERS}` as const,
    roles: NO_ROLES,
    namespace: NAMESPACE,
    target: { capability: CAPABILITY.name },
    zone: 'north',
    domain: 'PRODUCTION' as const,
    affinityKey: strategy === 'CONSISTENT_HASH' ? `session-${index}` : undefined,
    tried: undefined,
  }));
}

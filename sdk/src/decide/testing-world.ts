import type { InstanceRef } from '../protocol/index.js';
import type { Domain, RouteCapability, RouteInstance } from './candidate.js';
import { type BreakerState, createLiveState } from './live.js';
import type { PermissionRule } from './permission.js';
import { DEFAULT_POLICY_CONTENT, type PolicyContent, type StrategySettings } from './policy.js';
import type { RouteRequest } from './request.js';
import { RouteTable } from './route-table.js';
import { seededRandom } from './seeded-random.js';

export const NOW = { monotonic: 1_000_000, wall: 1_767_225_600_000 };

/** Every strategy, over the agents of a random world. */
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
      { agent: 'shop/a0', ratio: 60 },
      { agent: 'shop/a1', ratio: 38 },
      { agent: 'shop/a2', ratio: 2 },
    ],
    fallback: ['shop/a3'],
  },
];

const CAPABILITIES: readonly RouteCapability[] = [
  { name: 'q', aliases: ['ask'], tags: ['read'], idempotent: true, mode: 'SYNC' },
  { name: 'q', aliases: [], tags: ['read', 'fast'], idempotent: true, mode: 'SYNC' },
  { name: 'r', aliases: ['other'], tags: [], idempotent: false, mode: 'TASK' },
];

/** A random table, policy and requests; the same ones for the same seed. */
export class World {
  readonly table = new RouteTable();
  readonly instances: RouteInstance[] = [];
  readonly content: PolicyContent;
  /** The namespace's share for canaries, in percent. */
  readonly canaryPercent: number | undefined;
  readonly random: () => number;
  /** Share of the instances that are in a state in which they get no call. */
  readonly sick: number;
  #requests = 0;

  constructor(seed: number, size: number, strategy: StrategySettings) {
    this.random = seededRandom(seed);
    this.sick = this.pick([0, 0, 0.1, 0.5, 0.95, 1]);
    for (let index = 0; index < size; index++) this.join(index);
    // Some leave, so that the index has moved others into their places.
    for (let index = 0; index < size / 10; index++) this.table.remove(this.pick(this.instances).ref);
    this.table.setPermissions(this.#rules());
    this.content = this.#content(strategy);
    const policy = { id: 'p', namespace: 'shop', name: 'random', version: 1, content: this.content };
    this.table.setPolicies([{ ...policy, rolloutPercent: 100, stable: undefined }]);
    this.canaryPercent = this.maybe(0.3) ? 30 : undefined;
    if (this.canaryPercent !== undefined) this.table.setCanaryShares(new Map([['shop', this.canaryPercent]]));
  }

  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.random() * list.length)] as T;
  }

  maybe(share: number): boolean {
    return this.random() < share;
  }

  join(index: number): void {
    const agent = `a${index % 7}`;
    const instance: RouteInstance = {
      ref: `shop/${agent}/i${index}`,
      agent: `shop/${agent}`,
      namespace: 'shop',
      agentType: index % 7 < 4 ? 'shop.big' : 'shop.small',
      version: this.pick(['1.0.0', '1.2.3', '2.0.0', 'build-7']),
      domain: this.pick<Domain>(['PRODUCTION', 'PRODUCTION', 'PRODUCTION', 'CANARY']),
      zone: this.pick(['north', 'north', 'south']),
      weight: this.pick([100, 100, 50, 300, this.maybe(this.sick) ? 0 : 100]),
      maxConcurrency: 8,
      maxQueue: this.pick([0, 2]),
      maxTasks: 4,
      capabilities: this.maybe(0.3) ? CAPABILITIES.slice(1) : [this.pick(CAPABILITIES.slice(0, 2))],
      live: createLiveState('READY', 'HEALTHY', 'fine'),
    };
    this.instances[index] = instance;
    this.table.put(instance);
    this.change(instance);
  }

  /** Another state for an instance. */
  change({ live }: RouteInstance): void {
    live.lifecycle = this.maybe(this.sick / 3) ? this.pick(['DRAINING', 'PAUSED', 'STARTING', 'SUSPECT']) : 'READY';
    live.health = this.maybe(this.sick / 3) ? 'OFFLINE' : this.pick(['HEALTHY', 'HEALTHY', 'DEGRADED']);
    live.inFlight = this.maybe(this.sick / 3) ? 10 : Math.floor(this.random() * 7);
    live.tasks = this.maybe(this.sick / 3) ? 4 : Math.floor(this.random() * 4);
    live.utilisation = this.pick([null, this.random() * (this.maybe(this.sick / 2) ? 1 : 0.9)]);
    live.meanLatencyMs = this.pick([null, this.random() * 6_000]);
    live.successRate = this.pick([null, this.random()]);
    live.ackOverdue = this.maybe(0.05);
    live.breaker = this.maybe(this.sick / 3) ? this.#breaker() : { state: 'CLOSED' };
    const ramps = this.maybe(0.2);
    live.rampMs = ramps ? 10_000 : 0;
    live.rampUntil = ramps ? NOW.monotonic + Math.floor(this.random() * 10_000) - 1_000 : 0;
    if (this.maybe(0.1)) live.callerHistory.set('agent:shop/c1', this.random());
  }

  #breaker(): BreakerState {
    return this.pick<BreakerState>([
      { state: 'OPEN', until: NOW.monotonic + 5, reason: 'failed' },
      { state: 'OPEN', until: NOW.monotonic - 5, reason: 'failed' },
      { state: 'HALF_OPEN', probing: true, successes: 0, failures: 0, reason: 'failed' },
      { state: 'HALF_OPEN', probing: false, successes: 1, failures: 0, reason: 'failed' },
    ]);
  }

  #rules(): PermissionRule[] {
    const allow = (target: string, caller = '*'): PermissionRule => ({
      ...{ id: `${caller}>${target}`, namespace: 'shop', caller, target, capability: '*' },
      effect: 'ALLOW',
    });
    return this.pick([
      [allow('shop/*')],
      [allow('shop/*'), { ...allow('shop/a1'), id: 'not-a1', effect: 'DENY' }],
      [allow('shop/a2'), allow('shop/a3'), allow('shop/a0', 'agent:shop/c1')],
      [allow('shop/*', 'agent:shop/c1')],
    ]);
  }

  #content(strategy: StrategySettings): PolicyContent {
    return {
      ...DEFAULT_POLICY_CONTENT,
      strategy,
      candidates: this.maybe(0.2) ? ['shop/a3', 'shop/a0', 'shop/a1'] : [],
      allowZoneCrossing: this.maybe(0.8),
      domainSplit: this.maybe(0.2) ? { CANARY: 30, STAGING: 10, PRODUCTION: 60 } : null,
      versions: { range: this.maybe(0.2) ? '>=1.1 <3' : null, sticky: this.maybe(0.2) },
      sticky: this.maybe(0.3),
    };
  }

  request(): RouteRequest {
    const tried = new Set<InstanceRef>();
    if (this.maybe(0.2)) for (let count = 0; count < 3; count++) tried.add(this.pick(this.instances).ref);
    return {
      requestId: `r${this.#requests++}`,
      caller: this.pick(['agent:shop/c1', 'agent:shop/c2'] as const),
      roles: [],
      namespace: 'shop',
      target: {
        capability: this.pick(['q', 'q', 'q', 'ask', 'other']),
        ...(this.maybe(0.1) ? { agent: this.pick(['a0', 'a3']) } : {}),
        ...(this.maybe(0.1) ? { type: 'shop.big' } : {}),
        ...(this.maybe(0.1) ? { tags: ['fast'] } : {}),
        ...(this.maybe(0.1) ? { versions: this.pick(['^1.0.0', 'build-7']) } : {}),
      },
      zone: this.pick([undefined, 'north', 'south', 'nowhere']),
      domain: this.maybe(0.9) ? 'PRODUCTION' : 'CANARY',
      affinityKey: this.maybe(0.5) ? `k${Math.floor(this.random() * 4)}` : undefined,
      tried: tried.size === 0 ? undefined : tried,
    };
  }
}

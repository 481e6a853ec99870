import { decide } from '../decide.js';
import { DEFAULT_POLICY_CONTENT, type PolicyContent, type StrategySettings } from '../policy.js';
import type { RouteRequest } from '../request.js';
import { type RouteInstance, RouteTable } from '../route-table.js';
import { strategyOf } from './index.js';
import type { Strategy } from './strategy.js';
import { seeded } from './testing.js';

export const NOW = { monotonic: 1_000, wall: 1_767_225_600_000 };

/** A table with one policy, asked through the router's own code; each choice takes effect. */
export class Router {
  readonly table = new RouteTable();
  random: () => number;
  now = NOW;
  #calls = 0;
  #settings: StrategySettings;

  constructor(
    strategy: StrategySettings,
    instances: readonly RouteInstance[],
    content: Partial<PolicyContent> = {},
    seed = 1,
  ) {
    this.random = seeded(seed);
    for (const instance of instances) this.table.put(instance);
    this.table.setPermissions([
      { id: 'all', namespace: 'shop', caller: '*', target: '*', capability: '*', effect: 'ALLOW' },
    ]);
    this.#settings = strategy;
    this.setPolicy(strategy, content);
  }

  get strategy(): Strategy {
    return strategyOf(this.#settings);
  }

  /** A copy of the settings, so that what another test's strategy remembers doesn't count. */
  setPolicy(strategy: StrategySettings, content: Partial<PolicyContent> = {}): void {
    this.#settings = structuredClone(strategy);
    const all: PolicyContent = { ...DEFAULT_POLICY_CONTENT, ...content, strategy: this.#settings };
    const head = { id: 'p', namespace: 'shop', name: 'tested', version: 1 };
    this.table.setPolicies([{ ...head, content: all, rolloutPercent: 100, stable: undefined }]);
  }

  /** The same lots from here on as any other with that seed. */
  restart(seed: number): void {
    this.random = seeded(seed);
  }

  /** Decides without any effect. */
  ask(overrides: Partial<RouteRequest> = {}) {
    return decide(this.table, this.request(overrides), this.now, this.random);
  }

  request(overrides: Partial<RouteRequest> = {}): RouteRequest {
    return {
      requestId: `r${++this.#calls}`,
      caller: 'agent:shop/web',
      roles: [],
      namespace: 'shop',
      target: { capability: 'q' },
      zone: undefined,
      domain: 'PRODUCTION',
      affinityKey: undefined,
      tried: undefined,
      ...overrides,
    };
  }

  /** Decides, applies the effects and returns the chosen instance; throws when there is none. */
  choose(overrides: Partial<RouteRequest> = {}): RouteInstance {
    const decision = this.ask(overrides);
    if (decision.outcome !== 'OK') throw new Error(`${decision.outcome} at ${decision.stage}`);
    this.table.applied(decision);
    return decision.choice.instance;
  }

  /** So many choices, counted by whatever names the chosen one. */
  count(calls: number, nameOf: (chosen: RouteInstance) => string, overrides: Partial<RouteRequest> = {}) {
    const counts: Record<string, number> = {};
    for (let call = 0; call < calls; call++) {
      const name = nameOf(this.choose(overrides));
      counts[name] = (counts[name] ?? 0) + 1;
    }
    return counts;
  }
}

export const byRef = ({ ref }: RouteInstance): string => ref;
export const byAgent = ({ agent }: RouteInstance): string => agent;

import { describe, expect, it } from 'vitest';
import { explain } from '../explain.js';
import { DEFAULT_POLICY_CONTENT, STRATEGY_NAMES, type StrategySettings } from '../policy.js';
import type { RouteInstance } from '../route-table.js';
import { strategyOf } from './index.js';
import { candidateOf, type TestInstance, testInstance, testInstances } from './testing.js';
import { NOW, Router } from './testing-router.js';

/** What the test instances offer. */
const CAPABILITY = 'q';

const EVERY: readonly StrategySettings[] = [
  DEFAULT_POLICY_CONTENT.strategy,
  { name: 'LEAST_IN_FLIGHT' },
  { name: 'LEAST_LOAD' },
  { name: 'QUALITY', quality: { base: 100, successWeight: 60, latencyWeight: 40, latencyBoundMs: 5000 } },
  { name: 'ROUND_ROBIN' },
  { name: 'RANDOM' },
  { name: 'CONSISTENT_HASH', spillPercent: 20 },
  {
    name: 'PRIORITY_RATIO',
    agents: [
      { agent: 'shop/pool', ratio: 80 },
      { agent: 'shop/new', ratio: 20 },
    ],
    fallback: [],
  },
];

/** With a key for each call, so that hashing strategies choose too. */
const call = (router: Router, number: number) => router.choose({ affinityKey: `k${number % 500}` });

describe.each(EVERY.map((settings) => [settings.name, settings] as const))('%s', (_, settings) => {
  it.each([5, 100])('gives weight 0 none of 10,000 choices, among %i', (size) => {
    const instances = testInstances(size);
    for (const instance of instances.slice(2)) instance.weight = 0;
    const router = new Router(settings, instances);
    const chosen = new Set(Array.from({ length: 10_000 }, (_, number) => call(router, number).ref));
    expect([...chosen].sort()).toEqual(['shop/pool/i0', 'shop/pool/i1']);
  });

  it.each([8, 100])('never takes one that is known to be bad, among %i', (size) => {
    const instances = testInstances(size);
    const bad: ((instance: TestInstance) => void)[] = [
      ({ live }) => Object.assign(live, { lifecycle: 'PAUSED' }),
      ({ live }) => Object.assign(live, { lifecycle: 'DRAINING' }),
      ({ live }) => Object.assign(live, { health: 'OFFLINE' }),
      ({ live }) => Object.assign(live, { inFlight: 100_000 }),
      ({ live }) => Object.assign(live, { breaker: { state: 'OPEN', until: 10_000, reason: 'failures' } }),
    ];
    instances.slice(2).forEach((instance, index) => {
      bad[index % bad.length]?.(instance);
    });
    const router = new Router(settings, instances);
    const chosen = new Set(Array.from({ length: 2000 }, (_, number) => call(router, number).ref));
    expect([...chosen].sort()).toEqual(['shop/pool/i0', 'shop/pool/i1']);
  });

  it.each([5, 100])('spreads calls evenly over equals, among %i', (size) => {
    const instances = testInstances(size);
    const router = new Router(settings, instances);
    const running: RouteInstance[] = [];
    const counts = new Map<string, number>();
    for (let number = 0; number < 10_000; number++) {
      // Without keys, but for the strategy that needs one: with a key, calls are meant to keep to one instance.
      const affinityKey = settings.name === 'CONSISTENT_HASH' ? `k${number}` : undefined;
      const chosen = router.choose({ affinityKey });
      counts.set(chosen.ref, (counts.get(chosen.ref) ?? 0) + 1);
      chosen.live.inFlight++;
      running.push(chosen);
      // Calls end in the order in which they began: about two for each instance are under way.
      const ended = running.length > 2 * size ? running.shift() : undefined;
      if (ended !== undefined) ended.live.inFlight--;
    }
    const shares = [...counts.values()].map((count) => (count * size) / 10_000);
    expect(shares.length).toBe(size);
    expect(Math.min(...shares)).toBeGreaterThan(0.6);
    expect(Math.max(...shares)).toBeLessThan(1.5);
  });

  it('is not changed by being asked or explained', () => {
    const instances = [...testInstances(4), testInstance('new', 'i0')];
    const router = new Router(settings, instances);
    for (let number = 0; number < 57; number++) call(router, number);
    const candidates = instances.map(candidateOf);
    const before = JSON.stringify(router.strategy.capture?.(candidates, CAPABILITY));
    for (let number = 0; number < 20; number++) {
      router.ask({ affinityKey: `k${number}` });
      explain(router.table, router.request({ affinityKey: `k${number}` }), NOW, () => 0.5, 'v');
    }
    expect(JSON.stringify(router.strategy.capture?.(candidates, CAPABILITY))).toBe(before);
  });

  it('goes on from a captured state as it would have', () => {
    const instances = [...testInstances(4), testInstance('new', 'i0')];
    const router = new Router(settings, instances);
    for (let number = 0; number < 57; number++) call(router, number);
    const again = [...testInstances(4), testInstance('new', 'i0')];
    const replay = new Router(settings, again);
    const state = JSON.stringify(router.strategy.capture?.(instances.map(candidateOf), CAPABILITY));
    if (state !== undefined) replay.strategy.restore?.(JSON.parse(state), again.map(candidateOf), CAPABILITY);
    router.restart(11);
    replay.restart(11);
    for (let number = 0; number < 40; number++) expect(call(replay, number).ref).toBe(call(router, number).ref);
  });

  it('remembers for one version of a policy', () => {
    expect(strategyOf(settings)).toBe(strategyOf(settings));
    expect(strategyOf(structuredClone(settings))).not.toBe(strategyOf(settings));
  });
});

it('every strategy is here', () => {
  expect(EVERY.map(({ name }) => name)).toEqual(STRATEGY_NAMES);
});

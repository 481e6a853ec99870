import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICY_CONTENT, type StrategySettings } from './policy.js';
import { type TestInstance, testInstance, testInstances } from './strategies/testing.js';
import { Router } from './strategies/testing-router.js';

const LEAST = { name: 'LEAST_IN_FLIGHT' } as const;
const KEYS = Array.from({ length: 200 }, (_, index) => `user-${index}`);

/** The table's own object behind a chosen instance. */
function find(instances: readonly TestInstance[], ref: string): TestInstance {
  const found = instances.find((each) => each.ref === ref);
  if (found === undefined) throw new Error(`${ref} is not among them`);
  return found;
}

const STICKY: [string, StrategySettings][] = [
  ['LEAST_IN_FLIGHT', LEAST],
  ['LEAST_LOAD', { name: 'LEAST_LOAD' }],
  ['QUALITY', { name: 'QUALITY', quality: { base: 100, successWeight: 60, latencyWeight: 40, latencyBoundMs: 5000 } }],
  ['ROUND_ROBIN', { name: 'ROUND_ROBIN' }],
  ['RANDOM', { name: 'RANDOM' }],
  ['CONSISTENT_HASH', { name: 'CONSISTENT_HASH', spillPercent: 20 }],
  ['PRIORITY_RATIO', { name: 'PRIORITY_RATIO', agents: [{ agent: 'shop/pool', ratio: 100 }], fallback: [] }],
  ['WEIGHTED_SCORE', DEFAULT_POLICY_CONTENT.strategy],
];

describe.each(STICKY)('a sticky policy with %s', (_, settings) => {
  it.each([5, 100])('binds a key once and keeps to it, among %i', (size) => {
    const instances = testInstances(size);
    const router = new Router(settings, instances, { sticky: true });
    for (const affinityKey of KEYS.slice(0, 20)) {
      const first = router.choose({ affinityKey });
      first.live.inFlight += 3;
      for (let call = 0; call < 10; call++) expect(router.choose({ affinityKey }).ref).toBe(first.ref);
    }
  });

  it.each([5, 100])('moves a key once when its instance is lost, and leaves it there, among %i', (size) => {
    const instances = testInstances(size);
    const router = new Router(settings, instances, { sticky: true });
    const first = find(instances, router.choose({ affinityKey: 'k' }).ref);
    first.live.lifecycle = 'SUSPECT';
    const second = router.choose({ affinityKey: 'k' });
    expect(second.ref).not.toBe(first.ref);
    for (let call = 0; call < 10; call++) expect(router.choose({ affinityKey: 'k' }).ref).toBe(second.ref);
    first.live.lifecycle = 'READY';
    for (let call = 0; call < 10; call++) expect(router.choose({ affinityKey: 'k' }).ref).toBe(second.ref);
  });

  it.each([5, 100])('leaves a key where it is while that one is only full, among %i', (size) => {
    const instances = testInstances(size);
    const router = new Router(settings, instances, { sticky: true });
    const first = find(instances, router.choose({ affinityKey: 'k' }).ref);
    first.live.inFlight = first.maxConcurrency;
    for (let call = 0; call < 5; call++) expect(router.choose({ affinityKey: 'k' }).ref).not.toBe(first.ref);
    first.live.inFlight = 0;
    expect(router.choose({ affinityKey: 'k' }).ref).toBe(first.ref);
  });

  it('spreads keys over all', () => {
    const router = new Router(settings, testInstances(5), { sticky: true });
    const counts = new Map<string, number>();
    for (const affinityKey of KEYS) {
      const { ref } = router.choose({ affinityKey });
      counts.set(ref, (counts.get(ref) ?? 0) + 1);
    }
    expect(counts.size).toBe(5);
    expect(Math.min(...counts.values())).toBeGreaterThan(20);
  });
});

describe('a policy that keeps keys to a version', () => {
  it.each([2, 60])('moves them within the version while it has somebody, with %i instances of each', (each) => {
    const instances = ['1.0.0', '2.0.0'].flatMap((version) =>
      Array.from({ length: each }, (_, index) => testInstance('pool', `v${version}-${index}`, { version })),
    );
    const router = new Router(LEAST, instances, { sticky: true, versions: { range: null, sticky: true } });
    for (const affinityKey of KEYS.slice(0, 30)) {
      const first = find(instances, router.choose({ affinityKey }).ref);
      first.live.lifecycle = 'PAUSED';
      expect(router.choose({ affinityKey }).version).toBe(first.version);
      first.live.lifecycle = 'READY';
    }
    for (const { live, version } of instances) if (version === '1.0.0') live.lifecycle = 'PAUSED';
    for (const affinityKey of KEYS) expect(router.choose({ affinityKey }).version).toBe('2.0.0');
  });
});

describe('an affinity key', () => {
  it('binds nothing when it is empty or absent', () => {
    const router = new Router(LEAST, testInstances(3), { sticky: true });
    router.choose({ affinityKey: '' });
    router.choose();
    expect(router.table.bindings.size).toBe(0);
  });

  it('starts at the same instance after a restart, in another order of registration', () => {
    const starts = (instances: TestInstance[]) => {
      const router = new Router(LEAST, instances, { sticky: true });
      return KEYS.map((affinityKey) => router.choose({ affinityKey }).ref);
    };
    expect(starts(testInstances(10).reverse())).toEqual(starts(testInstances(10)));
    expect(starts(testInstances(100).reverse())).toEqual(starts(testInstances(100)));
  });

  it('that is used once leaves nothing behind: 100,000 of them', () => {
    const router = new Router(LEAST, testInstances(3), { sticky: true });
    for (let call = 0; call < 100_000; call++) router.choose({ affinityKey: `once-${call}` });
    expect(router.table.bindings.size).toBe(100_000);
    router.choose({ affinityKey: 'one more' });
    expect(router.table.bindings.size).toBe(100_000);
    router.table.bindings.expire(router.now.monotonic + 600_000);
    expect(router.table.bindings.size).toBe(0);
  });

  it('under WEIGHTED_SCORE draws its calls to where it is bound until that one is much fuller', () => {
    const instances = testInstances(4, { maxConcurrency: 10 });
    const router = new Router(DEFAULT_POLICY_CONTENT.strategy, instances);
    const first = find(instances, router.choose({ affinityKey: 'k' }).ref);
    first.live.inFlight = 7;
    expect(router.choose({ affinityKey: 'k' }).ref).toBe(first.ref);
    first.live.inFlight = 8;
    expect(router.choose({ affinityKey: 'k' }).ref).not.toBe(first.ref);
    first.live.inFlight = 0;
    expect(router.choose({ affinityKey: 'k' }).ref).toBe(first.ref);
  });
});

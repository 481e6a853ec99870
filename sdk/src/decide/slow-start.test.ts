import { describe, expect, it } from 'vitest';
import { explain } from './explain.js';
import { createLiveState } from './live.js';
import { DEFAULT_POLICY_CONTENT, type StrategySettings } from './policy.js';
import { rampShare } from './slow-start.js';
import { type TestInstance, testInstance, testInstances } from './strategies/testing.js';
import { byRef, NOW, Router } from './strategies/testing-router.js';

const QUALITY: StrategySettings = {
  name: 'QUALITY',
  quality: { base: 100, successWeight: 60, latencyWeight: 40, latencyBoundMs: 5000 },
};

/** In the middle of a slow start of ten seconds, so that its share is as given. */
function ramping<I extends TestInstance>(instance: I, share: number): I {
  instance.live.rampMs = 10_000;
  instance.live.rampUntil = NOW.monotonic + Math.round((1 - share) * 10_000);
  return instance;
}

/** Its share of 10,000 choices, while calls end in the order in which they began, so many at once. */
function shareOf(router: Router, ref: string, atOnce: number): number {
  const running: { live: { inFlight: number } }[] = [];
  let count = 0;
  for (let call = 0; call < 10_000; call++) {
    const chosen = router.choose();
    if (chosen.ref === ref) count++;
    chosen.live.inFlight++;
    running.push(chosen);
    const ended = running.length > atOnce ? running.shift() : undefined;
    if (ended !== undefined) ended.live.inFlight--;
  }
  return count / 10_000;
}

describe('rampShare', () => {
  const at = (left: number) => {
    const live = createLiveState('READY', 'HEALTHY', '');
    return rampShare(Object.assign(live, { rampUntil: 1_000 + left, rampMs: 10_000 }), 1_000);
  };

  it('grows evenly from a tenth to the whole', () => {
    expect([10_000, 9_500, 7_500, 4_000, 1_000, 0, -5].map(at)).toEqual([0.1, 0.1, 0.25, 0.6, 0.9, 1, 1]);
  });

  it('is a tenth when more time is left than the whole, or the whole is nothing', () => {
    expect(at(50_000)).toBe(0.1);
    const live = Object.assign(createLiveState('READY', 'HEALTHY', ''), { rampUntil: 1_001, rampMs: 0 });
    expect(rampShare(live, 1_000)).toBe(0.1);
  });
});

/** Strategies for which the best one gets the calls: an instance gets that part of what it would have without. */
describe.each([DEFAULT_POLICY_CONTENT.strategy, QUALITY])('$name', (strategy) => {
  it.each([0.1, 0.4, 0.8])('gives one that is best by far %s of the calls', (share) => {
    const [best, ...others] = testInstances(5) as [TestInstance, ...TestInstance[]];
    for (const { live } of others) live.meanLatencyMs = 4_000;
    const router = new Router(strategy, [ramping(best, share), ...others]);
    let count = 0;
    for (let call = 0; call < 10_000; call++) if (router.choose().ref === best.ref) count++;
    expect(Math.abs(count / 10_000 - share)).toBeLessThan(0.02);
  });

  it('takes it when the others are left out', () => {
    const one = ramping(testInstance('pool', 'one'), 0.1);
    const full = testInstance('pool', 'full', { maxConcurrency: 1 });
    full.live.inFlight = 1;
    const router = new Router(strategy, [one, full]);
    expect(router.count(1_000, byRef)).toEqual({ 'shop/pool/one': 1_000 });
  });

  it('shares among several that are all in slow start', () => {
    const all = testInstances(4).map((instance) => ramping(instance, 0.1));
    const counts = Object.values(new Router(strategy, all).count(10_000, byRef));
    expect(counts).toHaveLength(4);
    expect(Math.min(...counts)).toBeGreaterThan(2_300);
  });

  it('draws nothing for those that are not', () => {
    const draws = (share: number) => {
      const router = new Router(strategy, [ramping(testInstance('pool', 'a'), share), testInstance('pool', 'b')]);
      let drawn = 0;
      router.random = () => {
        drawn++;
        return 0.999;
      };
      router.ask();
      return drawn;
    };
    expect([draws(1), draws(0.5)]).toEqual([1, 2]);
  });
});

/** Strategies that go by weight: it counts as one of that part of its weight. */
describe.each<StrategySettings>([
  { name: 'LEAST_IN_FLIGHT' },
  { name: 'LEAST_LOAD' },
  { name: 'ROUND_ROBIN' },
  { name: 'RANDOM' },
  { name: 'CONSISTENT_HASH', spillPercent: 20 },
  { name: 'PRIORITY_RATIO', agents: [{ agent: 'shop/pool', ratio: 100 }], fallback: [] },
])('$name', (strategy) => {
  it.each([
    [2, 0.5],
    [5, 0.2],
    [10, 0.1],
  ])('among %i gives it %s of an equal share', (size, share) => {
    const instances = testInstances(size, { maxConcurrency: 10_000 });
    const [one] = instances as [TestInstance];
    ramping(one, share);
    const got = shareOf(new Router(strategy, instances), one.ref, 200 * size);
    expect(Math.abs(got - share / (size - 1 + share))).toBeLessThan(0.02);
  });
});

it('keeps the default strategy from flooding a new instance among many', () => {
  const instances = testInstances(10, { maxConcurrency: 100 });
  for (const { live } of instances.slice(1)) live.inFlight = 50;
  const [one] = instances as [TestInstance];
  const router = new Router(DEFAULT_POLICY_CONTENT.strategy, [ramping(one, 0.1), ...instances.slice(1)]);
  expect(shareOf(router, one.ref, 50)).toBeLessThan(0.12);
});

describe('affinity keys', () => {
  it('stay with an instance in slow start', () => {
    const [one, ...others] = testInstances(4) as [TestInstance, ...TestInstance[]];
    const router = new Router(DEFAULT_POLICY_CONTENT.strategy, [one]);
    router.choose({ affinityKey: 'k' });
    for (const other of others) router.table.put(other);
    ramping(one, 0.1);
    expect(router.count(500, byRef, { affinityKey: 'k' })).toEqual({ [one.ref]: 500 });
  });

  it.each([true, false])('start there less often (sticky: %s)', (sticky) => {
    const instances = testInstances(2);
    ramping(instances[0] as TestInstance, 0.25);
    const router = new Router(DEFAULT_POLICY_CONTENT.strategy, instances, { sticky });
    let count = 0;
    for (let key = 0; key < 10_000; key++) {
      if (router.choose({ affinityKey: `k${key}` }).ref === 'shop/pool/i0') count++;
    }
    // A quarter of the weight against a whole one.
    expect(Math.abs(count / 10_000 - 0.2)).toBeLessThan(0.02);
  });

  it('on the hash ring do not move', () => {
    const place = (share: number) => {
      const instances = testInstances(4);
      ramping(instances[0] as TestInstance, share);
      const router = new Router({ name: 'CONSISTENT_HASH', spillPercent: 20 }, instances);
      return Array.from({ length: 500 }, (_, key) => router.choose({ affinityKey: `k${key}` }).ref);
    };
    expect(place(0.1)).toEqual(place(1));
  });
});

it('an explanation tells of a slow start, whether it was passed over or not', () => {
  const slow = ramping(testInstance('pool', 'slow'), 0.4);
  slow.live.meanLatencyMs = 4_000;
  const router = new Router(DEFAULT_POLICY_CONTENT.strategy, [slow, testInstance('pool', 'fast')]);
  const tell = (random: number) =>
    explain(router.table, router.request(), NOW, () => random, 't').candidates.find(
      (each) => each.instance === slow.ref,
    );
  expect(tell(0.59)).toMatchObject({
    kept: false,
    stage: 'STRATEGY',
    reason: 'is in slow start for another 6.0 s, at 40 % of its share, and was passed over by lot',
  });
  expect(tell(0.61)).toMatchObject({
    kept: true,
    reason: 'lower score than the chosen one; is in slow start for another 6.0 s, at 40 % of its share',
    parts: { slowStart: 0.4 },
  });
});

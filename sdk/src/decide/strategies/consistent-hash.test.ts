import { describe, expect, it } from 'vitest';
import { explain } from '../explain.js';
import type { RouteInstance } from '../route-table.js';
import { seeded, type TestInstance, testInstance, testInstances } from './testing.js';
import { NOW, Router } from './testing-router.js';

const HASH = { name: 'CONSISTENT_HASH', spillPercent: 20 } as const;
const KEYS = Array.from({ length: 3000 }, (_, index) => `customer-${index}`);

const mapping = (router: Router): string[] => KEYS.map((affinityKey) => router.choose({ affinityKey }).ref);

function shuffled<T>(list: readonly T[]): T[] {
  const random = seeded(7);
  return list
    .map((one) => ({ one, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ one }) => one);
}

/** The one that a key belongs to, and the table's others. */
function homeOf(instances: readonly TestInstance[], router: Router, affinityKey: string): TestInstance {
  const { ref } = router.choose({ affinityKey });
  const home = instances.find((each) => each.ref === ref);
  if (home === undefined) throw new Error(`${ref} is not among them`);
  return home;
}

// Few are looked at one by one; of many, those that stand next on the ring.
describe.each([10, 100])('CONSISTENT_HASH among %i', (size) => {
  it('sends a key always to the same, whether a ring was worth building yet or not', () => {
    const router = new Router(HASH, testInstances(size));
    const first = mapping(router);
    expect(mapping(router)).toEqual(first);
    expect(new Set(first).size).toBe(size);
  });

  it('spreads keys evenly', () => {
    const counts = new Map<string, number>();
    for (const ref of mapping(new Router(HASH, testInstances(size)))) counts.set(ref, (counts.get(ref) ?? 0) + 1);
    const mean = KEYS.length / size;
    const spread = Math.sqrt([...counts.values()].reduce((sum, count) => sum + (count - mean) ** 2, 0) / size);
    // About 9 % by the ring; the rest is the number of keys.
    expect(spread / mean).toBeLessThan(size === 10 ? 0.15 : 0.25);
  });

  it('keeps the mapping after a restart and in another order of registration', () => {
    const first = mapping(new Router(HASH, testInstances(size)));
    expect(mapping(new Router(HASH, shuffled(testInstances(size)), {}, 99))).toEqual(first);
  });

  it.each(['paused', 'gone'])('moves only the keys of one that is %s, and gives them back', (how) => {
    const instances = testInstances(size);
    const router = new Router(HASH, instances);
    const before = mapping(router);
    const lost = homeOf(instances, router, 'customer-1');
    if (how === 'paused') lost.live.lifecycle = 'PAUSED';
    else router.table.remove(lost.ref);
    const without = mapping(router);
    without.forEach((ref, key) => {
      expect(ref).not.toBe(lost.ref);
      if (before[key] !== lost.ref) expect(ref).toBe(before[key]);
    });
    if (how === 'paused') lost.live.lifecycle = 'READY';
    else router.table.put(testInstance('pool', lost.ref.slice('shop/pool/'.length)));
    expect(mapping(router)).toEqual(before);
  });

  it.each(['1.0.0', '2.0.0'])('gives a new one, of version %s, only its share', (version) => {
    const router = new Router(HASH, testInstances(size));
    const before = mapping(router);
    router.table.put(testInstance('pool', 'new', { version }));
    const moved = mapping(router).filter((ref, key) => ref !== before[key]);
    expect(new Set(moved)).toEqual(new Set(['shop/pool/new']));
    expect(moved.length).toBeLessThan((1.6 * KEYS.length) / (size + 1));
    expect(moved.length).toBeGreaterThan((0.4 * KEYS.length) / (size + 1));
  });

  it('goes on along the ring when the first was tried already', () => {
    const router = new Router(HASH, testInstances(size));
    const first = router.choose({ affinityKey: 'k' }).ref;
    const second = router.choose({ affinityKey: 'k', tried: new Set([first]) }).ref;
    expect(second).not.toBe(first);
    router.table.remove(first);
    expect(router.choose({ affinityKey: 'k' }).ref).toBe(second);
  });
});

describe('CONSISTENT_HASH', () => {
  it.each([undefined, ''])('falls back to the fewest in flight when the key is %j, and says so', (affinityKey) => {
    const instances = testInstances(5);
    for (const { live } of instances) live.inFlight = 2;
    const [first, second] = instances as [TestInstance, TestInstance];
    second.live.inFlight = 1;
    const router = new Router(HASH, instances);
    for (let call = 0; call < 20; call++) expect(router.choose({ affinityKey }).ref).toBe(second.ref);
    first.live.inFlight = 0;
    expect(router.choose({ affinityKey }).ref).toBe(first.ref);
    const explained = explain(router.table, router.request({ affinityKey }), NOW, () => 0, 'v');
    expect(JSON.stringify(explained)).toContain('The call has no affinity key: the fewest in flight decides instead.');
  });

  it('falls back among many too', () => {
    const instances = testInstances(200);
    const router = new Router(HASH, instances);
    for (let call = 0; call < 2000; call++) {
      const chosen: RouteInstance = router.choose();
      chosen.live.inFlight++;
    }
    const counts = instances.map(({ live }) => live.inFlight);
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(8);
    expect(Math.max(...counts)).toBeLessThanOrEqual(12);
  });

  it('maps the same way whatever else the target names', () => {
    const router = new Router(HASH, testInstances(20));
    for (const affinityKey of KEYS.slice(0, 200)) {
      const plain = router.choose({ affinityKey }).ref;
      expect(router.choose({ affinityKey, target: { agent: 'pool', capability: 'q' } }).ref).toBe(plain);
      expect(router.choose({ affinityKey, target: { type: 'shop.agent', capability: 'q' } }).ref).toBe(plain);
    }
  });
});

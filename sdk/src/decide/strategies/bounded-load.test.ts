import { describe, expect, it } from 'vitest';
import { explain } from '../explain.js';
import { type TestInstance, testInstance, testInstances } from './testing.js';
import { NOW, Router } from './testing-router.js';

const HASH = { name: 'CONSISTENT_HASH', spillPercent: 20 } as const;
const KEYS = Array.from({ length: 3000 }, (_, index) => `customer-${index}`);

const mapping = (router: Router): string[] => KEYS.map((affinityKey) => router.choose({ affinityKey }).ref);

/** The one that a key belongs to. */
function homeOf(instances: readonly TestInstance[], router: Router, affinityKey: string): TestInstance {
  const { ref } = router.choose({ affinityKey });
  const home = instances.find((each) => each.ref === ref);
  if (home === undefined) throw new Error(`${ref} is not among them`);
  return home;
}

describe.each([10, 100])('the bound on load, among %i', (size) => {
  it('spills at most a fifth of the choices from an overloaded one, always to its neighbour', () => {
    const instances = testInstances(size);
    const router = new Router(HASH, instances);
    const home = homeOf(instances, router, 'hot');
    home.live.inFlight = 1000;
    const neighbour = router.choose({ affinityKey: 'hot', tried: new Set([home.ref]) }).ref;
    const counts: Record<string, number> = {};
    const chosen: string[] = [];
    for (let call = 0; call < 10_000; call++) {
      const { ref } = router.choose({ affinityKey: 'hot' });
      counts[ref] = (counts[ref] ?? 0) + 1;
      chosen.push(ref);
    }
    expect(Object.keys(counts).sort()).toEqual([home.ref, neighbour].sort());
    expect(counts[neighbour]).toBeLessThanOrEqual(2000);
    expect(counts[neighbour]).toBeGreaterThan(1990);
    // In no stretch of a hundred calls more than that either: nothing is saved up for a burst.
    for (let start = 0; start + 100 <= chosen.length; start += 7) {
      const spilled = chosen.slice(start, start + 100).filter((ref) => ref === neighbour).length;
      expect(spilled).toBeLessThanOrEqual(21);
    }
  });
});

describe('the bound on load', () => {
  it('spills no more than a fifth after a long time without any spill', () => {
    const instances = testInstances(5);
    const router = new Router(HASH, instances);
    mapping(router);
    const home = homeOf(instances, router, 'hot');
    home.live.inFlight = 1000;
    const chosen = Array.from({ length: 100 }, () => router.choose({ affinityKey: 'hot' }).ref);
    expect(chosen.filter((ref) => ref !== home.ref).length).toBeLessThanOrEqual(21);
  });

  it('keeps a key at its place while that has no more than 1.25 times its share, and one more', () => {
    const instances = testInstances(4);
    const router = new Router(HASH, instances, {}, 3);
    const home = homeOf(instances, router, 'k');
    const others = instances.filter((each) => each !== home);
    for (let call = 0; call < 10; call++) router.choose({ affinityKey: 'k' });
    home.live.inFlight = 1;
    expect(router.choose({ affinityKey: 'k' }).ref).toBe(home.ref);
    for (const { live } of others) live.inFlight = 8;
    // The bound is 1.25 · (24 + 12) / 4 + 1 = 12.25, then 1.25 · (24 + 13) / 4 + 1 = 12.56.
    home.live.inFlight = 12;
    expect(router.choose({ affinityKey: 'k' }).ref).toBe(home.ref);
    home.live.inFlight = 13;
    expect(router.choose({ affinityKey: 'k' }).ref).not.toBe(home.ref);
  });

  it('gives a heavy one its share before it counts as overloaded', () => {
    const instances = [testInstance('pool', 'a'), testInstance('pool', 'b', { weight: 300 })] as const;
    const router = new Router(HASH, instances);
    const key = KEYS.find((affinityKey) => router.choose({ affinityKey }).ref === 'shop/pool/b');
    instances[0].live.inFlight = 10;
    instances[1].live.inFlight = 30;
    for (let call = 0; call < 20; call++) expect(router.choose({ affinityKey: key }).ref).toBe('shop/pool/b');
  });

  it('never spills where the policy says 0 %', () => {
    const instances = testInstances(4);
    const router = new Router({ name: 'CONSISTENT_HASH', spillPercent: 0 }, instances);
    const home = homeOf(instances, router, 'hot');
    home.live.inFlight = 1000;
    for (let call = 0; call < 500; call++) expect(router.choose({ affinityKey: 'hot' }).ref).toBe(home.ref);
  });

  it('counts spills for each capability of its own', () => {
    const capabilities = [
      { name: 'p', aliases: [], tags: [], idempotent: true, mode: 'SYNC' },
      { name: 'q', aliases: [], tags: [], idempotent: true, mode: 'SYNC' },
    ] as const;
    const instances = testInstances(4, { capabilities });
    const router = new Router(HASH, instances);
    const home = homeOf(instances, router, 'hot');
    home.live.inFlight = 1000;
    let spilled = 0;
    for (let call = 0; call < 1000; call++) {
      for (let other = 0; other < 9; other++) router.choose({ affinityKey: 'hot', target: { capability: 'p' } });
      if (router.choose({ affinityKey: 'hot' }).ref !== home.ref) spilled++;
    }
    expect(spilled).toBeLessThanOrEqual(200);
    expect(spilled).toBeGreaterThan(190);
  });

  it('explains a spill', () => {
    const instances = testInstances(4);
    const router = new Router(HASH, instances);
    const home = homeOf(instances, router, 'hot');
    mapping(router);
    home.live.inFlight = 1000;
    const explained = explain(router.table, router.request({ affinityKey: 'hot' }), NOW, () => 0, 'v');
    expect(JSON.stringify(explained)).toContain(
      `${home.ref} has 1000 in flight, over its bound of 313.5; the next on the ring that has less took the call.`,
    );
  });
});

import { describe, expect, it } from 'vitest';
import { testInstance, testInstances } from './testing.js';
import { byRef, Router } from './testing-router.js';

const ROUND_ROBIN = { name: 'ROUND_ROBIN' } as const;

describe('ROUND_ROBIN', () => {
  it('goes round: each once before anybody comes twice', () => {
    const router = new Router(ROUND_ROBIN, testInstances(5));
    for (let round = 0; round < 20; round++) {
      const chosen = Array.from({ length: 5 }, () => router.choose().ref);
      expect(new Set(chosen).size).toBe(5);
    }
  });

  it('honours weights to the call', () => {
    const router = new Router(ROUND_ROBIN, [
      testInstance('pool', 'a'),
      testInstance('pool', 'b', { weight: 200 }),
      testInstance('pool', 'c', { weight: 700 }),
    ]);
    const counts = router.count(10_000, byRef);
    expect(Math.abs((counts['shop/pool/a'] ?? 0) - 1000)).toBeLessThanOrEqual(1);
    expect(Math.abs((counts['shop/pool/b'] ?? 0) - 2000)).toBeLessThanOrEqual(1);
    expect(Math.abs((counts['shop/pool/c'] ?? 0) - 7000)).toBeLessThanOrEqual(1);
  });

  it('spreads evenly over more than are looked at', () => {
    const counts = Object.values(new Router(ROUND_ROBIN, testInstances(200)).count(20_000, byRef));
    expect(counts.length).toBe(200);
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(95);
    expect(Math.max(...counts)).toBeLessThanOrEqual(105);
  });

  it('honours weights among more than are looked at', () => {
    const light = testInstances(100);
    const heavy = Array.from({ length: 100 }, (_, index) => testInstance('big', `i${index}`, { weight: 300 }));
    const counts = new Router(ROUND_ROBIN, [...light, ...heavy]).count(40_000, ({ agent }) => agent);
    expect(Math.abs((counts['shop/big'] ?? 0) - 30_000)).toBeLessThan(600);
  });

  it('gives a few heavy ones their share among many light ones', () => {
    const heavy = Array.from({ length: 5 }, (_, index) => testInstance('big', `i${index}`, { weight: 1500 }));
    const counts = new Router(ROUND_ROBIN, [...testInstances(95), ...heavy]).count(17_000, ({ agent }) => agent);
    expect(Math.abs((counts['shop/big'] ?? 0) - 7500)).toBeLessThan(150);
  });

  it('gives a newcomer its turn and no burst', () => {
    const router = new Router(ROUND_ROBIN, testInstances(3));
    router.count(300, byRef);
    router.table.put(testInstance('pool', 'new'));
    const chosen = Array.from({ length: 40 }, () => router.choose().ref);
    expect(chosen.filter((ref) => ref === 'shop/pool/new').length).toBe(10);
    expect(chosen.indexOf('shop/pool/new')).toBe(0);
    expect(chosen.indexOf('shop/pool/new', 1)).toBeGreaterThanOrEqual(3);
  });

  it('gives one that was away no burst either', () => {
    const instances = testInstances(4);
    const router = new Router(ROUND_ROBIN, instances);
    router.count(40, byRef);
    const away = instances[2];
    if (away === undefined) throw new Error('four were made');
    away.live.lifecycle = 'PAUSED';
    expect(router.count(3000, byRef)).toEqual({ 'shop/pool/i0': 1000, 'shop/pool/i1': 1000, 'shop/pool/i3': 1000 });
    away.live.lifecycle = 'READY';
    expect(router.count(40, byRef)).toEqual({
      'shop/pool/i0': 10,
      'shop/pool/i1': 10,
      'shop/pool/i2': 10,
      'shop/pool/i3': 10,
    });
  });

  it('gives a degraded one half as many turns', () => {
    const instances = testInstances(2);
    const router = new Router(ROUND_ROBIN, instances);
    for (const { live } of instances.slice(1)) live.health = 'DEGRADED';
    expect(router.count(300, byRef)).toEqual({ 'shop/pool/i0': 200, 'shop/pool/i1': 100 });
  });

  it('has turns for each capability of its own', () => {
    const both = [
      { name: 'p', aliases: [], tags: [], idempotent: true, mode: 'SYNC' },
      { name: 'q', aliases: ['query'], tags: [], idempotent: true, mode: 'SYNC' },
    ] as const;
    const router = new Router(ROUND_ROBIN, testInstances(2, { capabilities: both }));
    const ofQ: Record<string, number> = {};
    for (let call = 0; call < 100; call++) {
      router.choose({ target: { capability: 'p' } });
      // By name and by alias it is the same capability.
      const { ref } = router.choose({ target: { capability: call % 2 === 0 ? 'q' : 'query' } });
      ofQ[ref] = (ofQ[ref] ?? 0) + 1;
    }
    expect(ofQ).toEqual({ 'shop/pool/i0': 50, 'shop/pool/i1': 50 });
  });

  it('keeps the turns of two groups of callers apart that share an instance', () => {
    const router = new Router(ROUND_ROBIN, [
      ...testInstances(2),
      testInstance('pool', 's0', { zone: 'south' }),
      testInstance('pool', 's1', { zone: 'south' }),
    ]);
    // A thousand calls that stay in the north must not send the next ones all to the south.
    router.count(1000, byRef, { zone: 'north' });
    const counts = router.count(40, byRef);
    expect(counts).toEqual({ 'shop/pool/i0': 10, 'shop/pool/i1': 10, 'shop/pool/s0': 10, 'shop/pool/s1': 10 });
  });
});

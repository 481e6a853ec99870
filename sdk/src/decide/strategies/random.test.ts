import { describe, expect, it } from 'vitest';
import { testInstance, testInstances } from './testing.js';
import { byAgent, byRef, Router } from './testing-router.js';

const RANDOM = { name: 'RANDOM' } as const;

describe('RANDOM', () => {
  it('spreads evenly', () => {
    const counts = Object.values(new Router(RANDOM, testInstances(5)).count(10_000, byRef));
    expect(counts.length).toBe(5);
    for (const count of counts) expect(Math.abs(count - 2000)).toBeLessThan(150);
  });

  it('draws in proportion to weight', () => {
    const router = new Router(RANDOM, [testInstance('a', 'i'), testInstance('b', 'i', { weight: 300 })]);
    const counts = router.count(10_000, byAgent);
    expect(Math.abs((counts['shop/b'] ?? 0) - 7500)).toBeLessThan(200);
  });

  it('counts a degraded one half', () => {
    const instances = testInstances(2);
    for (const { live } of instances.slice(1)) live.health = 'DEGRADED';
    const counts = new Router(RANDOM, instances).count(9000, byRef);
    expect(Math.abs((counts['shop/pool/i0'] ?? 0) - 6000)).toBeLessThan(180);
  });

  it('draws in proportion to weight among many', () => {
    const heavy = Array.from({ length: 100 }, (_, index) => testInstance('big', `i${index}`, { weight: 200 }));
    const counts = new Router(RANDOM, [...testInstances(100), ...heavy]).count(20_000, byAgent);
    expect(Math.abs((counts['shop/big'] ?? 0) - 13_333)).toBeLessThan(400);
  });

  it('draws in proportion among many where one outweighs all, and when only some can be chosen', () => {
    const many = testInstances(198);
    for (const { live } of many.slice(99)) live.lifecycle = 'PAUSED';
    const counts = new Router(RANDOM, [...many, testInstance('big', 'i', { weight: 9900 })]).count(10_000, byAgent);
    expect(Math.abs((counts['shop/big'] ?? 0) - 5000)).toBeLessThan(200);
  });

  it('goes by a changed weight at once', () => {
    const instances = testInstances(100);
    const router = new Router(RANDOM, instances);
    router.count(100, byRef);
    const [first] = instances;
    if (first === undefined) throw new Error('a hundred were made');
    first.weight = 9900;
    router.table.put(first);
    const counts = router.count(10_000, byRef);
    expect(Math.abs((counts[first.ref] ?? 0) - 5000)).toBeLessThan(200);
  });
});

import { describe, expect, it } from 'vitest';
import { AffinityBindings, bindingKey, rendezvous } from './affinity.js';
import { candidateOf, seeded, testInstance, testInstances } from './strategies/testing.js';

describe('bindings', () => {
  it('keep where a key was bound, until it is bound elsewhere', () => {
    const bindings = new AffinityBindings();
    expect(bindings.bound('k', 0)).toBeUndefined();
    bindings.bind('k', 'shop/a/1', '1.0.0', 0);
    bindings.bind('other', 'shop/a/2', '1.0.0', 0);
    expect(bindings.bound('k', 5)).toMatchObject({ ref: 'shop/a/1', version: '1.0.0' });
    bindings.bind('k', 'shop/a/2', '2.0.0', 6);
    expect(bindings.bound('k', 7)).toMatchObject({ ref: 'shop/a/2', version: '2.0.0' });
    expect(bindings.size).toBe(2);
  });

  it('are forgotten ten minutes after their last use', () => {
    const bindings = new AffinityBindings();
    bindings.bind('k', 'shop/a/1', '1.0.0', 0);
    bindings.bind('k', 'shop/a/1', '1.0.0', 300_000);
    expect(bindings.bound('k', 899_999)).toBeDefined();
    expect(bindings.bound('k', 900_000)).toBeUndefined();
    bindings.expire(899_999);
    expect(bindings.size).toBe(1);
    bindings.expire(900_000);
    expect(bindings.size).toBe(0);
  });

  it('of 100,000 one-off keys are gone when they are idle', () => {
    const bindings = new AffinityBindings();
    for (let key = 0; key < 100_000; key++) bindings.bind(`once-${key}`, 'shop/a/1', '1.0.0', key / 100);
    expect(bindings.size).toBe(100_000);
    bindings.expire(601_000);
    expect(bindings.size).toBe(0);
  });

  it('go with the use of others too, when nobody sweeps', () => {
    const bindings = new AffinityBindings();
    for (let key = 0; key < 1000; key++) bindings.bind(`once-${key}`, 'shop/a/1', '1.0.0', 0);
    for (let use = 0; use < 500; use++) bindings.bind('steady', 'shop/a/1', '1.0.0', 700_000 + use);
    expect(bindings.size).toBe(1);
  });

  it('are at most 100,000: the one used least recently goes first', () => {
    const bindings = new AffinityBindings();
    for (let key = 0; key < 100_000; key++) bindings.bind(`k${key}`, 'shop/a/1', '1.0.0', 0);
    bindings.bind('k0', 'shop/a/1', '1.0.0', 1);
    bindings.bind('new', 'shop/a/1', '1.0.0', 2);
    expect(bindings.size).toBe(100_000);
    expect(bindings.bound('k0', 3)).toBeDefined();
    expect(bindings.bound('k1', 3)).toBeUndefined();
    expect(bindings.bound('k2', 3)).toBeDefined();
  });

  it('are asked for without being changed', () => {
    const bindings = new AffinityBindings({ maxKeys: 2, idleMs: 100 });
    bindings.bind('a', 'shop/a/1', '1.0.0', 0);
    bindings.bind('b', 'shop/a/1', '1.0.0', 0);
    for (let time = 0; time < 50; time++) bindings.bound('a', time);
    bindings.bind('c', 'shop/a/1', '1.0.0', 50);
    expect(bindings.bound('a', 50)).toBeUndefined();
  });

  it('of one call key differ by policy, namespace and capability', () => {
    const keys = [
      bindingKey('p', 'shop', 'q', 'k'),
      bindingKey('p2', 'shop', 'q', 'k'),
      bindingKey(null, 'shop', 'q', 'k'),
      bindingKey('p', 'bank', 'q', 'k'),
      bindingKey('p', 'shop', 'other', 'k'),
    ];
    expect(new Set(keys).size).toBe(5);
  });
});

describe('where a key starts', () => {
  const ten = testInstances(10).map(candidateOf);
  const keys = Array.from({ length: 10_000 }, (_, index) => `p shop q user-${index}`);
  const starts = (pool: typeof ten) => keys.map((key) => rendezvous(key, pool)?.instance.ref);

  it('is spread evenly', () => {
    const counts = new Map<string | undefined, number>();
    for (const ref of starts(ten)) counts.set(ref, (counts.get(ref) ?? 0) + 1);
    expect(counts.size).toBe(10);
    for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(100);
  });

  it('is the same in any order, and by copies of the instances', () => {
    const random = seeded(2);
    const shuffled = testInstances(10)
      .map((instance) => ({ instance, key: random() }))
      .sort((a, b) => a.key - b.key)
      .map(({ instance }) => candidateOf(instance));
    expect(starts(shuffled)).toEqual(starts(ten));
  });

  it('changes only for the keys of a lost one', () => {
    const before = starts(ten);
    starts(ten.slice(1)).forEach((ref, key) => {
      if (before[key] !== 'shop/pool/i0') expect(ref).toBe(before[key]);
      else expect(ref).not.toBe('shop/pool/i0');
    });
  });

  it('honours weights', () => {
    const pool = [testInstance('pool', 'light'), testInstance('pool', 'heavy', { weight: 300 })].map(candidateOf);
    const heavy = starts(pool).filter((ref) => ref === 'shop/pool/heavy').length;
    expect(Math.abs(heavy - 7500)).toBeLessThan(150);
    const none = [testInstance('pool', 'off', { weight: 0 })].map(candidateOf);
    expect(rendezvous('k', none)).toBeUndefined();
    expect(rendezvous('k', [])).toBeUndefined();
  });
});

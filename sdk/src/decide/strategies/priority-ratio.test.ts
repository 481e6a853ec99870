import { describe, expect, it } from 'vitest';
import type { AgentRatio } from '../policy.js';
import { type TestInstance, testInstance } from './testing.js';
import { byAgent, Router } from './testing-router.js';

const ratios = (...all: [agent: string, ratio: number][]): AgentRatio[] =>
  all.map(([agent, ratio]) => ({ agent: `shop/${agent}`, ratio }));

const settings = (agents: AgentRatio[], fallback: string[] = []) => ({
  name: 'PRIORITY_RATIO' as const,
  agents,
  fallback: fallback.map((agent) => `shop/${agent}` as const),
});

const THREE = ratios(['a', 70], ['b', 20], ['c', 10]);

function instancesOf(agents: readonly string[], each = 2): TestInstance[] {
  return agents.flatMap((agent) => Array.from({ length: each }, (_, index) => testInstance(agent, `i${index}`)));
}

function pause(instances: readonly TestInstance[], agent: string): void {
  for (const { agent: its, live } of instances) if (its === `shop/${agent}`) live.lifecycle = 'PAUSED';
}

describe('PRIORITY_RATIO', () => {
  it('holds the ratios: over 10,000 choices and in each hundred', () => {
    const router = new Router(settings(THREE), instancesOf(['a', 'b', 'c']));
    for (let hundred = 0; hundred < 100; hundred++) {
      expect(router.count(100, byAgent)).toEqual({ 'shop/a': 70, 'shop/b': 20, 'shop/c': 10 });
    }
  });

  it('mixes the agents well: the one with 70 % never has more than five in a row', () => {
    const router = new Router(settings(THREE), instancesOf(['a', 'b', 'c']));
    const chosen = Array.from({ length: 1000 }, () => router.choose().agent.slice('shop/'.length)).join('');
    expect(Math.max(...(chosen.match(/a+/g) ?? []).map(({ length }) => length))).toBeLessThanOrEqual(5);
  });

  it('holds ratios that are no whole numbers', () => {
    const agents = ratios(['a', 33.4], ['b', 66.6]);
    const counts = new Router(settings(agents), instancesOf(['a', 'b'])).count(10_000, byAgent);
    expect(Math.abs((counts['shop/a'] ?? 0) - 3340)).toBeLessThanOrEqual(1);
  });

  it('holds the ratios among more than are looked at', () => {
    const router = new Router(settings(THREE), instancesOf(['a', 'b', 'c', 'd'], 100));
    expect(router.count(10_000, byAgent)).toEqual({ 'shop/a': 7000, 'shop/b': 2000, 'shop/c': 1000 });
  });

  it('gives ratio 0 nothing of 10,000, and all when those before it have nobody', () => {
    const instances = instancesOf(['a', 'b', 'c']);
    const router = new Router(settings(ratios(['a', 60], ['b', 0], ['c', 40])), instances);
    expect(router.count(10_000, byAgent)).toEqual({ 'shop/a': 6000, 'shop/c': 4000 });
    pause(instances, 'a');
    expect(router.count(1000, byAgent)).toEqual({ 'shop/b': 600, 'shop/c': 400 });
  });

  it('gives the share of one that has nobody to the first of the list that has somebody', () => {
    const instances = instancesOf(['a', 'b', 'c']);
    const router = new Router(settings(THREE), instances);
    pause(instances, 'b');
    expect(router.count(1000, byAgent)).toEqual({ 'shop/a': 900, 'shop/c': 100 });
    pause(instances, 'a');
    expect(router.count(1000, byAgent)).toEqual({ 'shop/c': 1000 });
  });

  it('owes nothing to one that comes back', () => {
    const instances = instancesOf(['a', 'b', 'c']);
    const router = new Router(settings(THREE), instances);
    pause(instances, 'c');
    router.count(1000, byAgent);
    for (const { live } of instances) live.lifecycle = 'READY';
    expect(router.count(100, byAgent)).toEqual({ 'shop/a': 70, 'shop/b': 20, 'shop/c': 10 });
  });

  it.each([2, 100])('falls back in order when nobody of the list is left, with %i instances each', (each) => {
    const instances = instancesOf(['a', 'b', 'x', 'y', 'z'], each);
    const router = new Router(settings(ratios(['a', 50], ['b', 50]), ['x', 'y']), instances);
    expect(router.count(100, byAgent)).toEqual({ 'shop/a': 50, 'shop/b': 50 });
    pause(instances, 'a');
    pause(instances, 'b');
    expect(router.count(100, byAgent)).toEqual({ 'shop/x': 100 });
    pause(instances, 'x');
    expect(router.count(100, byAgent)).toEqual({ 'shop/y': 100 });
    pause(instances, 'y');
    const decision = router.ask();
    expect(decision.outcome).toBe('NO_ROUTE');
  });

  it('within an agent takes the fewest in flight for the weight', () => {
    const instances = [testInstance('a', 'i0'), testInstance('a', 'i1', { weight: 200 }), testInstance('b', 'i0')];
    const router = new Router(settings(ratios(['a', 100])), instances);
    for (let call = 0; call < 300; call++) router.choose().live.inFlight++;
    expect(instances.map(({ live }) => live.inFlight)).toEqual([100, 200, 0]);
  });

  it('counts for each capability of its own', () => {
    const capabilities = [
      { name: 'p', aliases: [], tags: [], idempotent: true, mode: 'SYNC' },
      { name: 'q', aliases: [], tags: [], idempotent: true, mode: 'SYNC' },
    ] as const;
    const router = new Router(settings(ratios(['a', 50], ['b', 50])), [
      testInstance('a', 'i', { capabilities }),
      testInstance('b', 'i', { capabilities }),
    ]);
    const ofQ: Record<string, number> = {};
    for (let call = 0; call < 100; call++) {
      router.choose({ target: { capability: 'p' } });
      const { agent } = router.choose({ target: { capability: 'q' } });
      ofQ[agent] = (ofQ[agent] ?? 0) + 1;
    }
    expect(ofQ).toEqual({ 'shop/a': 50, 'shop/b': 50 });
  });

  it('keeps to the agents that the policy lists beside', () => {
    const router = new Router(settings(ratios(['a', 50], ['b', 50])), instancesOf(['a', 'b'], 100), {
      candidates: ['shop/b'],
    });
    expect(router.count(100, byAgent)).toEqual({ 'shop/b': 100 });
  });

  it('spreads over all instances of an agent', () => {
    const instances = instancesOf(['a', 'b'], 100);
    const router = new Router(settings(ratios(['a', 100])), instances);
    for (let call = 0; call < 1000; call++) router.choose().live.inFlight++;
    const counts = instances.filter(({ agent }) => agent === 'shop/a').map(({ live }) => live.inFlight);
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(7);
    expect(Math.max(...counts)).toBeLessThanOrEqual(13);
  });
});

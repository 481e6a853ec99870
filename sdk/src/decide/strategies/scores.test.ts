import { describe, expect, it } from 'vitest';
import type { StrategySettings } from '../policy.js';
import { strategyOf } from './index.js';
import type { StrategyContext } from './strategy.js';
import { candidateOf, type TestInstance, testInstance } from './testing.js';

interface Given extends Partial<TestInstance> {
  readonly inFlight?: number;
  readonly utilisation?: number;
  readonly meanLatencyMs?: number;
  readonly successRate?: number;
  readonly degraded?: boolean;
}

const context = {
  request: { affinityKey: undefined, caller: 'agent:shop/web' },
  bound: undefined,
  now: { monotonic: 1_000, wall: 0 },
};

/** Score and parts of one instance, as an operator would work them out. */
function of(settings: StrategySettings, given: Given = {}, asked: unknown = context) {
  const { inFlight = 0, utilisation = null, meanLatencyMs = null, successRate = null, degraded, ...fields } = given;
  const instance = testInstance('pool', 'a', { maxConcurrency: 10, ...fields });
  Object.assign(instance.live, { inFlight, utilisation, meanLatencyMs, successRate });
  if (degraded === true) instance.live.health = 'DEGRADED';
  const strategy = strategyOf(settings);
  const candidate = candidateOf(instance);
  return {
    score: strategy.score(candidate, asked as StrategyContext),
    parts: strategy.parts(candidate, asked as StrategyContext),
  };
}

describe('LEAST_IN_FLIGHT', () => {
  const settings: StrategySettings = { name: 'LEAST_IN_FLIGHT' };
  it('counts attempts for the weight, the next one included', () => {
    expect(of(settings, { inFlight: 3 }).score).toBe(-4);
    expect(of(settings, { inFlight: 3, weight: 200 }).score).toBe(-2);
    expect(of(settings, { inFlight: 3, degraded: true }).score).toBe(-8);
  });
});

describe('LEAST_LOAD', () => {
  const settings: StrategySettings = { name: 'LEAST_LOAD' };
  it('goes by what is reported or counted, whichever is more, with the next call', () => {
    expect(of(settings).score).toBeCloseTo(-0.1);
    expect(of(settings, { inFlight: 3 }).score).toBeCloseTo(-0.4);
    expect(of(settings, { inFlight: 3, utilisation: 0.5 }).score).toBeCloseTo(-0.6);
    expect(of(settings, { inFlight: 6, utilisation: 0.5 }).score).toBeCloseTo(-0.7);
    expect(of(settings, { inFlight: 3, maxConcurrency: 100 }).score).toBeCloseTo(-0.04);
  });
  it('by weight and health', () => {
    expect(of(settings, { inFlight: 3, weight: 200 }).score).toBeCloseTo(-0.2);
    expect(of(settings, { inFlight: 3, degraded: true }).score).toBeCloseTo(-0.8);
    expect(of(settings, { inFlight: 3 }).parts).toEqual({ load: 0.3, thisCall: 0.1, weight: 100, healthFactor: 1 });
  });
});

describe('QUALITY', () => {
  const quality = { base: 100, successWeight: 60, latencyWeight: 40, latencyBoundMs: 5000 };
  const settings: StrategySettings = { name: 'QUALITY', quality };
  it('is 100 + 60 · success rate − 40 · latency / 5 s', () => {
    expect(of(settings).score).toBeCloseTo(160, 2);
    expect(of(settings, { successRate: 0.5, meanLatencyMs: 2500 }).score).toBeCloseTo(110, 2);
    expect(of(settings, { successRate: 0, meanLatencyMs: 60_000 }).score).toBeCloseTo(60, 2);
    expect(of(settings, { successRate: 0.5, degraded: true }).score).toBeCloseTo(65, 2);
  });
  it('puts the less busy of equals ahead, by less than a thousandth', () => {
    const idle = of(settings).score;
    const busy = of(settings, { inFlight: 50_000 }).score;
    expect(idle).toBeGreaterThan(busy);
    expect(idle - busy).toBeLessThan(0.001);
    expect(of(settings, { weight: 200 }).score).toBeGreaterThan(idle);
  });
  it('leaves a degraded one behind even below zero', () => {
    const low: StrategySettings = { name: 'QUALITY', quality: { ...quality, base: -100 } };
    expect(of(low, { degraded: true }).score).toBeLessThan(of(low).score);
  });
  it('shows its parts', () => {
    const { parts } = of(settings, { successRate: 0.5, meanLatencyMs: 2500 });
    expect(parts).toMatchObject({ base: 100, success: 30, latency: -20, healthFactor: 1 });
  });
});

describe('WEIGHTED_SCORE', () => {
  const weights = { load: 0.4, latency: 0.3, affinity: 0.3 };
  const settings: StrategySettings = { name: 'WEIGHTED_SCORE', weights };
  const keyed = (bound: string | undefined) => ({
    ...context,
    request: { affinityKey: 'k', caller: 'agent:shop/web' },
    bound,
  });
  it('adds up room, speed and affinity', () => {
    expect(of(settings).score).toBeCloseTo(1);
    expect(of(settings, { inFlight: 5, meanLatencyMs: 2500 }).score).toBeCloseTo(0.65);
    expect(of(settings, { inFlight: 5, degraded: true }).score).toBeCloseTo(0.4);
  });
  it('counts affinity for the instance that the key is bound to and for no other', () => {
    expect(of(settings, {}, keyed('shop/pool/a')).score).toBeCloseTo(1);
    expect(of(settings, {}, keyed('shop/pool/b')).score).toBeCloseTo(0.7);
    expect(of(settings, {}, keyed('shop/pool/b')).parts).toMatchObject({ affinity: 0 });
  });
  it('without a key, or with an empty one, goes by what the caller lived through', () => {
    const empty = { ...context, request: { affinityKey: '', caller: 'agent:shop/web' } };
    expect(of(settings, {}, empty).score).toBeCloseTo(1);
    const instance = testInstance('pool', 'a', { maxConcurrency: 10 });
    instance.live.callerHistory.set('agent:shop/web', 0.5);
    const strategy = strategyOf(settings);
    expect(strategy.score(candidateOf(instance), empty as unknown as StrategyContext)).toBeCloseTo(0.85);
    const other = { ...context, request: { affinityKey: undefined, caller: 'agent:shop/app' } };
    expect(strategy.score(candidateOf(instance), other as unknown as StrategyContext)).toBeCloseTo(1);
  });
});

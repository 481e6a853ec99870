import { seededRandom } from '@agent-reach/sdk/decide';
import { describe, expect, it } from 'vitest';
import { TestClock } from '../../perceive/testing.js';
import { RateLimits } from './rate-limits.js';

const THREE_A_MINUTE = { calls: 3, windowMs: 60_000 };

function limitsAt(bounds?: { maxKeys: number; maxTimes: number }) {
  const clock = new TestClock();
  return { clock, limits: bounds === undefined ? new RateLimits(clock) : new RateLimits(clock, bounds) };
}

const admitted = (limits: RateLimits, tries: number, limit = THREE_A_MINUTE, key = 'agent:shop/orders p1') =>
  Array.from({ length: tries }, () => limits.charge(key, limit)).filter((answer) => answer === undefined).length;

describe('three a minute', () => {
  it('admits exactly three of ten at once, and tells the others when the next will be', () => {
    const { limits } = limitsAt();
    const answers = Array.from({ length: 10 }, () => limits.charge('agent:shop/orders p1', THREE_A_MINUTE));
    expect(answers).toEqual([undefined, undefined, undefined, ...Array(7).fill(60_000)]);
  });

  it('admits the next when the oldest has left the window, not before', () => {
    const { clock, limits } = limitsAt();
    limits.charge('a', THREE_A_MINUTE);
    clock.advance(20_000);
    expect(admitted(limits, 5, THREE_A_MINUTE, 'a')).toBe(2);
    clock.advance(39_999);
    expect(limits.charge('a', THREE_A_MINUTE)).toBe(1);
    clock.advance(1);
    expect(limits.charge('a', THREE_A_MINUTE)).toBeUndefined();
    expect(limits.charge('a', THREE_A_MINUTE)).toBe(20_000);
  });

  it('does not charge what it refuses', () => {
    const { clock, limits } = limitsAt();
    admitted(limits, 1_000);
    clock.advance(60_000);
    expect(admitted(limits, 10)).toBe(3);
  });

  it('keeps keys apart', () => {
    const { limits } = limitsAt();
    expect(admitted(limits, 10, THREE_A_MINUTE, 'agent:shop/orders p1')).toBe(3);
    expect(admitted(limits, 10, THREE_A_MINUTE, 'agent:shop/stock p1')).toBe(3);
  });
});

describe('a limit that is changed', () => {
  it('counts what was charged under the old one: lowered, raised, raised far', () => {
    const { clock, limits } = limitsAt();
    expect(admitted(limits, 10, { calls: 5, windowMs: 60_000 })).toBe(5);
    clock.advance(1_000);
    expect(limits.charge('agent:shop/orders p1', { calls: 2, windowMs: 60_000 })).toBe(59_000);
    expect(admitted(limits, 10, { calls: 7, windowMs: 60_000 })).toBe(2);
    expect(admitted(limits, 5_000, { calls: 1_000, windowMs: 60_000 })).toBe(993);
    expect(admitted(limits, 10, { calls: 1_000, windowMs: 60_000 })).toBe(0);
  });

  it('to a longer window counts the charges that had left the shorter one', () => {
    const { clock, limits } = limitsAt();
    for (let call = 0; call < 3; call++) {
      clock.advance(2_000);
      expect(admitted(limits, 1, { calls: 1, windowMs: 1_000 })).toBe(1);
    }
    expect(limits.charge('agent:shop/orders p1', THREE_A_MINUTE)).toBe(56_000);
  });

  it('to a shorter window forgives at once', () => {
    const { clock, limits } = limitsAt();
    admitted(limits, 3);
    clock.advance(1_000);
    expect(admitted(limits, 10, { calls: 3, windowMs: 1_000 })).toBe(3);
  });
});

it('agrees with a plain list of times, whatever comes when', () => {
  for (let seed = 1; seed <= 50; seed++) {
    const random = seededRandom(seed);
    const { clock, limits } = limitsAt();
    const limit = { calls: 1 + Math.floor(random() * 40), windowMs: 1_000 + Math.floor(random() * 9_000) };
    let charged: number[] = [];
    for (let step = 0; step < 400; step++) {
      clock.advance(Math.floor(random() * ((2 * limit.windowMs) / limit.calls)) * (random() < 0.5 ? 0 : 1));
      const now = clock.monotonic();
      charged = charged.filter((at) => now - at < limit.windowMs);
      const expected = charged.length < limit.calls ? undefined : (charged[0] ?? 0) + limit.windowMs - now;
      if (expected === undefined) charged.push(now);
      expect(limits.charge('a', limit)).toBe(expected);
    }
  }
});

describe('memory', () => {
  it('is freed for keys whose charges are over', () => {
    const { clock, limits } = limitsAt();
    admitted(limits, 1, { calls: 3, windowMs: 3_600_000 }, 'an hour');
    for (let key = 0; key < 100; key++) admitted(limits, 3, THREE_A_MINUTE, `minute ${key}`);
    clock.advance(59_999);
    limits.expire();
    expect(limits.size).toBe(101);
    clock.advance(1);
    limits.expire();
    expect(limits.size).toBe(1);
    expect(admitted(limits, 10, { calls: 3, windowMs: 3_600_000 }, 'an hour')).toBe(2);
  });

  it('is bounded in keys: who was not asked for longest begins anew, who is refused is remembered', () => {
    const { limits } = limitsAt({ maxKeys: 3, maxTimes: 1_000 });
    for (const key of ['a', 'b', 'c']) admitted(limits, 3, THREE_A_MINUTE, key);
    expect(admitted(limits, 1, THREE_A_MINUTE, 'a')).toBe(0);
    admitted(limits, 1, THREE_A_MINUTE, 'd');
    expect(limits.size).toBe(3);
    expect(['a', 'c', 'd', 'b'].map((key) => admitted(limits, 10, THREE_A_MINUTE, key))).toEqual([0, 0, 2, 3]);
  });

  it('is bounded in remembered charges, except for the key that is charged', () => {
    const { limits } = limitsAt({ maxKeys: 100, maxTimes: 64 });
    for (let key = 0; key < 8; key++) admitted(limits, 3, THREE_A_MINUTE, `small ${key}`);
    expect(limits.size).toBe(8);
    expect(admitted(limits, 500, { calls: 200, windowMs: 60_000 }, 'large')).toBe(200);
    expect(limits.size).toBe(1);
  });
});

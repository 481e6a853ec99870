import type { RecordedDecision } from '@agent-reach/sdk/decide';
import { describe, expect, it } from 'vitest';
import { RecentCalls } from './recent-calls.js';

/** As much of a recorded decision as the ring looks at. */
function recorded(requestId: string, namespace = 'shop', more: object = {}): RecordedDecision {
  return { request: { requestId, namespace }, ...more } as unknown as RecordedDecision;
}

/** Numbers from a fixed sequence, in [0, 1). */
function draws(): () => number {
  let state = 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

const idsOf = (calls: readonly { readonly text: string }[]): string[] =>
  calls.map(({ text }) => (JSON.parse(text) as RecordedDecision).request.requestId);

/** Offers calls one after the other, each `stepMs` after the one before; answers how many were recorded. */
function offer(ring: RecentCalls, count: number, stepMs: number, from = 0): number {
  let taken = 0;
  for (let index = 0; index < count; index += 1) {
    const wall = from + index * stepMs;
    if (!ring.wants(wall)) continue;
    taken += 1;
    ring.add(recorded(String(index)), wall);
  }
  return taken;
}

describe('RecentCalls', () => {
  it('keeps every call while there is room, in their order, by namespace', () => {
    const ring = new RecentCalls();
    ring.add(recorded('1'), 10);
    ring.add(recorded('2', 'bank'), 20);
    ring.add(recorded('3'), 30);
    expect(idsOf(ring.snapshot('shop', 40))).toEqual(['1', '3']);
    expect(idsOf(ring.snapshot('bank', 40))).toEqual(['2']);
    expect(ring.snapshot('elsewhere', 40)).toEqual([]);
    expect(ring.snapshot('shop', 40)[1]?.wall).toBe(30);
  });

  it('holds 10,000 calls at most: at the 10,001st half of them go, and every second call is recorded then', () => {
    const ring = new RecentCalls({ random: draws() });
    expect(offer(ring, 10_000, 10)).toBe(10_000);
    expect([ring.size, ring.every]).toEqual([10_000, 1]);
    expect(ring.wants(100_000)).toBe(true);
    ring.add(recorded('10001st'), 100_000);
    expect([ring.size, ring.every]).toEqual([5_001, 2]);
    expect(offer(ring, 1_000, 10, 110_000)).toBe(500);
    expect(ring.size).toBe(5_501);
  });

  it('stays an even sample of everything, however many calls there were', () => {
    const ring = new RecentCalls({ maxCalls: 1_000, random: draws() });
    offer(ring, 200_000, 10);
    expect(ring.size).toBeGreaterThan(499);
    expect(ring.size).toBeLessThanOrEqual(1_000);
    const walls = ring.snapshot('shop', 2_000_000).map(({ wall }) => wall);
    const quarters = [0, 1, 2, 3].map(
      (quarter) => walls.filter((wall) => Math.floor(wall / 500_000) === quarter).length,
    );
    for (const count of quarters) expect(Math.abs(count / walls.length - 0.25)).toBeLessThan(0.03);
  });

  it('sees both of two callers that take turns', () => {
    const ring = new RecentCalls({ maxCalls: 100, random: draws() });
    offer(ring, 10_000, 10);
    const even = idsOf(ring.snapshot('shop', 100_000)).filter((id) => Number(id) % 2 === 0).length;
    expect(even / ring.size).toBeGreaterThan(0.3);
    expect(even / ring.size).toBeLessThan(0.7);
  });

  it('forgets what is older than an hour, and records more densely again when little is left', () => {
    const ring = new RecentCalls({ maxCalls: 100, random: draws() });
    offer(ring, 1_000, 1_000);
    expect(ring.every).toBe(16);
    const hour = 3_600_000;
    expect(ring.snapshot('shop', hour + 500_000).every(({ wall }) => wall > 500_000)).toBe(true);
    ring.expire(hour + 998_000);
    expect(ring.size).toBe(0);
    expect([ring.every, ring.bytes]).toEqual([1, 0]);
    expect(ring.wants(hour + 998_000)).toBe(true);
  });

  it('holds as much memory as it may, whatever the calls are like', () => {
    const ring = new RecentCalls({ maxBytes: 100_000, random: draws() });
    for (let index = 0; index < 2_000; index += 1) {
      if (!ring.wants(index * 10)) continue;
      ring.add(recorded(String(index), 'shop', { candidates: 'x'.repeat(5_000) }), index * 10);
      expect(ring.bytes).toBeLessThanOrEqual(100_000);
    }
    expect(ring.size).toBeGreaterThan(9);
    expect(ring.size).toBeLessThan(20);
  });

  it('counts two bytes for each character of a text that is not Latin', () => {
    const ring = new RecentCalls();
    ring.add(recorded('1', 'shop', { text: 'a'.repeat(1_000) }), 1);
    const latin = ring.bytes;
    ring.add(recorded('1', 'shop', { text: '查'.repeat(1_000) }), 1);
    expect(ring.bytes - latin).toBeGreaterThan(2_000);
  });

  it('leaves aside a call that is larger than everything', () => {
    const ring = new RecentCalls({ maxBytes: 1_000 });
    ring.add(recorded('small'), 1);
    ring.add(recorded('large', 'shop', { text: 'x'.repeat(1_000) }), 1);
    expect(idsOf(ring.snapshot('shop', 1))).toEqual(['small']);
  });
});

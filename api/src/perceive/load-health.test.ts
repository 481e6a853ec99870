import { describe, expect, it } from 'vitest';
import { DWELL_MS, LoadHealth } from './load-health.js';

/** Feeds readings one after the other, each held for so many ms with a look every 250 ms, and tells what it came to. */
function changes(readings: readonly (readonly [utilisation: number, heldMs: number])[], health = new LoadHealth()) {
  const told: string[] = [];
  let now = 0;
  for (const [utilisation, heldMs] of readings) {
    for (const end = now + heldMs; now <= end; now += 250) {
      const change = health.observe(utilisation, now);
      if (change !== undefined) told.push(`${now} ${change.state}: ${change.reason}`);
    }
  }
  return told;
}

describe('health from load', () => {
  it.each([
    [0, []],
    [0.6, []],
    [0.7, []],
    [0.71, ['2000 DEGRADED: utilisation 0.71 over 0.7']],
    [0.9, ['2000 DEGRADED: utilisation 0.90 over 0.7']],
    [0.91, ['2000 DEGRADED: utilisation 0.91 over 0.9: saturated, gets calls only when nobody else has room']],
    [1, ['2000 DEGRADED: utilisation 1.00 over 0.9: saturated, gets calls only when nobody else has room']],
  ])('of %d that holds', (utilisation, expected) => {
    expect(changes([[utilisation, 10_000]])).toEqual(expected);
  });

  it.each([
    [0.65, []],
    [0.6, []],
    [0.59, ['7250 HEALTHY: utilisation 0.59 back under 0.6']],
  ])('of a degraded one that goes down to %d', (utilisation, expected) => {
    expect(
      changes([
        [0.8, 5_000],
        [utilisation, 10_000],
      ]).slice(1),
    ).toEqual(expected);
  });

  it('of a saturated one says when it is only loaded again, and when that is between the limits', () => {
    const saturated = [0.95, 4_000] as const;
    expect(changes([saturated, [0.8, 4_000]]).at(-1)).toBe('6250 DEGRADED: utilisation 0.80 over 0.7');
    expect(changes([saturated, [0.65, 4_000]]).at(-1)).toBe('6250 DEGRADED: utilisation 0.65, not under 0.6 yet');
  });

  it('goes by the nearest state that a dwell of readings on the way agrees to', () => {
    expect(
      changes([
        [0.8, 500],
        [0.95, 500],
        [0.8, 500],
        [0.95, 10_000],
      ]),
    ).toEqual([
      '2000 DEGRADED: utilisation 0.80 over 0.7',
      '4250 DEGRADED: utilisation 0.95 over 0.9: saturated, gets calls only when nobody else has room',
    ]);
  });

  it('does not care for a reading that flaps faster than the dwell, and follows it when it settles', () => {
    const flapping = Array.from({ length: 400 }, (_, index) => [index % 2 === 0 ? 0.99 : 0.1, 250] as const);
    expect(changes(flapping)).toEqual([]);
    expect(changes([...flapping, [0.99, 5_000]])).toHaveLength(1);
  });

  it('makes at most one change in a dwell, whatever is reported', () => {
    const health = new LoadHealth();
    const flapping = Array.from({ length: 100 }, (_, index) => [[0.99, 0.1, 0.8][index % 3] ?? 0, 2_500] as const);
    const at = changes(flapping, health).map((change) => Number.parseInt(change, 10));
    expect(at.length).toBeGreaterThan(10);
    for (const [index, time] of at.entries()) {
      if (index > 0) expect(time - (at[index - 1] ?? 0)).toBeGreaterThanOrEqual(DWELL_MS);
    }
  });

  it('does not count the time in which nobody reported', () => {
    const health = new LoadHealth();
    health.observe(0.95, 0);
    health.interrupt();
    expect(health.observe(0.95, 60_000)).toBeUndefined();
    expect(health.observe(0.95, 62_000)?.state).toBe('DEGRADED');
  });
});

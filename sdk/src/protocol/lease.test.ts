import { describe, expect, it } from 'vitest';
import { leaseFaults } from './lease.js';

describe('a lease', () => {
  it.each(['REALTIME', 'STANDARD', 'BATCH'])('may be %s', (lease) => {
    expect(leaseFaults(lease)).toEqual([]);
    expect(leaseFaults(lease, 300_000)).toEqual([]);
  });

  it.each([
    [1_000, 3_000, 0],
    [600_000, 3_600_000, 0],
    [2_000, 10_000, 5_000],
    [4_000, 12_000, 5_000],
  ])('may be of %i and %i ms where the network takes %i ms to recover', (intervalMs, ttlMs, networkRecoveryMs) => {
    expect(leaseFaults({ intervalMs, ttlMs }, networkRecoveryMs)).toEqual([]);
  });

  it.each([
    ['FAST', 'lease', '"FAST"', 'REALTIME, STANDARD, BATCH, or { intervalMs, ttlMs }'],
    ['toString', 'lease', '"toString"', 'REALTIME, STANDARD, BATCH, or { intervalMs, ttlMs }'],
    [5_000, 'lease', '5000', 'REALTIME, STANDARD, BATCH, or { intervalMs, ttlMs }'],
    [{ intervalMs: 999, ttlMs: 9_000 }, 'lease.intervalMs', '999', 'a whole number from 1000 to 600000'],
    [{ intervalMs: 1_000.5, ttlMs: 9_000 }, 'lease.intervalMs', '1000.5', 'a whole number from 1000 to 600000'],
    [
      { intervalMs: 2_000, ttlMs: 5_999 },
      'lease.ttlMs',
      '5999',
      'a whole number from 6000 (three times intervalMs) to 3600000',
    ],
    [
      { intervalMs: 2_000, ttlMs: 3_600_001 },
      'lease.ttlMs',
      '3600001',
      'a whole number from 6000 (three times intervalMs) to 3600000',
    ],
    [{ intervalMs: 2_000 }, 'lease.ttlMs', 'nothing', 'a whole number from 6000 (three times intervalMs) to 3600000'],
    [{ intervalMs: 2_000, ttlMs: 9_000, graceMs: 1 }, 'lease.graceMs', 'an unknown field', 'intervalMs, ttlMs'],
  ])('may not be %j', (lease, path, got, allowed) => {
    expect(leaseFaults(lease)).toEqual([{ path, got, allowed }]);
  });

  it('must outlast the recovery of the network twice', () => {
    expect(leaseFaults({ intervalMs: 2_000, ttlMs: 9_999 }, 5_000)).toEqual([
      {
        path: 'lease.ttlMs',
        got: '9999',
        allowed: "a whole number from 10000 (twice the network's recovery time) to 3600000",
      },
    ]);
  });

  it('names all its faults at once', () => {
    expect(leaseFaults({ intervalMs: 0, ttlMs: 0 }).map(({ path }) => path)).toEqual([
      'lease.intervalMs',
      'lease.ttlMs',
    ]);
  });
});

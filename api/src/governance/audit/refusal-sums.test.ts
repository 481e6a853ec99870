import type { AuditRecord } from '@agent-reach/sdk/protocol';
import { describe, expect, it } from 'vitest';
import { RefusalSums } from './refusal-sums.js';

function setUp() {
  const records: AuditRecord[] = [];
  const clock = { now: Date.parse('2026-03-01T10:00:10.000Z') };
  const sums = new RefusalSums({ record: (entry) => records.push(entry) }, { now: () => clock.now });
  return { records, clock, sums };
}

describe('RefusalSums', () => {
  it('writes one record for each source, code and minute', () => {
    const { records, clock, sums } = setUp();
    for (let n = 0; n < 1_000; n += 1) sums.count('10.0.0.1', 'UNAUTHENTICATED');
    sums.count('10.0.0.2', 'INVALID_FRAME');
    clock.now += 30_000;
    sums.count('10.0.0.1', 'UNAUTHENTICATED');
    sums.tick();
    expect(records).toEqual([]);
    clock.now += 30_000;
    sums.tick();
    expect(records.map(({ action, target, details }) => [action, target, details])).toEqual([
      [
        'refusal.UNAUTHENTICATED',
        '10.0.0.1',
        { source: '10.0.0.1', count: 1001, firstAt: '2026-03-01T10:00:10.000Z', lastAt: '2026-03-01T10:00:40.000Z' },
      ],
      [
        'refusal.INVALID_FRAME',
        '10.0.0.2',
        { source: '10.0.0.2', count: 1, firstAt: '2026-03-01T10:00:10.000Z', lastAt: '2026-03-01T10:00:10.000Z' },
      ],
    ]);
  });

  it('begins anew each minute and writes the rest when it is closed', () => {
    const { records, clock, sums } = setUp();
    sums.count('a', 'UNAUTHENTICATED');
    clock.now += 60_000;
    sums.count('a', 'UNAUTHENTICATED');
    sums.close();
    expect(records.map((record) => record.details.count)).toEqual([1, 1]);
  });

  it('keeps its memory bounded under many sources', () => {
    const { records, sums } = setUp();
    for (let n = 0; n < 5_000; n += 1) sums.count(`source ${n}`, 'UNAUTHENTICATED');
    sums.close();
    expect(records.length).toBe(1_001);
    expect(records.at(-1)).toMatchObject({ target: 'others', details: { count: 4_000 } });
  });
});

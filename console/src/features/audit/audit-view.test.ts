import { expect, test } from 'vitest';
import { readAuditFilter } from './audit-view';

const NOW = Date.parse('2026-03-01T12:00:00.000Z');

const url = (query: string) => {
  const params = new URLSearchParams(query);
  return {
    get: (name: string) => params.get(name) ?? undefined,
    list: (name: string) => (params.get(name) ?? '').split(','),
  };
};

test('without anything the last 24 hours are asked for', () => {
  expect(readAuditFilter(url(''), NOW)).toEqual({ from: '2026-02-28T12:00:00.000Z' });
});

test('a custom range replaces the preset', () => {
  expect(readAuditFilter(url('range=1h&from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z'), NOW)).toEqual({
    from: '2026-01-01T00:00:00.000Z',
    to: '2026-01-02T00:00:00.000Z',
  });
});

test('a request is looked for at all times, unless a range is given', () => {
  expect(readAuditFilter(url('request=r-1'), NOW)).toEqual({ requestId: 'r-1' });
});

test('unknown kinds and times are left out', () => {
  expect(readAuditFilter(url('range=all&kind=CALL,NONSENSE&from=yesterday&outcome=FAILED'), NOW)).toEqual({
    kinds: ['CALL'],
    outcome: 'FAILED',
  });
});

import { expect, test } from 'vitest';
import { ago, duration } from './format';

test.each([
  [0.42, '0.4 ms'],
  [2, '2 ms'],
  [52.4, '52 ms'],
  [2_500, '2.5 s'],
  [80_000, '1 min 20 s'],
  [600_000, '10 min'],
  [5_400_000, '1 h 30 min'],
])('%d ms reads %s', (ms, text) => {
  expect(duration(ms)).toBe(text);
});

test('an age is rough', () => {
  const now = Date.parse('2026-03-01T12:00:00.000Z');
  expect(ago('2026-03-01T11:59:58.000Z', now)).toBe('now');
  expect(ago('2026-03-01T11:59:20.000Z', now)).toBe('40 s ago');
  expect(ago('2026-03-01T09:00:00.000Z', now)).toBe('3 h ago');
  expect(ago('2026-02-17T12:00:00.000Z', now)).toBe('12 d ago');
});

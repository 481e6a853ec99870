import { expect, test } from 'vitest';
import { backoffMs } from './backoff.js';

test('doubles up to the cap and spreads over the whole range', () => {
  const options = { baseMs: 200, capMs: 5000 };
  expect([0, 1, 2, 5, 1000].map((failures) => backoffMs(failures, options, 1))).toEqual([200, 400, 800, 5000, 5000]);
  expect(backoffMs(3, options, 0.5)).toBe(800);
  expect(backoffMs(3, options, 0)).toBe(0);
});

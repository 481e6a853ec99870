import { expect, it } from 'vitest';
import { SlidingCount } from './sliding-count.js';

it('forgets tenth by tenth what is older than its window', () => {
  const count = new SlidingCount(10_000);
  for (let second = 0; second < 10; second++) count.add(1_000_000 + second * 1_000);
  expect(count.total(1_009_999)).toBe(10);
  expect(count.total(1_010_000)).toBe(9);
  expect(count.total(1_014_500)).toBe(5);
  count.add(1_014_500);
  expect(count.total(1_018_999)).toBe(2);
  expect(count.total(1_024_499)).toBe(0);
});

it('forgets all after a long silence, and begins anew', () => {
  const count = new SlidingCount(10_000);
  for (let call = 0; call < 7; call++) count.add(50);
  expect(count.total(90_000_000)).toBe(0);
  count.add(90_000_000);
  expect(count.total(90_000_001)).toBe(1);
});

it('sums amounts', () => {
  const sum = new SlidingCount(10_000);
  sum.add(1_000_000, 250);
  sum.add(1_001_000, 500);
  expect(sum.total(1_009_999)).toBe(750);
  expect(sum.total(1_010_000)).toBe(500);
});

import { expect, test } from 'vitest';
import { evenly, moved, ratioRows, ratioSum } from './ratios';

const rows = [
  { agent: 'shop/a', ratio: 10 },
  { agent: 'shop/b', ratio: 20 },
  { agent: 'shop/c', ratio: 70 },
];

test('reads the rows, and an empty field for what is no agent or no number', () => {
  expect(ratioRows({ strategy: { agents: [rows[0], { agent: 3 }, null] } })).toEqual([
    rows[0],
    { agent: '', ratio: '' },
    { agent: '', ratio: '' },
  ]);
  expect(ratioRows({ strategy: { name: 'RANDOM' } })).toEqual([]);
});

test('sums without binary dust', () => {
  expect(
    ratioSum([
      { agent: 'a', ratio: 0.1 },
      { agent: 'b', ratio: 0.2 },
      { agent: 'c', ratio: '' },
    ]),
  ).toBe(0.3);
});

test('shares out evenly in whole percents', () => {
  expect(evenly(rows).map(({ ratio }) => ratio)).toEqual([34, 33, 33]);
});

test('moves a row within the list only', () => {
  expect(moved(rows, 2, -1).map(({ agent }) => agent)).toEqual(['shop/a', 'shop/c', 'shop/b']);
  expect(moved(rows, 0, -1)).toBe(rows);
});

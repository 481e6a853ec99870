import { expect, test } from 'vitest';
import { movesBy } from './moves';

const ok = { fromOutcome: 'OK', toOutcome: 'OK' };
const moves = [
  { from: 's/a', fromInstance: 's/a/1', to: 's/b', toInstance: 's/b/1', calls: 2, ...ok },
  { from: 's/a', fromInstance: 's/a/2', to: 's/b', toInstance: 's/b/1', calls: 5, ...ok },
  {
    from: 's/a',
    fromInstance: 's/a/1',
    to: null,
    toInstance: null,
    calls: 6,
    fromOutcome: 'OK',
    toOutcome: 'NO_ROUTE',
  },
];

test('sums by agent', () => {
  expect(movesBy('AGENT', moves)).toEqual([
    { from: { who: 's/a' }, to: { who: 's/b' }, calls: 7 },
    { from: { who: 's/a' }, to: { outcome: 'NO_ROUTE' }, calls: 6 },
  ]);
});

test('keeps instances apart when they are asked for', () => {
  expect(movesBy('INSTANCE', moves)).toEqual([
    { from: { who: 's/a/1' }, to: { outcome: 'NO_ROUTE' }, calls: 6 },
    { from: { who: 's/a/2' }, to: { who: 's/b/1' }, calls: 5 },
    { from: { who: 's/a/1' }, to: { who: 's/b/1' }, calls: 2 },
  ]);
});

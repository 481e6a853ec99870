import { expect, test } from 'vitest';
import { differences, sameJson } from './diff';

test('names each changed place by its path', () => {
  expect(
    differences(
      { timeoutMs: 5000, strategy: { name: 'WEIGHTED_SCORE', weights: { load: 0.4 } }, tags: ['a'] },
      { timeoutMs: 2500, strategy: { name: 'LEAST_IN_FLIGHT' }, tags: ['a', 'b'] },
    ),
  ).toEqual([
    { path: 'timeoutMs', before: 5000, after: 2500 },
    { path: 'strategy.name', before: 'WEIGHTED_SCORE', after: 'LEAST_IN_FLIGHT' },
    { path: 'strategy.weights', before: { load: 0.4 }, after: undefined },
    { path: 'tags', before: ['a'], after: ['a', 'b'] },
  ]);
});

test('a value that appeared or went is one difference at the root', () => {
  expect(differences(null, { a: 1 })).toEqual([{ path: '', before: null, after: { a: 1 } }]);
});

test('the order of keys does not matter', () => {
  expect(sameJson({ a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 })).toBe(true);
});

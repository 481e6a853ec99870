import { expect, test } from 'vitest';
import { clashes, rebase } from './rebase';

const base = {
  priority: 0,
  retry: { maxRetries: 2, baseMs: 300 },
  strategy: { name: 'WEIGHTED_SCORE', weights: { load: 0.4, latency: 0.3 } },
};

test('changes of different fields are both kept', () => {
  const mine = { ...base, retry: { maxRetries: 5, baseMs: 300 } };
  const theirs = { ...base, priority: 7, retry: { maxRetries: 2, baseMs: 100 } };
  expect(rebase(base, mine, theirs)).toEqual({ ...base, priority: 7, retry: { maxRetries: 5, baseMs: 100 } });
  expect(clashes(base, mine, theirs)).toEqual([]);
});

test('of a field that both changed mine is taken, and it is named', () => {
  const mine = { ...base, retry: { maxRetries: 5, baseMs: 300 } };
  const theirs = { ...base, retry: { maxRetries: 9, baseMs: 300 } };
  expect(rebase(base, mine, theirs)).toEqual(mine);
  expect(clashes(base, mine, theirs)).toEqual(['retry.maxRetries']);
});

test('two strategies are never mixed', () => {
  const mine = { ...base, strategy: { name: 'RANDOM' } };
  const theirs = { ...base, strategy: { name: 'WEIGHTED_SCORE', weights: { load: 1, latency: 0 } } };
  expect(rebase(base, mine, theirs)).toEqual(mine);
  expect(rebase(base, theirs, mine)).toEqual(theirs);
  expect(clashes(base, mine, theirs)).toEqual(['strategy']);
});

test('a strategy that only they took stays theirs', () => {
  const mine = { ...base, priority: 3 };
  const theirs = { ...base, strategy: { name: 'RANDOM' } };
  expect(rebase(base, mine, theirs)).toEqual({ ...base, priority: 3, strategy: { name: 'RANDOM' } });
});

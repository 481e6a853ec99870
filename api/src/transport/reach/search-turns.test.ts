import { expect, test } from 'vitest';
import { SearchTurns } from './search-turns.js';

test('one search runs in a turn, in the order in which they came', () => {
  const turns: (() => void)[] = [];
  const ran: string[] = [];
  const searches = new SearchTurns((run) => turns.push(run));
  const [one, two] = [{}, {}];
  searches.schedule(one, () => ran.push('a'));
  searches.schedule(two, () => ran.push('b'));
  searches.schedule(one, () => ran.push('c'));
  expect([ran.join(''), turns.length]).toEqual(['', 1]);
  turns.shift()?.();
  expect([ran.join(''), turns.length]).toEqual(['a', 1]);
  turns.shift()?.();
  turns.shift()?.();
  expect([ran.join(''), turns.length]).toEqual(['abc', 0]);
  searches.schedule(one, () => ran.push('d'));
  turns.shift()?.();
  expect(ran.join('')).toBe('abcd');
});

test('a connection may have 16 waiting; the next is refused, and others are not', () => {
  const turns: (() => void)[] = [];
  const searches = new SearchTurns((run) => turns.push(run));
  const [greedy, other] = [{}, {}];
  for (let n = 0; n < 16; n++) searches.schedule(greedy, () => {});
  expect(() => searches.schedule(greedy, () => {})).toThrow(
    expect.objectContaining({ code: 'RATE_LIMITED', retryAfterMs: 200 }),
  );
  searches.schedule(other, () => {});
  turns.shift()?.();
  searches.schedule(greedy, () => {});
});

test('a thousand may wait over all', () => {
  const searches = new SearchTurns(() => {});
  for (let n = 0; n < 1_000; n++) searches.schedule({}, () => {});
  expect(() => searches.schedule({}, () => {})).toThrow(expect.objectContaining({ code: 'RATE_LIMITED' }));
});

import type { Candidate, RouteInstance } from './candidate.js';
import type { Ranked } from './decision.js';
import type { Pass } from './pass.js';

/** The best three; equal scores in random order, so that equals share the work. */
export function rank<I extends RouteInstance>(pass: Pass<I>): Ranked<I>[] {
  const { pool, strategy, observer } = pass;
  const only = pool[0];
  if (only === undefined) return [];
  if (pool.length === 1) {
    const score = strategy.score(only, pass);
    observer?.scored?.(only, score);
    return [{ candidate: only, score }];
  }
  let first = only;
  let second: Candidate<I> | undefined;
  let third: Candidate<I> | undefined;
  let firstScore = Number.NEGATIVE_INFINITY;
  let secondScore = Number.NEGATIVE_INFINITY;
  let thirdScore = Number.NEGATIVE_INFINITY;
  // Going round from a random start makes each of several equals equally likely to come first.
  let place = Math.floor(pass.random() * pool.length);
  for (let count = 0; count < pool.length; count++) {
    const candidate = pool[place];
    place = place + 1 === pool.length ? 0 : place + 1;
    if (candidate === undefined) continue;
    const score = strategy.score(candidate, pass);
    observer?.scored?.(candidate, score);
    if (count === 0) {
      first = candidate;
      firstScore = score;
    } else if (score > firstScore) {
      third = second;
      thirdScore = secondScore;
      second = first;
      secondScore = firstScore;
      first = candidate;
      firstScore = score;
    } else if (score > secondScore || second === undefined) {
      third = second;
      thirdScore = secondScore;
      second = candidate;
      secondScore = score;
    } else if (score > thirdScore || third === undefined) {
      third = candidate;
      thirdScore = score;
    }
  }
  return listOf(first, firstScore, second, secondScore, third, thirdScore);
}

function listOf<I extends RouteInstance>(
  first: Candidate<I>,
  firstScore: number,
  second: Candidate<I> | undefined,
  secondScore: number,
  third: Candidate<I> | undefined,
  thirdScore: number,
): Ranked<I>[] {
  const one = { candidate: first, score: firstScore };
  if (second === undefined) return [one];
  const two = { candidate: second, score: secondScore };
  return third === undefined ? [one, two] : [one, two, { candidate: third, score: thirdScore }];
}

import { expect, it } from 'vitest';
import { History, historyWindow } from './history.js';

const MINUTE = 60_000;
/** Where a row of both resolutions begins. */
const START = 180_000 * 10;

function add(history: History, monotonic: number, column: number, amount?: number): void {
  history.turnTo(monotonic);
  history.add(column, amount);
}

function sum(history: History, windowMs: number, monotonic: number): number[] {
  const sums = new Float64Array(2);
  history.sumInto(historyWindow(windowMs, monotonic), sums);
  return [...sums];
}

it('sums columns over the window, and says where it begins', () => {
  const history = new History(2);
  add(history, START, 0);
  add(history, START + 30_000, 1, 250);
  add(history, START + 80_000, 0, 2);
  expect(sum(history, MINUTE, START + 80_000)).toEqual([2, 250]);
  expect(historyWindow(MINUTE, START + 80_000).since).toBe(START + 15_000);
  expect(sum(history, 5 * MINUTE, START + 80_000)).toEqual([3, 250]);
});

it('forgets row by row what is older, each window in its own steps', () => {
  const history = new History(2);
  add(history, START, 0);
  expect(sum(history, 5 * MINUTE, START + 5 * MINUTE)).toEqual([1, 0]);
  expect(sum(history, 5 * MINUTE, START + 5 * MINUTE + 15_000)).toEqual([0, 0]);
  expect(sum(history, 15 * MINUTE, START + 17 * MINUTE)).toEqual([1, 0]);
  expect(sum(history, 15 * MINUTE, START + 18 * MINUTE)).toEqual([0, 0]);
  expect(sum(history, 60 * MINUTE, START + 62 * MINUTE)).toEqual([1, 0]);
  expect(sum(history, 60 * MINUTE, START + 63 * MINUTE)).toEqual([0, 0]);
});

it('uses its rows again, after a long silence too', () => {
  const history = new History(2);
  for (let minute = 0; minute < 130; minute++) add(history, START + minute * MINUTE, 0);
  expect(sum(history, 60 * MINUTE, START + 129 * MINUTE)).toEqual([61, 0]);
  expect(sum(history, 5 * MINUTE, START + 129 * MINUTE)).toEqual([6, 0]);
  add(history, START + 1_000 * MINUTE, 1, 7);
  expect(sum(history, 60 * MINUTE, START + 1_000 * MINUTE)).toEqual([0, 7]);
  expect(sum(history, 5 * MINUTE, START + 1_000 * MINUTE)).toEqual([0, 7]);
});

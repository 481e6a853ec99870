import { expect, it } from 'vitest';
import { Waiters } from './waiters.js';

it('tells everybody who waits once, and nobody who left', () => {
  const waiters = new Waiters<string>();
  const told: string[] = [];
  waiters.join((outcome) => told.push(`one ${outcome}`), 100);
  const leave = waiters.join((outcome) => told.push(`two ${outcome}`), 100);
  expect([waiters.any, leave(), leave()]).toEqual([true, false, false]);
  waiters.tell('done');
  waiters.tell('again');
  expect([told, waiters.any]).toEqual([['one done'], false]);
});

it('the last who leaves is told that nobody waits any more', () => {
  const waiters = new Waiters<string>();
  const waiter = () => {};
  const [first, second] = [waiters.join(waiter, 100), waiters.join(waiter, 100)];
  expect([first(), waiters.any, second(), waiters.any]).toEqual([false, true, true, false]);
});

it('who leaves while others are told is not told, who joins waits for the next outcome', () => {
  const waiters = new Waiters<string>();
  const told: string[] = [];
  waiters.join((outcome) => {
    told.push(`one ${outcome}`);
    leave();
    waiters.join((next) => told.push(`late ${next}`), 100);
  }, 100);
  const leave = waiters.join((outcome) => told.push(`two ${outcome}`), 100);
  waiters.tell('done');
  expect([told, waiters.any]).toEqual([['one done'], true]);
  waiters.tell('again');
  expect(told).toEqual(['one done', 'late again']);
});

it('knows until when somebody waits', () => {
  const waiters = new Waiters<string>();
  expect(waiters.until).toBe(0);
  waiters.join(() => {}, 50);
  const leave = waiters.join(() => {}, 70);
  waiters.join(() => {}, 60);
  expect(waiters.until).toBe(70);
  leave();
  expect(waiters.until).toBe(60);
  waiters.tell('done');
  expect(waiters.until).toBe(0);
});

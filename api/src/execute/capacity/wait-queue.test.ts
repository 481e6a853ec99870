import { expect, it } from 'vitest';
import { WaitQueue } from './wait-queue.js';

const QUEUE = 'shop order_query';

it('gives turns by priority, and among equals by arrival', () => {
  const queue = new WaitQueue<string>();
  const enter = (priority: number, item: string) => queue.enter(QUEUE, priority, item, 10);
  enter(5, 'first of 5');
  enter(0, 'of 0');
  const best = enter(9, 'of 9');
  enter(5, 'second of 5');
  expect(queue.waiting(QUEUE)).toEqual(['of 9', 'first of 5', 'second of 5', 'of 0']);
  expect(queue.waiting(QUEUE, 2)).toEqual(['of 9', 'first of 5']);
  expect(queue.first(QUEUE)).toBe('of 9');
  expect(queue.first(QUEUE)).toBe('of 9');
  if (best !== undefined) queue.leave(best);
  expect(queue.first(QUEUE)).toBe('first of 5');
});

it('lets anybody leave from anywhere, once', () => {
  const queue = new WaitQueue<number>();
  const tickets = [1, 2, 3].map((item) => queue.enter(QUEUE, 5, item, 10));
  const [, second] = tickets;
  if (second === undefined) throw new Error('it must be let in');
  queue.leave(second);
  queue.leave(second);
  expect([queue.waiting(QUEUE), queue.size(QUEUE), queue.total]).toEqual([[1, 3], 2, 2]);
  for (const ticket of tickets) if (ticket !== undefined) queue.leave(ticket);
  expect([queue.waiting(QUEUE), queue.size(QUEUE), queue.total, queue.first(QUEUE)]).toEqual([[], 0, 0, undefined]);
  // Its old place is nobody's business in the queue's next life.
  queue.enter(QUEUE, 5, 4, 10);
  queue.leave(second);
  expect(queue.waiting(QUEUE)).toEqual([4]);
});

it('refuses who comes when it is full, whatever the priority, and sends nobody away', () => {
  const queue = new WaitQueue<string>();
  queue.enter(QUEUE, 0, 'one', 2);
  const two = queue.enter(QUEUE, 0, 'two', 2);
  expect(queue.enter(QUEUE, 9, 'urgent', 2)).toBeUndefined();
  // The limit was lowered meanwhile, then raised.
  expect(queue.enter(QUEUE, 9, 'urgent', 1)).toBeUndefined();
  expect(queue.waiting(QUEUE)).toEqual(['one', 'two']);
  expect(queue.enter(QUEUE, 9, 'urgent', 3)).toBeDefined();
  if (two !== undefined) queue.leave(two);
  expect(queue.waiting(QUEUE)).toEqual(['urgent', 'one']);
});

it('keeps queues apart, and a refused call leaves no trace of a new one', () => {
  const queue = new WaitQueue<string>();
  queue.enter(QUEUE, 5, 'query', 1);
  expect(queue.enter('shop order_cancel', 5, 'cancel', 1)).toBeDefined();
  expect(queue.enter('shop order_refund', 5, 'refund', 0)).toBeUndefined();
  expect([queue.size(QUEUE), queue.size('shop order_cancel'), queue.size('shop order_refund'), queue.total]).toEqual([
    1, 1, 0, 2,
  ]);
  expect(queue.queues()).toEqual([QUEUE, 'shop order_cancel']);
});

it('refuses a priority that it would never serve', () => {
  const queue = new WaitQueue<string>();
  expect(() => queue.enter(QUEUE, 10, 'over', 5)).toThrow('A priority is a whole number from 0 to 9, not 10.');
  expect(() => queue.enter(QUEUE, 2.5, 'between', 5)).toThrow('not 2.5');
  expect(queue.total).toBe(0);
});

it('a copy of who waits may be read while they leave', () => {
  const queue = new WaitQueue<{ name: string; leave: () => void }>();
  for (const name of ['a', 'b', 'c']) {
    const item = { name, leave: () => {} };
    const ticket = queue.enter(QUEUE, 5, item, 10);
    item.leave = () => {
      if (ticket !== undefined) queue.leave(ticket);
    };
  }
  const turns: string[] = [];
  const waiting = queue.waiting(QUEUE);
  for (const { name } of waiting) {
    turns.push(name);
    for (const other of waiting) other.leave();
  }
  expect([turns, queue.total]).toEqual([['a', 'b', 'c'], 0]);
});

import { expect, it } from 'vitest';
import { WaitQueue } from './wait-queue.js';

const QUEUE = 'shop order_query';
const KIND = 'anybody';

/** Who gets a turn, one after the other, when everybody in the queue leaves at once. */
function turns<T>(queue: WaitQueue<T>, name = QUEUE): T[] {
  const items: T[] = [];
  for (let next = queue.first(name); next !== undefined; next = queue.first(name)) {
    items.push(next.item);
    queue.leave(next);
  }
  return items;
}

it('gives turns by priority, and among equals by arrival, whatever their kind', () => {
  const queue = new WaitQueue<string>();
  const enter = (priority: number, item: string, kind = KIND) => queue.enter(QUEUE, kind, priority, item, 10);
  enter(5, 'first of 5');
  enter(0, 'of 0');
  enter(5, 'second of 5', 'only one agent');
  enter(9, 'of 9', 'only another');
  enter(5, 'third of 5');
  expect(queue.first(QUEUE)?.item).toBe('of 9');
  expect(queue.first(QUEUE)?.item).toBe('of 9');
  expect(turns(queue)).toEqual(['of 9', 'first of 5', 'second of 5', 'third of 5', 'of 0']);
  expect([queue.total, queue.queues()]).toEqual([0, []]);
});

it('passes over whole kinds', () => {
  const queue = new WaitQueue<string>();
  queue.enter(QUEUE, 'a', 5, 'a1', 10);
  queue.enter(QUEUE, 'a', 9, 'a2', 10);
  queue.enter(QUEUE, 'b', 0, 'b1', 10);
  expect(queue.first(QUEUE, new Set(['a']))?.item).toBe('b1');
  expect(queue.first(QUEUE, new Set(['a', 'b']))).toBeUndefined();
  expect(queue.first(QUEUE)?.item).toBe('a2');
});

it('lets anybody leave from anywhere, once', () => {
  const queue = new WaitQueue<number>();
  const [, second] = [1, 2, 3].map((item) => queue.enter(QUEUE, KIND, 5, item, 10));
  if (second === undefined) throw new Error('it must be let in');
  queue.leave(second);
  queue.leave(second);
  expect([queue.size(QUEUE), queue.total]).toEqual([2, 2]);
  expect(turns(queue)).toEqual([1, 3]);
  expect([queue.size(QUEUE), queue.total]).toEqual([0, 0]);
  // Its old place is nobody's business in the queue's next life.
  queue.enter(QUEUE, KIND, 5, 4, 10);
  queue.leave(second);
  expect(turns(queue)).toEqual([4]);
});

it('refuses who comes when it is full, whatever the priority and kind, and sends nobody away', () => {
  const queue = new WaitQueue<string>();
  queue.enter(QUEUE, KIND, 0, 'one', 2);
  const two = queue.enter(QUEUE, KIND, 0, 'two', 2);
  expect(queue.enter(QUEUE, 'other', 9, 'urgent', 2)).toBeUndefined();
  // The limit was lowered meanwhile, then raised.
  expect(queue.enter(QUEUE, KIND, 9, 'urgent', 1)).toBeUndefined();
  expect(queue.size(QUEUE)).toBe(2);
  expect(queue.enter(QUEUE, KIND, 9, 'urgent', 3)).toBeDefined();
  if (two !== undefined) queue.leave(two);
  expect(turns(queue)).toEqual(['urgent', 'one']);
});

it('keeps queues apart, and a refused call leaves no trace of a new one', () => {
  const queue = new WaitQueue<string>();
  queue.enter(QUEUE, KIND, 5, 'query', 1);
  expect(queue.enter('shop order_cancel', KIND, 5, 'cancel', 1)).toBeDefined();
  expect(queue.enter('shop order_refund', KIND, 5, 'refund', 0)).toBeUndefined();
  expect([queue.size(QUEUE), queue.size('shop order_cancel'), queue.size('shop order_refund'), queue.total]).toEqual([
    1, 1, 0, 2,
  ]);
  expect(queue.queues()).toEqual([QUEUE, 'shop order_cancel']);
});

it('refuses a priority that it would never serve', () => {
  const queue = new WaitQueue<string>();
  expect(() => queue.enter(QUEUE, KIND, 10, 'over', 5)).toThrow('A priority is a whole number from 0 to 9, not 10.');
  expect(() => queue.enter(QUEUE, KIND, 2.5, 'between', 5)).toThrow('not 2.5');
  expect(queue.total).toBe(0);
});

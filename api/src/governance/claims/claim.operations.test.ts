import { expect, test } from 'vitest';
import { ClaimOperation, ClaimQueue, idOf } from './claim.operations.js';

function release(requestId: string, dispatchId = 'd1'): ClaimOperation {
  return new ClaimOperation({ caller: 'user:ann', requestId }, { kind: 'RELEASE', dispatchId });
}

function outcome(requestId: string, bytes: number): ClaimOperation {
  const sealed = Buffer.alloc(bytes);
  const key = { caller: 'user:ann', requestId } as const;
  return new ClaimOperation(key, { kind: 'FINISH', dispatchId: 'd1', state: 'DONE', sealed, done: () => {} });
}

function filled(...operations: ClaimOperation[]): ClaimQueue {
  const queue = new ClaimQueue();
  for (const operation of operations) queue.push(operation);
  return queue;
}

const taken = (queue: ClaimQueue, max = 100, maxBytes = 1_000): string[] =>
  queue.take(max, maxBytes).map(({ key }) => key.requestId);

test('batches hold the oldest, up to their size', () => {
  const queue = filled(release('a'), release('b'), release('c'));
  expect(taken(queue, 2)).toEqual(['a', 'b']);
  expect(taken(queue, 2)).toEqual(['c']);
  expect(taken(queue, 2)).toEqual([]);
  expect(queue.size).toBe(0);
});

test('batches hold about so many bytes of outcomes, and at least one', () => {
  const queue = filled(outcome('a', 600), outcome('b', 600), outcome('c', 5_000), release('d'));
  expect(taken(queue)).toEqual(['a', 'b']);
  expect(taken(queue)).toEqual(['c']);
  expect(taken(queue)).toEqual(['d']);
});

test('two operations of one key never share a batch, and nothing overtakes them', () => {
  const queue = filled(release('a', 'd1'), release('b'), release('a', 'd2'), release('c'), release('a', 'd3'));
  expect(taken(queue)).toEqual(['a', 'b']);
  expect(taken(queue)).toEqual(['a', 'c']);
  expect(taken(queue)).toEqual(['a']);
});

test.each([0, 1, 2])('what is taken out leaves the others in order (%d)', (at) => {
  const operations = [release('a'), release('b'), release('c')];
  const queue = filled(...operations);
  queue.remove(operations[at] as ClaimOperation);
  expect(queue.size).toBe(2);
  queue.push(release('d'));
  expect(taken(queue)).toEqual([...['a', 'b', 'c'].filter((_, index) => index !== at), 'd']);
});

test('the latest of a key is known, also after a later one was taken out', () => {
  const [first, second] = [release('a', 'd1'), release('a', 'd2')];
  const queue = filled(first, second);
  expect(queue.latest(second.id)).toBe(second);
  queue.remove(second);
  expect(queue.latest(second.id)).toBe(first);
  queue.push(release('a', 'd3'));
  expect(taken(queue)).toEqual(['a']);
  expect(taken(queue)).toEqual(['a']);
  expect(queue.latest(second.id)).toBeUndefined();
});

test('two callers and requestIds never make the same key', () => {
  const one = idOf({ caller: 'user:ann b', requestId: 'c' });
  const other = idOf({ caller: 'user:ann', requestId: 'b c' });
  expect(one).not.toBe(other);
});

test('everything can be taken out at once', () => {
  const queue = filled(release('a'), release('a'), release('b'));
  expect(queue.clear().map(({ key }) => key.requestId)).toEqual(['a', 'a', 'b']);
  expect(queue.size).toBe(0);
});

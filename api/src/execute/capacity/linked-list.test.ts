import { expect, it } from 'vitest';
import { LinkedList } from './linked-list.js';

it('keeps the order in which values were added, while any of them leaves or moves to the end', () => {
  const list = new LinkedList<string>();
  const [one, two, three] = [list.add('one'), list.add('two'), list.add('three')];
  expect([list.first, list.size, [...list]]).toEqual(['one', 3, ['one', 'two', 'three']]);
  list.moveToEnd(one);
  list.moveToEnd(one);
  expect([...list]).toEqual(['two', 'three', 'one']);
  expect([list.remove(three), list.remove(three)]).toEqual([true, false]);
  list.moveToEnd(three);
  expect([...list]).toEqual(['two', 'one']);
  list.remove(two);
  list.remove(one);
  expect([list.first, list.size, [...list]]).toEqual([undefined, 0, []]);
});

it('lets what is given out be removed on the way', () => {
  const list = new LinkedList<number>();
  const nodes = [1, 2, 3, 4].map((value) => list.add(value));
  const seen: number[] = [];
  for (const value of list) {
    seen.push(value);
    const node = nodes[value - 1];
    if (node !== undefined) list.remove(node);
  }
  expect([seen, list.size]).toEqual([[1, 2, 3, 4], 0]);
});

import { describe, expect, it } from 'vitest';
import { RingKeeper } from './ring-keeper.js';
import { candidateOf, testInstances } from './testing.js';

const newList = () => ({ candidates: testInstances(10).map(candidateOf), revision: 1 });

function ask(keeper: RingKeeper, list: ReturnType<typeof newList>, times: number) {
  for (let time = 1; time < times; time++) keeper.of(list);
  return keeper.of(list);
}

describe('rings are kept', () => {
  it('only for lists that are asked for again and again', () => {
    const keeper = new RingKeeper();
    const list = newList();
    expect(ask(keeper, list, 40)).toBeUndefined();
    const ring = keeper.of(list);
    expect(ring?.size).toBe(1280);
    expect(keeper.of(list)).toBe(ring);
    for (let other = 0; other < 1000; other++) expect(keeper.of(newList())).toBeUndefined();
  });

  it('on for a list that takes the place of another, and for no other', () => {
    const keeper = new RingKeeper();
    const list = newList();
    ask(keeper, list, 41);
    const ring = keeper.of(list);
    const heir = { candidates: [...list.candidates.slice(1), ...newList().candidates.slice(0, 1)], revision: 1 };
    expect(ask(keeper, heir, 4)).toBeUndefined();
    expect(keeper.of(heir)).toBe(ring);
    expect(ring?.from(0, 99)).toHaveLength(10);
    expect(new Set(ring?.from(0, 99))).toEqual(new Set(heir.candidates));
    // The first one is forgotten, and begins anew should it be asked for again.
    expect(keeper.of(list)).toBeUndefined();
    expect(ask(keeper, newList(), 5)).toBeUndefined();
  });

  it('by both of two lists that are used in turn', () => {
    const keeper = new RingKeeper();
    const list = newList();
    const other = { candidates: list.candidates.slice(1), revision: 1 };
    for (let time = 0; time < 41; time++) {
      keeper.of(list);
      keeper.of(other);
    }
    expect(keeper.of(list)?.from(0, 99)).toHaveLength(10);
    expect(keeper.of(other)?.from(0, 99)).toHaveLength(9);
    expect(keeper.of(list)).not.toBe(keeper.of(other));
  });

  it('up to a number of points, those used last', () => {
    const keeper = new RingKeeper(3 * 1280);
    const lists = [newList(), newList(), newList(), newList()] as const;
    for (const list of lists.slice(0, 3)) ask(keeper, list, 41);
    const first = keeper.of(lists[0]);
    ask(keeper, lists[3], 41);
    expect(keeper.of(lists[0])).toBe(first);
    expect(keeper.of(lists[1])).toBeUndefined();
    expect(keeper.of(lists[2])?.size).toBe(1280);
    expect(keeper.of(lists[3])?.size).toBe(1280);
  });
});

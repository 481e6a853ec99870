import { describe, expect, it } from 'vitest';
import type { Candidate } from '../candidate.js';
import { ListMirror } from './list-mirror.js';
import { candidateOf, seeded, testInstance } from './testing.js';

/** A list, its mirror, and what the mirror told: who should be in it now, and how often it spoke. */
function mirrored() {
  const list = { candidates: [] as Candidate[], revision: 0 };
  const told = new Map<Candidate, number>();
  let messages = 0;
  const mirror = new ListMirror({
    added: (candidate) => {
      if (told.has(candidate)) throw new Error(`${candidate.instance.ref} was added twice`);
      told.set(candidate, candidate.instance.weight);
      messages++;
    },
    removed: (candidate) => {
      if (!told.delete(candidate)) throw new Error(`${candidate.instance.ref} was removed and not there`);
      messages++;
    },
  });
  const follow = () => {
    list.revision++;
    messages = 0;
    mirror.follow(list);
    return messages;
  };
  return { list, told, follow, mirror };
}

const member = (name: number): Candidate => candidateOf(testInstance('pool', `i${name}`));

describe('a mirrored list', () => {
  it('is told by its changes only', () => {
    const { list, follow } = mirrored();
    list.candidates.push(...Array.from({ length: 100 }, (_, index) => member(index)));
    expect(follow()).toBe(100);
    expect(follow()).toBe(0);
    list.candidates.push(member(100));
    expect(follow()).toBe(1);
    // As the table takes one out: the last one takes its place.
    const last = list.candidates.pop();
    if (last !== undefined) list.candidates[7] = last;
    expect(follow()).toBe(1);
    list.candidates.splice(50, 1);
    expect(follow()).toBe(1);
    list.candidates.splice(20, 0, member(101), member(102));
    expect(follow()).toBe(2);
    list.candidates.reverse();
    expect(follow()).toBe(0);
  });

  it('tells of another weight as of a going and a coming', () => {
    const { list, told, follow } = mirrored();
    const instance = testInstance('pool', 'a');
    list.candidates.push(candidateOf(instance), member(1));
    follow();
    instance.weight = 50;
    expect(follow()).toBe(2);
    expect([...told.values()].sort()).toEqual([100, 50]);
  });

  it('says nothing while the revision stays', () => {
    const { list, told, follow, mirror } = mirrored();
    list.candidates.push(member(1));
    follow();
    list.candidates.push(member(2));
    mirror.follow(list);
    expect(told.size).toBe(1);
  });

  it('is right after any changes', () => {
    const random = seeded(3);
    const { list, told, follow } = mirrored();
    for (let round = 0; round < 500; round++) {
      for (let change = Math.floor(random() * 5); change >= 0; change--) {
        const place = Math.floor(random() * (list.candidates.length + 1));
        const kind = random();
        if (kind < 0.5) list.candidates.splice(place, 0, member(round));
        else if (kind < 0.9) list.candidates.splice(place, 1 + Math.floor(random() * 3));
        else list.candidates.push(...list.candidates.splice(0, place));
      }
      follow();
      expect(new Set(told.keys())).toEqual(new Set(list.candidates));
    }
  });
});

import { describe, expect, it } from 'vitest';
import type { Candidate } from '../candidate.js';
import { hash32 } from './hash.js';
import { HashRing } from './ring.js';
import { nearest } from './ring-points.js';
import { candidateOf, seeded, testInstance, testInstances } from './testing.js';

const PLACES = Array.from({ length: 4000 }, (_, index) => hash32(`key-${index}`));

function ringOf(candidates: readonly Candidate[]): HashRing {
  const ring = new HashRing();
  ring.follow({ candidates, revision: 1 });
  return ring;
}

/** Whose each place is. */
function owners(ring: HashRing): (string | undefined)[] {
  return PLACES.map((place) => ring.from(place, 1)[0]?.instance.ref);
}

function shares(ring: HashRing): number[] {
  const counts = new Map<string | undefined, number>();
  for (const owner of owners(ring)) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  return [...counts.values()];
}

describe('a hash ring', () => {
  const ten = testInstances(10).map(candidateOf);

  it('spreads keys evenly', () => {
    const counts = shares(ringOf(ten));
    expect(counts.length).toBe(10);
    expect(Math.min(...counts)).toBeGreaterThan(280);
    expect(Math.max(...counts)).toBeLessThan(520);
  });

  it('is the same in any order of registration', () => {
    const random = seeded(5);
    const many = testInstances(200).map(candidateOf);
    const shuffled = many.map((each) => ({ each, key: random() })).sort((a, b) => a.key - b.key);
    const one = ringOf(many);
    const other = ringOf(shuffled.map(({ each }) => each));
    for (const place of PLACES) expect(other.from(place, 4)).toEqual(one.from(place, 4));
  });

  it('gives the keys of a lost one to others, moves no other key, and gives them back', () => {
    const before = owners(ringOf(ten));
    const list = { candidates: ten.slice(), revision: 1 };
    const ring = ringOf(ten);
    list.candidates.splice(3, 1);
    list.revision++;
    ring.follow(list);
    const without = owners(ring);
    const lost = 'shop/pool/i3';
    expect(before.filter((owner) => owner === lost).length).toBeGreaterThan(280);
    without.forEach((owner, key) => {
      expect(owner).not.toBe(lost);
      if (before[key] !== lost) expect(owner).toBe(before[key]);
    });
    list.candidates.push(candidateOf(testInstance('pool', 'i3')));
    list.revision++;
    ring.follow(list);
    expect(owners(ring)).toEqual(before);
  });

  it('gives a new one its share and moves no other key', () => {
    const before = owners(ringOf(ten));
    const after = owners(ringOf([...ten, candidateOf(testInstance('pool', 'new'))]));
    const moved = after.filter((owner, key) => owner !== before[key]);
    expect(new Set(moved)).toEqual(new Set(['shop/pool/new']));
    expect(moved.length).toBeGreaterThan(250);
    expect(moved.length).toBeLessThan(480);
  });

  it('gives twice the weight twice the keys, and a change of weight moves no others', () => {
    const heavy = testInstance('pool', 'i0');
    const list = { candidates: [candidateOf(heavy), ...ten.slice(1)], revision: 1 };
    const ring = ringOf(list.candidates);
    const before = owners(ring);
    heavy.weight = 200;
    list.revision++;
    ring.follow(list);
    const after = owners(ring);
    const count = (of: typeof after) => of.filter((owner) => owner === heavy.ref).length;
    expect(count(after) / count(before)).toBeGreaterThan(1.5);
    expect(count(after) / count(before)).toBeLessThan(2.3);
    after.forEach((owner, key) => {
      if (owner !== before[key]) expect(owner).toBe(heavy.ref);
    });
    heavy.weight = 0;
    list.revision++;
    ring.follow(list);
    expect(owners(ring)).not.toContain(heavy.ref);
  });

  it('is after any joins and leaves what it would be if built anew', () => {
    const random = seeded(9);
    const list = { candidates: testInstances(50).map(candidateOf), revision: 0 };
    const ring = new HashRing();
    for (let round = 0; round < 300; round++) {
      list.revision++;
      ring.follow(list);
      if (random() < 0.55) {
        list.candidates.push(candidateOf(testInstance('pool', `n${round}`)));
      } else {
        const last = list.candidates.pop();
        const place = Math.floor(random() * list.candidates.length);
        if (last !== undefined && place < list.candidates.length) list.candidates[place] = last;
      }
    }
    list.revision++;
    ring.follow(list);
    const anew = ringOf(list.candidates);
    expect(ring.size).toBe(anew.size);
    for (const place of PLACES) expect(ring.from(place, 3)).toEqual(anew.from(place, 3));
  });

  it('agrees with a look at all points', () => {
    const ring = ringOf(ten);
    for (const place of PLACES) expect(nearest(ten, place)).toBe(ring.from(place, 1)[0]);
  });

  it('comes by everybody once', () => {
    expect(new Set(ringOf(ten).from(PLACES[0] ?? 0, 99))).toEqual(new Set(ten));
    expect(ringOf(ten).from(PLACES[0] ?? 0, 99)).toHaveLength(10);
    expect(ringOf([]).from(5, 3)).toEqual([]);
  });
});

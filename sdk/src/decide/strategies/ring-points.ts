import type { Candidate } from '../candidate.js';
import { hash32, mix32, otherHash32 } from './hash.js';

/**
 * Points of an instance with the usual weight of 100. More of them spread the keys more evenly (a share is off by
 * about 1/√points: 9 %) and cost 16 bytes each and some time at a join.
 */
const POINTS = 128;
/** Heavier ones count as this heavy, so that a ring's memory stays bounded. */
const MAX_WEIGHT = 1_000;

/** How many points an instance has: in proportion to its weight, so that another weight adds or takes only some. */
export function pointCount(weight: number): number {
  return weight <= 0 ? 0 : Math.max(1, Math.round((Math.min(weight, MAX_WEIGHT) * POINTS) / 100));
}

/**
 * The positions of an instance's points, told one by one: whole numbers below 2^32. They follow from its name alone:
 * the same after a restart, on another node, and whoever else is on the ring. The name goes in as two hashes, since
 * with one of 32 bits two of ten thousand names would agree once in a hundred tables, and one of the two would never
 * be called.
 */
export function eachPoint(ref: string, weight: number, visit: (position: number) => void): void {
  const first = hash32(ref);
  const second = otherHash32(ref);
  const count = pointCount(weight);
  for (let index = 0; index < count; index++) {
    // The golden ratio's steps never meet again within 2^32.
    visit(mix32(mix32(first + Math.imul(index, 0x9e3779b9)) ^ second));
  }
}

/**
 * The first of some candidates from a place on the ring on, found without a ring by looking at all their points.
 *
 * @param passes leaves out those that it is false for
 */
export function nearest<C extends Candidate>(
  candidates: readonly C[],
  place: number,
  passes?: (candidate: C) => boolean,
): C | undefined {
  let first: C | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    if (passes?.(candidate) === false) continue;
    const { ref, weight } = candidate.instance;
    let distance = Number.POSITIVE_INFINITY;
    eachPoint(ref, weight, (position) => {
      // Once round the ring where it lies before the place.
      distance = Math.min(distance, (position - place) >>> 0);
    });
    // At one and the same position the name decides, as it does on a ring.
    if (distance > least || (distance === least && first !== undefined && first.instance.ref < ref)) continue;
    first = candidate;
    least = distance;
  }
  return first;
}

import type { Candidate } from '../candidate.js';
import type { OnDropped } from '../stages.js';
import { mix32 } from './hash.js';

/** A number in [0, 1): one of a row that a random whole number starts, as good as random ones and at a tenth of the cost. */
export function lot(seed: number, number: number): number {
  return mix32(seed + Math.imul(number, 0x9e3779b9)) / 2 ** 32;
}

/** The first sample that a decision asks for; when nobody of it will do, it asks for more. */
const FIRST_SAMPLE = 16;

/** A part of the first sample, where that is enough: each one that is looked at costs. */
export function fewer(count: number, divisor: number): number {
  return count <= FIRST_SAMPLE ? Math.ceil(count / divisor) : count;
}

/** Drawn by lot, all equally likely and independently; when one is drawn twice, there are fewer. */
export function drawLots<C>(list: readonly C[], random: () => number, count: number): C[] {
  const drawn: C[] = [];
  const seed = Math.floor(random() * 2 ** 32);
  for (let number = 0; number < count; number++) {
    const one = list[Math.floor(lot(seed, number) * list.length)];
    if (one !== undefined && !drawn.includes(one)) drawn.push(one);
  }
  return drawn;
}

/** Leaves one in a pool and says of the others why they went. */
export function keepOnly(
  pool: Candidate[],
  one: Candidate,
  onDropped: OnDropped | undefined,
  reason: (candidate: Candidate) => string,
): void {
  if (onDropped !== undefined) {
    for (const candidate of pool) if (candidate !== one) onDropped(candidate, 'STRATEGY', reason(candidate));
  }
  pool[0] = one;
  pool.length = 1;
}

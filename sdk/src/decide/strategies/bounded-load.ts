import type { Candidate } from '../candidate.js';
import { running } from '../capacity.js';

/** How much more than its share of what is in flight an instance may have. */
const LOAD_FACTOR = 1.25;

/** The bound on the attempts in flight of each of some candidates: 1.25 times its share by weight, and one more. */
export class LoadBound {
  readonly #perWeight: number;

  constructor(pool: readonly Candidate[]) {
    let inFlight = 0;
    let weight = 0;
    for (const candidate of pool) {
      inFlight += running(candidate);
      weight += candidate.instance.weight;
    }
    this.#perWeight = weight === 0 ? 0 : (LOAD_FACTOR * inFlight) / weight;
  }

  isOver(candidate: Candidate): boolean {
    return running(candidate) > this.#limit(candidate.instance.weight);
  }

  describe(candidate: Candidate): string {
    const kind = candidate.capability.mode === 'TASK' ? 'tasks' : 'in flight';
    return `has ${running(candidate)} ${kind}, over its bound of ${this.#limit(candidate.instance.weight).toFixed(1)}`;
  }

  /** The one more keeps a key at its place while there is little going on at all. */
  #limit(weight: number): number {
    return this.#perWeight * weight + 1;
  }
}

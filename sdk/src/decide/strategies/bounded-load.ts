import type { Candidate } from '../candidate.js';

/** How much more than its share of what is in flight an instance may have. */
const LOAD_FACTOR = 1.25;

/** The bound on the attempts in flight of each of some candidates: 1.25 times its share by weight, and one more. */
export class LoadBound {
  readonly #perWeight: number;

  constructor(pool: readonly Candidate[]) {
    let inFlight = 0;
    let weight = 0;
    for (const { instance } of pool) {
      inFlight += instance.live.inFlight;
      weight += instance.weight;
    }
    this.#perWeight = weight === 0 ? 0 : (LOAD_FACTOR * inFlight) / weight;
  }

  isOver({ instance }: Candidate): boolean {
    return instance.live.inFlight > this.#limit(instance.weight);
  }

  describe({ instance }: Candidate): string {
    return `has ${instance.live.inFlight} in flight, over its bound of ${this.#limit(instance.weight).toFixed(1)}`;
  }

  /** The one more keeps a key at its place while there is little going on at all. */
  #limit(weight: number): number {
    return this.#perWeight * weight + 1;
  }
}

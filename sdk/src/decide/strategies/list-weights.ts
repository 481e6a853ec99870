import type { CandidateList } from '../candidate.js';

/** The extremes among those of a list that get work at all; both 0 when nobody does. */
export interface WeightRange {
  readonly least: number;
  readonly greatest: number;
}

/** Knows the weights of lists; found out again only when a list changed. */
export class ListWeights {
  readonly #known = new WeakMap<CandidateList, WeightRange & { readonly revision: number }>();

  of(list: CandidateList): WeightRange {
    let range = this.#known.get(list);
    if (range?.revision !== list.revision) {
      let least = Number.POSITIVE_INFINITY;
      let greatest = 0;
      for (const { instance } of list.candidates) {
        const { weight } = instance;
        if (weight > greatest) greatest = weight;
        if (weight > 0 && weight < least) least = weight;
      }
      range = { revision: list.revision, least: Math.min(least, greatest), greatest };
      this.#known.set(list, range);
    }
    return range;
  }
}

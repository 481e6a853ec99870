import type { Candidate, CandidateList } from '../candidate.js';

/** Told what changed in a list since it was last looked at. Another weight is a going and a coming. */
export interface ListChanges {
  added(candidate: Candidate): void;
  removed(candidate: Candidate): void;
}

/**
 * Finds out what changed in a list of the table: when its revision is another, it is compared with a copy, side by
 * side. So a table needn't know who follows its lists, and one that nobody asks for costs nothing.
 */
export class ListMirror {
  readonly #changes: ListChanges;
  #revision = Number.NaN;
  #members: readonly Candidate[] = [];
  #weights = new Float64Array(0);

  constructor(changes: ListChanges) {
    this.#changes = changes;
  }

  follow({ candidates, revision }: CandidateList): void {
    if (revision === this.#revision) return;
    this.#revision = revision;
    const weights = new Float64Array(candidates.length);
    for (let index = 0; index < weights.length; index++) weights[index] = candidates[index]?.instance.weight ?? 0;
    const { gone, come } = this.#unlike(candidates, weights);
    this.#members = candidates.slice();
    this.#weights = weights;
    // One that only stands elsewhere now is in both.
    for (const [candidate, weight] of gone) {
      if (come.get(candidate) === weight) come.delete(candidate);
      else this.#changes.removed(candidate);
    }
    for (const candidate of come.keys()) this.#changes.added(candidate);
  }

  /**
   * Those of the copy and of the list that have no match side by side, with their weights. Where one side has one more,
   * the other waits: so one that came or went in the middle doesn't put all that follow out of step.
   */
  #unlike(list: readonly Candidate[], weights: Float64Array): Record<'gone' | 'come', Map<Candidate, number>> {
    const gone = new Map<Candidate, number>();
    const come = new Map<Candidate, number>();
    const before = this.#members;
    let mine = 0;
    let theirs = 0;
    while (mine < before.length || theirs < list.length) {
      const member = before[mine];
      const candidate = list[theirs];
      if (member === candidate && this.#weights[mine] === weights[theirs]) {
        mine++;
        theirs++;
        continue;
      }
      const oneMore = member !== undefined && list[theirs + 1] === member;
      const oneLess = candidate !== undefined && before[mine + 1] === candidate;
      if (member !== undefined && !oneMore) gone.set(member, this.#weights[mine++] ?? 0);
      if (candidate !== undefined && !oneLess) come.set(candidate, weights[theirs++] ?? 0);
    }
    return { gone, come };
  }
}

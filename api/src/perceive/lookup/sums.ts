/**
 * Adds up what the words of a query are worth in each document, by the document's slot. Of the hits of one word in a
 * document only the best counts, so that a word that is there in two forms isn't worth twice.
 */
export class Sums {
  readonly scores: Float64Array;
  readonly strengths: Float64Array;
  /** The words that a document answers, as bits in their order. */
  readonly answered: Uint32Array;
  /** Slots that were hit. */
  readonly found: number[] = [];
  readonly #hit: Uint32Array;
  readonly #bestScores: Float64Array;
  readonly #bestStrengths: Float64Array;
  #word = 0;

  /** For at most 32 words. */
  constructor(slots: number) {
    this.scores = new Float64Array(slots);
    this.strengths = new Float64Array(slots);
    this.#bestScores = new Float64Array(slots);
    this.#bestStrengths = new Float64Array(slots);
    this.answered = new Uint32Array(slots);
    this.#hit = new Uint32Array(slots);
  }

  nextWord(): void {
    this.#word = this.#word === 0 ? 1 : this.#word << 1;
  }

  /** `answers`: whether this hit is the word, and not only something like it that may mean something else. */
  hit(slot: number, score: number, strength: number, answers: boolean): void {
    const words = this.#hit[slot] ?? 0;
    if ((words & this.#word) === 0) {
      if (words === 0) this.found.push(slot);
      this.#hit[slot] = words | this.#word;
      this.#bestScores[slot] = 0;
      this.#bestStrengths[slot] = 0;
    }
    if (answers) this.answered[slot] = (this.answered[slot] ?? 0) | this.#word;
    raise(this.scores, this.#bestScores, slot, score);
    raise(this.strengths, this.#bestStrengths, slot, strength);
  }
}

function raise(sums: Float64Array, bests: Float64Array, slot: number, value: number): void {
  const best = bests[slot] ?? 0;
  if (value <= best) return;
  sums[slot] = (sums[slot] ?? 0) + value - best;
  bests[slot] = value;
}

import type { AgentRatio } from '../policy.js';

/**
 * Whose turn it is: each agent's count grows by its ratio, and the highest is next; the first among equals. So each
 * hundred calls in a row hold the ratios exactly, well mixed. Source: the smooth weighted round robin of nginx.
 */
export class RatioCounter {
  readonly #ratios: readonly number[];
  readonly #sum: number;
  /** How far each agent is behind its ratio, in the order of the policy. */
  #counts: number[];

  constructor(agents: readonly AgentRatio[]) {
    this.#ratios = agents.map(({ ratio }) => ratio);
    this.#sum = this.#ratios.reduce((sum, ratio) => sum + ratio, 0);
    this.#counts = agents.map(() => 0);
  }

  /** The place of the agent whose turn it is; -1 when no ratio is above 0. */
  next(): number {
    let next = -1;
    let highest = Number.NEGATIVE_INFINITY;
    for (let place = 0; place < this.#ratios.length; place++) {
      const ratio = this.#ratios[place] ?? 0;
      const count = (this.#counts[place] ?? 0) + ratio;
      // A ratio of 0 never has a turn of its own.
      if (ratio === 0 || count <= highest) continue;
      highest = count;
      next = place;
    }
    return next;
  }

  /** That turn was taken, by whomever. */
  take(next: number): void {
    for (let place = 0; place < this.#ratios.length; place++) {
      const grown = (this.#counts[place] ?? 0) + (this.#ratios[place] ?? 0);
      this.#counts[place] = place === next ? grown - this.#sum : grown;
    }
  }

  capture(): readonly number[] {
    return this.#counts.slice();
  }

  restore(counts: readonly number[]): void {
    this.#counts = counts.slice();
  }
}

/** Figures are told to subscribers at most so often for one instance, however often it reports; ms. */
export const NEWS_MS = 500;
/** A smaller change of utilisation is not worth an event. */
const WORTH_TELLING = 0.05;

/** When what an instance reports of its load is news to those who watch it: bounded in number, and the last is the truth. */
export class LoadNews {
  #utilisation = 0;
  #queueDepth = 0;
  #toldAt = Number.NEGATIVE_INFINITY;

  /**
   * Whether to tell now; then it counts as told. Asked with each report, and again as time passes, so that what was held
   * back is told in the end.
   */
  isDue(utilisation: number | null, queueDepth: number, monotonic: number): boolean {
    const differs =
      queueDepth !== this.#queueDepth || Math.abs((utilisation ?? 0) - this.#utilisation) >= WORTH_TELLING;
    if (!differs || monotonic - this.#toldAt < NEWS_MS) return false;
    this.#utilisation = utilisation ?? 0;
    this.#queueDepth = queueDepth;
    this.#toldAt = monotonic;
    return true;
  }
}

import { SlidingCount } from './sliding-count.js';

/** How far back quality looks (section 5 of the design), ms. */
const WINDOW_MS = 300_000;

/** Which share of an incarnation's attempts of the last five minutes succeeded. */
export class RecentOutcomes {
  readonly #attempts = new SlidingCount(WINDOW_MS);
  readonly #successes = new SlidingCount(WINDOW_MS);

  add(succeeded: boolean, monotonic: number): void {
    this.#attempts.add(monotonic);
    if (succeeded) this.#successes.add(monotonic);
  }

  /** 0 to 1; null without any attempt. */
  successRate(monotonic: number): number | null {
    const attempts = this.#attempts.total(monotonic);
    return attempts === 0 ? null : this.#successes.total(monotonic) / attempts;
  }
}

/** Failures in a row whose times are kept; see `within`. */
const KEPT = 1_000;

/** The failures since the last success of one incarnation, with the times of the latest. */
export class FailureRun {
  /** By the number of the failure, modulo KEPT; grows as failures come. */
  #times: number[] = [];
  #length = 0;

  add(monotonic: number): void {
    this.#times[this.#length++ % KEPT] = monotonic;
  }

  /** An attempt succeeded. */
  end(): void {
    if (this.#length === 0) return;
    this.#times = [];
    this.#length = 0;
  }

  /**
   * Whether the latest `count` attempts all failed, the first of them at most `windowMs` ago. A count over 1,000 is
   * compared with the length of the run alone: so many failures in a row say enough, however long they took.
   */
  within(count: number, windowMs: number, monotonic: number): boolean {
    if (this.#length < count) return false;
    if (count > KEPT) return true;
    const first = this.#times[(this.#length - count) % KEPT] ?? monotonic;
    return monotonic - first <= windowMs;
  }
}

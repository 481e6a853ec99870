/** Share of the newest value. Twenty values make up nearly nine tenths of the mean. */
const NEWEST = 0.1;

/** An exponentially weighted mean: recent values count most, and one number is all the memory it needs. */
export class RecentMean {
  #mean: number | undefined;

  add(value: number): number {
    this.#mean = this.#mean === undefined ? value : this.#mean + NEWEST * (value - this.#mean);
    return this.#mean;
  }

  /** Begins anew, as if nothing was added yet. */
  forget(): void {
    this.#mean = undefined;
  }

  /** undefined while nothing was added. */
  get value(): number | undefined {
    return this.#mean;
  }
}

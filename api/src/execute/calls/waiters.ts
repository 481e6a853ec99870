/** Stops waiting; answers whether nobody waits any more. */
export type Leave = () => boolean;

/** Those who wait for one outcome. Each may leave before, at its own deadline or when its caller goes away. */
export class Waiters<Outcome> {
  /** Undefined while nobody waits. */
  #waiting: Set<(outcome: Outcome) => void> | undefined;

  /** Whether anybody waits. */
  get any(): boolean {
    return this.#waiting !== undefined;
  }

  /** Waits: `waiter` is told exactly once, unless it leaves before. */
  join(waiter: (outcome: Outcome) => void): Leave {
    // Of its own, so that one function may wait twice.
    const told = (outcome: Outcome) => waiter(outcome);
    const waiting = this.#waiting ?? new Set();
    this.#waiting = waiting;
    waiting.add(told);
    return () => {
      waiting.delete(told);
      if (waiting.size === 0 && this.#waiting === waiting) this.#waiting = undefined;
      return !this.any;
    };
  }

  /** Tells everybody who waits. Who leaves meanwhile is not told; who joins meanwhile waits for the next outcome. */
  tell(outcome: Outcome): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    for (const waiter of waiting ?? []) waiter(outcome);
  }
}

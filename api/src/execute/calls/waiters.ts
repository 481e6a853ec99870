/** Stops waiting; answers whether nobody waits any more. */
export type Leave = () => boolean;

/** Those who wait for one outcome. Each may leave before, at its own deadline or when its caller goes away. */
export class Waiters<Outcome> {
  /** Undefined while nobody waits. */
  #waiting: Map<(outcome: Outcome) => void, number> | undefined;

  /** Whether anybody waits. */
  get any(): boolean {
    return this.#waiting !== undefined;
  }

  /** Until when the last of them waits; monotonic ms, 0 while nobody does. */
  get until(): number {
    let until = 0;
    for (const each of this.#waiting?.values() ?? []) until = Math.max(until, each);
    return until;
  }

  /** Waits: `waiter` is told exactly once, unless it leaves before, which it will `until` then. */
  join(waiter: (outcome: Outcome) => void, until: number): Leave {
    // Of its own, so that one function may wait twice.
    const told = (outcome: Outcome) => waiter(outcome);
    const waiting = this.#waiting ?? new Map<(outcome: Outcome) => void, number>();
    this.#waiting = waiting;
    waiting.set(told, until);
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
    for (const waiter of waiting?.keys() ?? []) waiter(outcome);
  }
}

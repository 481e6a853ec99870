import type { StrategyContext } from './strategy.js';

/** Beyond so many the counts of the one counted first are begun anew. */
const MAX_CAPABILITIES = 1_000;

/**
 * Counts that a strategy keeps for each capability on its own, so that a policy for several keeps its promise for each
 * and not just in sum.
 */
export class ByCapability<T> {
  readonly #counts = new Map<string, T>();

  get(capability: string): T | undefined {
    return this.#counts.get(capability);
  }

  /** What is kept, or what is begun now. */
  of(capability: string, begin: () => T): T {
    let counts = this.#counts.get(capability);
    if (counts === undefined) {
      counts = begin();
      this.set(capability, counts);
    }
    return counts;
  }

  set(capability: string, counts: T): void {
    if (this.#counts.size >= MAX_CAPABILITIES && !this.#counts.has(capability)) {
      for (const first of this.#counts.keys()) {
        this.#counts.delete(first);
        break;
      }
    }
    this.#counts.set(capability, counts);
  }
}

/** The capability that a decision counts for: one name for all its candidates, whatever alias the call used. */
export function capabilityOf({ match }: Pick<StrategyContext, 'match'>): string {
  return match.capability ?? '';
}

import type { Clock } from '../../perceive/clock.js';
import { SlidingCount } from '../attempts/sliding-count.js';

const WINDOW_MS = 10_000;
/** Retries that a capability may always have within the window, however few calls it gets. */
const FLOOR = 100;
/** Beyond that, the share of its first attempts. */
const SHARE = 0.2;
/** Capabilities that are watched at once; beyond that the one known longest is forgotten. */
const MAX_CAPABILITIES = 10_000;

/** First attempts and retries of one capability. */
interface Counts {
  readonly firsts: SlidingCount;
  readonly retries: SlidingCount;
}

/**
 * Keeps retries from becoming a storm: within ten seconds a capability gets max(100, 20 % of its first attempts). What
 * is over that fails with the error of its last attempt. Immediate failovers don't draw on it.
 */
export class RetryBudget {
  readonly #capabilities = new Map<string, Counts>();

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {}

  /** A call to a capability (`namespace name`) made its first attempt. */
  first(capability: string): void {
    this.#of(capability).firsts.add(this.clock.monotonic());
  }

  /** Takes one retry out of the budget; false when there is none left, and then nothing is taken. */
  take(capability: string): boolean {
    const { firsts, retries } = this.#of(capability);
    const now = this.clock.monotonic();
    if (retries.total(now) >= Math.max(FLOOR, SHARE * firsts.total(now))) return false;
    retries.add(now);
    return true;
  }

  #of(capability: string): Counts {
    let counts = this.#capabilities.get(capability);
    if (counts === undefined) {
      if (this.#capabilities.size >= MAX_CAPABILITIES) this.#forgetOne();
      counts = { firsts: new SlidingCount(WINDOW_MS), retries: new SlidingCount(WINDOW_MS) };
      this.#capabilities.set(capability, counts);
    }
    return counts;
  }

  #forgetOne(): void {
    const longest = this.#capabilities.keys().next();
    if (longest.done !== true) this.#capabilities.delete(longest.value);
  }
}

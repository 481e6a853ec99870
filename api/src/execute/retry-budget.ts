import type { Clock } from '../perceive/clock.js';

const WINDOW_MS = 10_000;
const BUCKETS = 10;
const BUCKET_MS = WINDOW_MS / BUCKETS;
/** Retries that a capability may always have within the window, however few calls it gets. */
const FLOOR = 100;
/** Beyond that, the share of its first attempts. */
const SHARE = 0.2;
/** Capabilities that are watched at once; beyond that the one known longest is forgotten. */
const MAX_CAPABILITIES = 10_000;

/** First attempts and retries of one capability, by second. */
class Window {
  readonly #firsts: number[] = new Array(BUCKETS).fill(0);
  readonly #retries: number[] = new Array(BUCKETS).fill(0);
  #bucket = 0;
  firsts = 0;
  retries = 0;

  /** Forgets what is older than the window. `bucket`: number of the present bucket since the clock's zero. */
  turnTo(bucket: number): void {
    if (bucket === this.#bucket) return;
    for (let stale = Math.max(this.#bucket + 1, bucket - BUCKETS + 1); stale <= bucket; stale++) {
      const place = stale % BUCKETS;
      this.firsts -= this.#firsts[place] ?? 0;
      this.retries -= this.#retries[place] ?? 0;
      this.#firsts[place] = 0;
      this.#retries[place] = 0;
    }
    this.#bucket = bucket;
  }

  addFirst(): void {
    const place = this.#bucket % BUCKETS;
    this.#firsts[place] = (this.#firsts[place] ?? 0) + 1;
    this.firsts++;
  }

  addRetry(): void {
    const place = this.#bucket % BUCKETS;
    this.#retries[place] = (this.#retries[place] ?? 0) + 1;
    this.retries++;
  }
}

/**
 * Keeps retries from becoming a storm: within ten seconds a capability gets max(100, 20 % of its first attempts). What
 * is over that fails with the error of its last attempt. Immediate failovers don't draw on it.
 */
export class RetryBudget {
  readonly #windows = new Map<string, Window>();

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {}

  /** A call to a capability (`namespace name`) made its first attempt. */
  first(capability: string): void {
    this.#window(capability).addFirst();
  }

  /** Takes one retry out of the budget; false when there is none left, and then nothing is taken. */
  take(capability: string): boolean {
    const window = this.#window(capability);
    if (window.retries >= Math.max(FLOOR, SHARE * window.firsts)) return false;
    window.addRetry();
    return true;
  }

  #window(capability: string): Window {
    let window = this.#windows.get(capability);
    if (window === undefined) {
      if (this.#windows.size >= MAX_CAPABILITIES) this.#forgetOne();
      window = new Window();
      this.#windows.set(capability, window);
    }
    window.turnTo(Math.floor(this.clock.monotonic() / BUCKET_MS));
    return window;
  }

  #forgetOne(): void {
    const longest = this.#windows.keys().next();
    if (longest.done !== true) this.#windows.delete(longest.value);
  }
}

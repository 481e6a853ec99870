import { SlidingCount } from './sliding-count.js';

/** Windows of different lengths that are kept at once: policies of one instance's capabilities may name several. */
const MAX_WINDOWS = 8;

/** What the attempts on one incarnation came to within a time. */
export interface RecentAttempts {
  readonly calls: number;
  readonly failures: number;
  /** ms, over successes and failures; 0 without any. */
  readonly meanLatencyMs: number;
}

interface AttemptWindow {
  readonly windowMs: number;
  readonly calls: SlidingCount;
  readonly failures: SlidingCount;
  readonly latency: SlidingCount;
}

/**
 * Counts the attempts on one incarnation in sliding windows. A window is kept for each length that was asked for, and
 * each attempt counts in all of them, whichever policy it was made under. A length asked for the first time begins empty.
 */
export class AttemptWindows {
  /** Made with the first attempt, since most instances of a large registry get none. */
  #windows: AttemptWindow[] = [];

  /** Counts an attempt, and answers what there was within `windowMs`, this one included. */
  add(failed: boolean, latencyMs: number, windowMs: number, monotonic: number): RecentAttempts {
    const asked = this.#window(windowMs);
    for (const { calls, failures, latency } of this.#windows) {
      calls.add(monotonic);
      if (failed) failures.add(monotonic);
      latency.add(monotonic, latencyMs);
    }
    const calls = asked.calls.total(monotonic);
    return {
      calls,
      failures: asked.failures.total(monotonic),
      meanLatencyMs: calls === 0 ? 0 : asked.latency.total(monotonic) / calls,
    };
  }

  clear(): void {
    this.#windows = [];
  }

  #window(windowMs: number): AttemptWindow {
    const known = this.#windows.find((each) => each.windowMs === windowMs);
    if (known !== undefined) return known;
    const made = {
      windowMs,
      calls: new SlidingCount(windowMs),
      failures: new SlidingCount(windowMs),
      latency: new SlidingCount(windowMs),
    };
    if (this.#windows.length >= MAX_WINDOWS) this.#windows.shift();
    this.#windows.push(made);
    return made;
  }
}

import type { RateLimit } from '@agent-reach/sdk/decide';
import type { Clock } from '../../perceive/clock.js';
import { ChargeLog } from './charge-log.js';
import { LinkedList, type ListNode } from './linked-list.js';

const MAX_KEYS = 100_000;
/** Times remembered for all keys together: 32 MiB. */
const MAX_TIMES = 4 * 1024 * 1024;

interface Entry {
  readonly key: string;
  readonly log: ChargeLog;
}

/**
 * Exact sliding windows: within any stretch of `windowMs`, a key is charged at most `calls` times. What is refused
 * costs nothing. The limit comes with each charge, and a changed one counts what was charged under the old: all that
 * was still within the old window, and at least the last eight. Bounded in memory: the keys that were not asked for
 * longest are forgotten, and begin anew.
 */
export class RateLimits {
  readonly #entries = new Map<string, ListNode<Entry>>();
  /** Least lately asked first. */
  readonly #order = new LinkedList<Entry>();
  #times = 0;

  constructor(
    private readonly clock: Pick<Clock, 'monotonic'>,
    private readonly bounds = { maxKeys: MAX_KEYS, maxTimes: MAX_TIMES },
  ) {}

  /** Keys that are remembered. */
  get size(): number {
    return this.#order.size;
  }

  /** Charges a key: undefined when that was within its limit, else the ms after which another charge will be. */
  charge(key: string, limit: RateLimit): number | undefined {
    const { log } = this.#entry(key);
    const before = log.capacity;
    const retryAfterMs = log.charge(limit, this.clock.monotonic());
    if (log.capacity !== before) {
      this.#times += log.capacity - before;
      this.#trim();
    }
    return retryAfterMs;
  }

  /** Frees the keys whose charges are all over; called now and then. */
  expire(): void {
    const now = this.clock.monotonic();
    for (const entry of this.#order) {
      if (entry.log.idle(now)) this.#forget(entry);
    }
  }

  #entry(key: string): Entry {
    const known = this.#entries.get(key);
    if (known !== undefined) {
      this.#order.moveToEnd(known);
      return known.value;
    }
    const entry = { key, log: new ChargeLog() };
    this.#entries.set(key, this.#order.add(entry));
    this.#times += entry.log.capacity;
    this.#trim();
    return entry;
  }

  /** Never forgets the last one asked: it is the one being charged. */
  #trim(): void {
    const { maxKeys, maxTimes } = this.bounds;
    while (this.size > 1 && (this.size > maxKeys || this.#times > maxTimes)) {
      const oldest = this.#order.first;
      if (oldest === undefined) return;
      this.#forget(oldest);
    }
  }

  #forget({ key, log }: Entry): void {
    const node = this.#entries.get(key);
    if (node === undefined) return;
    this.#entries.delete(key);
    this.#order.remove(node);
    this.#times -= log.capacity;
  }
}

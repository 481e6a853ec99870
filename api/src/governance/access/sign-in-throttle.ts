import { ReachError } from '@agent-reach/sdk/protocol';

/** Failures that are allowed in a window before further attempts wait for its end. */
interface Limit {
  readonly failures: number;
  readonly windowMs: number;
}

/** A whole office may share an address; a name belongs to one person, whom others must not lock out for long. */
const BY_ADDRESS: Limit = { failures: 30, windowMs: 600_000 };
const BY_NAME: Limit = { failures: 10, windowMs: 60_000 };
/** Keys remembered at most for each of the two; the oldest are forgotten. About 2 MB. */
const MAX_KEYS = 10_000;

class Counter {
  readonly #limit: Limit;
  readonly #windows = new Map<string, { count: number; endsAt: number }>();

  constructor(limit: Limit) {
    this.#limit = limit;
  }

  /** Milliseconds to wait, 0 for none. */
  waitMs(key: string, now: number): number {
    const window = this.#windows.get(key);
    return window !== undefined && window.count >= this.#limit.failures ? Math.max(0, window.endsAt - now) : 0;
  }

  charge(key: string, now: number): void {
    const found = this.#windows.get(key);
    const window =
      found === undefined || found.endsAt <= now ? { count: 0, endsAt: now + this.#limit.windowMs } : found;
    window.count += 1;
    this.#windows.delete(key);
    this.#windows.set(key, window);
    if (this.#windows.size > MAX_KEYS) {
      const oldest = this.#windows.keys().next();
      if (!oldest.done) this.#windows.delete(oldest.value);
    }
  }

  refund(key: string): void {
    const window = this.#windows.get(key);
    if (window !== undefined && window.count > 0) window.count -= 1;
  }

  forget(key: string): void {
    this.#windows.delete(key);
  }
}

/** Slows down guessing, by address and by name. In memory: a restart forgets it. */
export class SignInThrottle {
  readonly #addresses = new Counter(BY_ADDRESS);
  readonly #names = new Counter(BY_NAME);
  readonly #now: () => number;

  constructor(options: { readonly now?: () => number } = {}) {
    this.#now = options.now ?? Date.now;
  }

  /**
   * Charges an attempt before it is looked at, so that attempts at the same time count each other. Throws RATE_LIMITED.
   * A link has no name: it can't be guessed, so only its sender is slowed down. The answer is to be called when the
   * attempt succeeded.
   */
  attempt(address: string, name: string | undefined): () => void {
    const now = this.#now();
    const from = networkOf(address);
    const retryAfterMs = Math.max(
      this.#addresses.waitMs(from, now),
      name === undefined ? 0 : this.#names.waitMs(name, now),
    );
    if (retryAfterMs > 0) {
      throw new ReachError(
        'RATE_LIMITED',
        `Too many failed sign-ins; try again in ${Math.ceil(retryAfterMs / 1000)} seconds.`,
        { retryAfterMs },
      );
    }
    this.#addresses.charge(from, now);
    if (name !== undefined) this.#names.charge(name, now);
    return () => {
      this.#addresses.refund(from);
      if (name !== undefined) this.#names.forget(name);
    };
  }
}

/** Who has one address of IPv6 has the 2^64 of its network. */
function networkOf(address: string): string {
  if (!address.includes(':') || address.startsWith('::ffff:')) return address;
  const [head = '', tail] = address.split('::', 2);
  const groups = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - after.length);
  return [...groups, ...Array<string>(zeros).fill('0'), ...after].slice(0, 4).join(':');
}

import { ERRORS, type ErrorCode } from '@agent-reach/sdk/protocol';
import { type Leave, Waiters } from '../calls/waiters.js';

/** An equal call that runs already. */
export interface EqualCall<Run, Outcome> {
  readonly first: Run;
  /** Waits for its outcome; told exactly once, unless it leaves before. */
  readonly join: (waiter: (outcome: Outcome) => void, until: number) => Leave;
}

interface Entry<Run, Outcome> {
  readonly first: Run;
  readonly depth: number;
  readonly waiters: Waiters<Outcome>;
}

/**
 * Equal calls that run at once, by their cache key: the first executes, the others may wait for what it comes to. Only
 * for what is idempotent and cached. Holds nothing of a call that has ended.
 */
export class EqualCalls<Run, Outcome> {
  readonly #entries = new Map<string, Entry<Run, Outcome>>();

  /** Keys for which a call runs. */
  get size(): number {
    return this.#entries.size;
  }

  /**
   * Undefined: the call runs by itself, and `end` is to be told of it. Otherwise the equal call that it may wait for.
   *
   * `depth`: how deep the call is nested, 0 for one that is made in nobody's service. A call only waits for one that is
   * nested at least as deep. Else two calls could wait for each other for ever: each made while a call is served that
   * the other waits for. With this rule, from a call to what it waits for (its own nested calls, one deeper; an equal
   * call, no less deep) the depth never falls and somewhere grows, so the way never comes back.
   */
  begin(key: string, run: Run, depth: number): EqualCall<Run, Outcome> | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) {
      this.#entries.set(key, { first: run, depth, waiters: new Waiters() });
      return undefined;
    }
    if (entry.depth < depth) return undefined;
    return { first: entry.first, join: (waiter, until) => entry.waiters.join(waiter, until) };
  }

  /** Whether others wait for this call. */
  awaited(key: string, run: Run): boolean {
    return this.#own(key, run)?.waiters.any === true;
  }

  /** Until when others wait for this call; monotonic ms, 0 while nobody does. */
  awaitedUntil(key: string, run: Run): number {
    return this.#own(key, run)?.waiters.until ?? 0;
  }

  /** The call ended: those who wait hear of it. Without effect for one that ran beside an equal one. */
  end(key: string, run: Run, outcome: Outcome): void {
    const entry = this.#own(key, run);
    if (entry === undefined) return;
    // Before they are told: who can't use the outcome begins anew, and the others join the first of these.
    this.#entries.delete(key);
    entry.waiters.tell(outcome);
  }

  #own(key: string, run: Run): Entry<Run, Outcome> | undefined {
    const entry = this.#entries.get(key);
    return entry?.first === run ? entry : undefined;
  }
}

/**
 * Whether a failure of the first call is the end of those who wait for it too: what came of an attempt is. What was
 * refused before one (rights, rates, loops, routes from its zone) and what its own caller's time or will brought about
 * says nothing about another caller's call, which then runs by itself.
 */
export function concernsAll(code: ErrorCode): boolean {
  return code === 'REFUSED' || ERRORS[code].breaker !== 'NEITHER';
}

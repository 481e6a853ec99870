import { ReachError } from '@agent-reach/sdk/protocol';

/** Searches that may wait over all connections, and of one. */
const MAX_WAITING = 1_000;
const MAX_WAITING_OF_ONE = 16;
const RETRY_AFTER_MS = 200;

/**
 * Lets one search run in a turn of the event loop. A search takes as long as many calls, and one message of the socket
 * library can carry a thousand frames: calls of others go in between.
 */
export class SearchTurns {
  readonly #waiting: { readonly of: object; readonly run: () => void }[] = [];
  readonly #counts = new Map<object, number>();

  /** `nextTurn` is setImmediate, or what a test plays. */
  constructor(private readonly nextTurn: (run: () => void) => void = setImmediate) {}

  /** Runs a search of somebody soon. It must not throw. Throws RATE_LIMITED when too many wait already. */
  schedule(of: object, run: () => void): void {
    const own = this.#counts.get(of) ?? 0;
    if (own >= MAX_WAITING_OF_ONE || this.#waiting.length >= MAX_WAITING) {
      throw new ReachError(
        'RATE_LIMITED',
        `At most ${MAX_WAITING_OF_ONE} searches of a connection, and ${MAX_WAITING} of all, may wait at a time.`,
        { retryAfterMs: RETRY_AFTER_MS },
      );
    }
    this.#counts.set(of, own + 1);
    this.#waiting.push({ of, run });
    if (this.#waiting.length === 1) this.nextTurn(() => this.#turn());
  }

  #turn(): void {
    const next = this.#waiting.shift();
    if (next === undefined) return;
    const left = (this.#counts.get(next.of) ?? 1) - 1;
    if (left === 0) this.#counts.delete(next.of);
    else this.#counts.set(next.of, left);
    if (this.#waiting.length > 0) this.nextTurn(() => this.#turn());
    next.run();
  }
}

import type { CommittedEntries } from './audit.batch.js';
import type { StoredAuditEntry } from './audit.entry.js';
import type { AuditStore } from './audit.store.js';

const READ_AT_ONCE = 500;
/** Further behind than this, followers are told to read anew instead of everything being replayed. */
const MAX_BEHIND = 5_000n;

/** Gets every entry in the order of its sequence, or hears that it has to read anew. */
export interface TailFollower {
  entries(entries: readonly StoredAuditEntry[]): void;
  /** Entries up to `position` were left out. */
  skipped(position: bigint): void;
}

/**
 * The end of the audit sequence as one ordered stream without gaps. Commits are heard of in any order, and some not at
 * all (another process, a connection that broke): whatever doesn't join on is read from the database.
 */
export class AuditTail {
  readonly #store: Pick<AuditStore, 'head' | 'between'>;
  readonly #follower: TailFollower;
  readonly #onError: (error: unknown) => void;
  #last: bigint | undefined;
  #target = 0n;
  #reading = false;
  #starting: Promise<void> | undefined;
  #starts = 0;

  constructor(store: Pick<AuditStore, 'head' | 'between'>, follower: TailFollower, onError: (error: unknown) => void) {
    this.#store = store;
    this.#follower = follower;
    this.#onError = onError;
  }

  /** Begins at the committed head; resolves when nothing after it can be missed. Throws STORAGE_UNAVAILABLE. */
  start(): Promise<void> {
    this.#starting ??= this.#start(++this.#starts);
    return this.#starting;
  }

  /** Forgets its place, when nobody follows. */
  stop(): void {
    this.#starting = undefined;
    this.#last = undefined;
  }

  /** Takes in a commit that was heard of. */
  committed(committed: CommittedEntries): void {
    if (this.#starting === undefined) return;
    if (committed.last > this.#target) this.#target = committed.last;
    if (this.#last === undefined || this.#reading) return;
    const entries = committed.first === this.#last + 1n ? committed.entries() : undefined;
    if (entries !== undefined) {
      this.#last = committed.last;
      this.#follower.entries(entries);
    } else if (committed.last > this.#last) {
      void this.#catchUp();
    }
  }

  /** Looks whether there are commits that were not heard of. A database that is away is tried again the next time. */
  async look(): Promise<void> {
    if (this.#last === undefined) return;
    try {
      const head = await this.#store.head();
      if (head > this.#target) this.#target = head;
    } catch (error) {
      this.#onError(error);
      return;
    }
    await this.#catchUp();
  }

  async #start(start: number): Promise<void> {
    try {
      const head = await this.#store.head();
      // All may have left, and others come, before the answer did.
      if (this.#starting === undefined || start !== this.#starts) return;
      this.#last = head;
      if (this.#target > head) void this.#catchUp();
    } catch (error) {
      if (start === this.#starts) this.#starting = undefined;
      throw error;
    }
  }

  async #catchUp(): Promise<void> {
    if (this.#reading) return;
    this.#reading = true;
    try {
      while (this.#last !== undefined && this.#last < this.#target) {
        if (this.#target - this.#last > MAX_BEHIND) {
          this.#last = this.#target;
          this.#follower.skipped(this.#last);
          continue;
        }
        const from = this.#last;
        const entries = await this.#store.between(from, this.#target, READ_AT_ONCE);
        if (this.#last !== from) continue;
        this.#last = entries.at(-1)?.sequence ?? this.#target;
        this.#follower.entries(entries);
      }
    } catch (error) {
      this.#onError(error);
    } finally {
      this.#reading = false;
    }
  }
}

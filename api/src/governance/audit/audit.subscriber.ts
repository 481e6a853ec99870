import { Pulled } from '../../perceive/streams/pulled.js';
import type { StoredAuditEntry } from './audit.entry.js';
import { type AuditSelection, selects, visiblePart } from './audit.filter.js';

/** What the audit feed yields; entries are oldest first. `position` is what `after` takes to go on from here. */
export interface AuditFeedEvent {
  readonly kind: 'SNAPSHOT' | 'CHANGE' | 'CHECKPOINT' | 'RESYNC';
  readonly position: string;
  readonly entries: readonly StoredAuditEntry[];
  readonly reason: string | null;
}

/** Entries that wait for a reader at most; about 2 MB. */
const MAX_WAITING = 1_000;
const MAX_PER_EVENT = 200;

/**
 * One reader of the feed. Who reads too slowly gets a RESYNC in place of what had to be dropped; its memory stays
 * bounded.
 */
export class AuditSubscriber extends Pulled<AuditFeedEvent> {
  readonly #selection: AuditSelection;
  readonly #onEnd: () => void;
  /** Events before the live ones: a snapshot, or what a resumed reader missed. */
  readonly #first: AuditFeedEvent[] = [];
  #waiting: StoredAuditEntry[] = [];
  /** Up to here everything was offered. */
  #seen = 0n;
  #live = false;
  #resync: string | undefined;
  #checkpoint = false;

  constructor(selection: AuditSelection, onEnd: () => void) {
    super();
    this.#selection = selection;
    this.#onEnd = onEnd;
  }

  /** Begins with these events, which cover everything up to `position`; what was offered beyond follows. */
  begin(events: readonly AuditFeedEvent[], position: bigint): void {
    this.#first.push(...events);
    this.#waiting = this.#waiting.filter((entry) => entry.sequence > position);
    if (position > this.#seen) this.#seen = position;
    this.#live = true;
    this.wake();
  }

  /** Takes the next entries of the whole sequence and keeps those that its reader asked for. */
  offer(entries: readonly StoredAuditEntry[]): void {
    const last = entries.at(-1)?.sequence;
    if (this.ended || last === undefined) return;
    const { scope } = this.#selection;
    for (const entry of entries) {
      if (entry.sequence <= this.#seen) continue;
      if (this.#resync === undefined && selects(this.#selection, entry)) this.#waiting.push(visiblePart(scope, entry));
    }
    if (last > this.#seen) this.#seen = last;
    if (this.#waiting.length > MAX_WAITING) this.#drop(`more than ${MAX_WAITING} entries were waiting to be read`);
    this.wake();
  }

  /** Entries up to a position were left out. */
  skip(position: bigint): void {
    if (position > this.#seen) this.#seen = position;
    this.#drop('the feed fell behind');
    this.wake();
  }

  /** Says where the feed is, unless something else is about to. */
  checkpoint(): void {
    this.#checkpoint = true;
    this.wake();
  }

  #drop(reason: string): void {
    this.#waiting = [];
    this.#resync = reason;
  }

  protected release(): void {
    this.#first.length = 0;
    this.#waiting = [];
    this.#onEnd();
  }

  protected take(): AuditFeedEvent | undefined {
    if (!this.#live) return undefined;
    const first = this.#first.shift();
    if (first !== undefined) return first;
    if (this.#resync !== undefined) {
      const reason = this.#resync;
      this.#resync = undefined;
      return this.#event('RESYNC', this.#seen, [], reason);
    }
    if (this.#waiting.length > 0) {
      const entries = this.#waiting.splice(0, MAX_PER_EVENT);
      const position = this.#waiting.length === 0 ? this.#seen : (entries.at(-1)?.sequence ?? this.#seen);
      this.#checkpoint = false;
      return this.#event('CHANGE', position, entries);
    }
    if (!this.#checkpoint) return undefined;
    this.#checkpoint = false;
    return this.#event('CHECKPOINT', this.#seen, []);
  }

  #event(
    kind: AuditFeedEvent['kind'],
    position: bigint,
    entries: readonly StoredAuditEntry[],
    reason: string | null = null,
  ): AuditFeedEvent {
    return { kind, position: String(position), entries, reason };
  }
}

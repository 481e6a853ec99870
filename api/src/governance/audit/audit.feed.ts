import type { CommittedEntries } from './audit.batch.js';
import type { AuditSelection } from './audit.filter.js';
import { type AuditStore, isSequence } from './audit.store.js';
import { type AuditFeedEvent, AuditSubscriber } from './audit.subscriber.js';
import { AuditTail } from './audit.tail.js';

export type { AuditFeedEvent } from './audit.subscriber.js';

const SNAPSHOT_SIZE = 50;
const CHECKPOINT_MS = 10_000;
/** What a resumed reader missed is replayed up to so many entries, looked for among so many; else it reads anew. */
const MAX_REPLAYED = 1_000;
const MAX_SEARCHED = 200_000n;

export interface AuditFeedOptions {
  readonly store: Pick<AuditStore, 'head' | 'newest' | 'between'>;
  /** A read in the background failed; it is tried again. */
  readonly onError?: (error: unknown) => void;
}

export interface OpenFeedOptions extends AuditSelection {
  /** Position of an earlier event, to go on from there. */
  readonly after?: string | null | undefined;
}

/** Audit entries as they are committed, as a stream for any number of readers. */
export class AuditFeed {
  readonly #store: AuditFeedOptions['store'];
  readonly #subscribers = new Set<AuditSubscriber>();
  readonly #tail: AuditTail;
  #timer: NodeJS.Timeout | undefined;

  constructor({ store, onError = () => {} }: AuditFeedOptions) {
    this.#store = store;
    const follower = {
      entries: (entries: Parameters<AuditSubscriber['offer']>[0]): void => {
        for (const subscriber of this.#subscribers) subscriber.offer(entries);
      },
      skipped: (position: bigint): void => {
        for (const subscriber of this.#subscribers) subscriber.skip(position);
      },
    };
    this.#tail = new AuditTail(store, follower, onError);
  }

  /** Takes in entries that were just committed, by changes or by the loader. */
  committed(committed: CommittedEntries): void {
    if (this.#subscribers.size > 0) this.#tail.committed(committed);
  }

  /**
   * Opens a stream, attached at once: a SNAPSHOT of the last 50 entries, or what came after `after`, then each CHANGE,
   * a CHECKPOINT every 10 s, and RESYNC where something had to be left out. End it with `return()`. Its `next()` rejects
   * with STORAGE_UNAVAILABLE when it cannot begin.
   */
  open({ after, ...selection }: OpenFeedOptions): AsyncIterableIterator<AuditFeedEvent> {
    const subscriber: AuditSubscriber = new AuditSubscriber(selection, () => this.#left(subscriber));
    this.#subscribers.add(subscriber);
    this.#timer ??= setInterval(() => void this.checkpoint(), CHECKPOINT_MS).unref();
    this.#begin(subscriber, selection, after ?? undefined).catch((error: unknown) => subscriber.fail(error));
    return subscriber;
  }

  /** Catches up with commits that were not heard of and tells every reader where the feed is. */
  async checkpoint(): Promise<void> {
    await this.#tail.look();
    for (const subscriber of this.#subscribers) subscriber.checkpoint();
  }

  /** Ends all streams. */
  close(): void {
    for (const subscriber of [...this.#subscribers]) void subscriber.return();
  }

  async #begin(subscriber: AuditSubscriber, selection: AuditSelection, after: string | undefined): Promise<void> {
    // The order is what makes it complete: the tail runs before the head is read, so that all beyond that is offered.
    await this.#tail.start();
    const head = await this.#store.head();
    if (subscriber.ended) return;
    const events =
      after === undefined ? await this.#snapshot(selection, head) : await this.#missed(selection, after, head);
    subscriber.begin(events, head);
  }

  async #snapshot(selection: AuditSelection, head: bigint): Promise<AuditFeedEvent[]> {
    const entries = await this.#store.newest(selection, head, SNAPSHOT_SIZE);
    return [{ kind: 'SNAPSHOT', position: String(head), entries, reason: null }];
  }

  async #missed(selection: AuditSelection, after: string, head: bigint): Promise<AuditFeedEvent[]> {
    const resync = (reason: string): AuditFeedEvent[] => [
      { kind: 'RESYNC', position: String(head), entries: [], reason },
    ];
    const from = isSequence(after) ? BigInt(after) : undefined;
    if (from === undefined || from > head) return resync('the position is not one of this feed');
    if (head - from > MAX_SEARCHED) return resync('the position is too far back');
    const entries = await this.#store.between(from, head, MAX_REPLAYED + 1, selection);
    if (entries.length > MAX_REPLAYED) return resync(`more than ${MAX_REPLAYED} entries were missed`);
    return entries.length === 0 ? [] : [{ kind: 'CHANGE', position: String(head), entries, reason: null }];
  }

  #left(subscriber: AuditSubscriber): void {
    this.#subscribers.delete(subscriber);
    if (this.#subscribers.size > 0) return;
    this.#tail.stop();
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

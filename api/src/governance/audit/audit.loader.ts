import { setTimeout as delay } from 'node:timers/promises';
import type { Journal, JournalPosition } from '../../storage/journal.js';
import { type CommittedEntries, storeBatch } from './audit.batch.js';
import type { LoaderDatabase } from './audit.connection.js';
import { deleteCursor, readCursor } from './audit.cursor.js';
import type { AuditKey } from './chain/chain.keys.js';

/** Least time from one batch to the next, so that single records gather. */
const GATHER_MS = 50;
/** A batch that took so long is followed by a pause four times as long: a fifth of a core at most. */
const PAUSE_RATIO = 4;
/** While calls need the machine: a twentieth of a core. */
const BUSY_PAUSE_RATIO = 19;
const MAX_PAUSE_MS = 2_000;
/** How often it looks without having been woken. */
const IDLE_MS = 1_000;
/** Given to a batch that was under way when the time to stop was over. */
const STOP_GRACE_MS = 500;
const MIN_BACKOFF_MS = 250;
const MAX_BACKOFF_MS = 5_000;
/**
 * Bytes of the journal in one batch: about 270 calls. More would be stored with less work for each, but hold the audit
 * head for longer at a time; this is some 20 ms.
 */
const BATCH_BYTES = 262_144;

export interface AuditLoaderOptions {
  /** Whether calls need the machine more, and the journal can wait. */
  readonly busy: () => boolean;
  readonly journal: Pick<Journal, 'segments' | 'readBatch' | 'removeSegment'>;
  readonly database: LoaderDatabase;
  /** What the chain goes on with. */
  readonly auditKey: AuditKey;
  /** Hears of each batch in the tick in which its commit was confirmed; its entries can be made in that tick only. */
  readonly onCommitted: (committed: CommittedEntries) => void;
  readonly log: {
    warn(details: { readonly [key: string]: unknown }, message: string): void;
    info(details: { readonly [key: string]: unknown }, message: string): void;
  };
  /** Wall clock, ms since 1970. */
  readonly now?: () => number;
}

export interface AuditLoaderStatus {
  /** Why nothing is loaded now; undefined while all is well. */
  readonly failure: string | undefined;
  /** Records since the start that could not be stored as they were. */
  readonly unreadable: number;
}

/**
 * Moves the journal into Postgres, oldest record first, each exactly once. Backs off while Postgres is away and goes on
 * where the committed cursor stands.
 */
export class AuditLoader {
  readonly #options: AuditLoaderOptions;
  readonly #now: () => number;
  readonly #buffer = Buffer.allocUnsafeSlow(BATCH_BYTES);
  /** Where the next batch begins; undefined when the database has to be asked. */
  #position: JournalPosition | undefined;
  #running: Promise<void> | undefined;
  #stopping = false;
  #stopBy = Number.POSITIVE_INFINITY;
  #woken = false;
  #endSleep: (() => void) | undefined;
  #failure: string | undefined;
  #unreadable = 0;

  constructor(options: AuditLoaderOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Loads in the background until `stop`. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** There is something new in the journal. */
  wake(): void {
    if (this.#woken) return;
    this.#woken = true;
    this.#endSleep?.();
  }

  /**
   * Loads what is left without pauses, for so many ms at most and only while the database answers, then ends. What stays
   * in the journal is loaded after the next start.
   */
  async stop(withinMs: number): Promise<void> {
    this.#stopping = true;
    this.#stopBy = performance.now() + withinMs;
    this.#woken = true;
    this.#endSleep?.();
    // A database that hangs must not keep the server from stopping.
    await Promise.race([this.#running, delay(withinMs + STOP_GRACE_MS, undefined, { ref: false })]);
  }

  status(): AuditLoaderStatus {
    return { failure: this.#failure, unreadable: this.#unreadable };
  }

  /** Loads one batch. Answers whether there may be more at once. Throws what storage and journal throw. */
  async loadBatch(): Promise<boolean> {
    const { journal, database } = this.#options;
    const from = this.#position ?? (await this.#find());
    if (from === undefined) return false;
    const batch = await journal.readBatch(from, this.#buffer);
    if (batch.position.offset > from.offset) {
      // Until the answer is in, nobody knows where the cursor stands.
      this.#position = undefined;
      const answer = await storeBatch(database, this.#options.auditKey, batch, from, this.#now());
      if (answer.kind === 'MOVED') return true;
      this.#position = batch.position;
      if (answer.unreadable > 0) {
        this.#unreadable += answer.unreadable;
        this.#options.log.warn(
          { segment: from.segment, unreadable: answer.unreadable },
          'audit records were unreadable',
        );
      }
      this.#options.onCommitted(answer.committed);
    }
    if (!batch.segmentDone) return batch.position.offset > from.offset;
    this.#position = undefined;
    // In this order: a cursor without its segment is harmless, a segment without its cursor would be loaded again.
    await journal.removeSegment(from.segment);
    await deleteCursor(database, from.segment);
    return true;
  }

  /** The committed position in the oldest segment. */
  async #find(): Promise<JournalPosition | undefined> {
    const [segment] = this.#options.journal.segments();
    if (segment === undefined) return undefined;
    return { segment, offset: await readCursor(this.#options.database, segment) };
  }

  async #run(): Promise<void> {
    let backoffMs = MIN_BACKOFF_MS;
    while (!this.#stopping || performance.now() < this.#stopBy) {
      this.#woken = false;
      // A batch that began before the stop may not have seen the journal's last records.
      const isLast = this.#stopping;
      const startedAt = performance.now();
      try {
        const more = await this.loadBatch();
        if (this.#failure !== undefined) this.#options.log.info({}, 'audit records are loaded again');
        this.#failure = undefined;
        backoffMs = MIN_BACKOFF_MS;
        if (isLast && !more) return;
        if (!more) await this.#sleep(IDLE_MS, true);
        // After the wake-up, too: the record that woke the loader is written at the end of its tick.
        const pauseMs = more
          ? (performance.now() - startedAt) * (this.#options.busy() ? BUSY_PAUSE_RATIO : PAUSE_RATIO)
          : GATHER_MS;
        await this.#sleep(Math.min(MAX_PAUSE_MS, pauseMs), false);
      } catch (error) {
        this.#position = undefined;
        const reason = error instanceof Error ? error.message : String(error);
        if (this.#failure === undefined) this.#options.log.warn({ err: error }, 'audit records wait in the journal');
        this.#failure = reason;
        if (this.#stopping) return;
        await this.#sleep(backoffMs * (0.5 + Math.random() / 2), false);
        backoffMs = Math.min(MAX_BACKOFF_MS, backoffMs * 2);
      }
    }
  }

  /** Ends early when the loader is stopped, and, where that is wanted, when it is woken. */
  async #sleep(ms: number, wakeable: boolean): Promise<void> {
    if (this.#stopping || (wakeable && this.#woken)) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#endSleep = () => {
        if (!wakeable && !this.#stopping) return;
        clearTimeout(timer);
        resolve();
      };
    });
    this.#endSleep = undefined;
  }
}

import { isDataError } from '../audit/audit.connection.js';
import type { BatchAnswer } from './claim.batch.js';
import { type ClaimOperation, ClaimQueue } from './claim.operations.js';

/** Operations in one batch, and bytes of outcomes, at most. */
const MAX_BATCH = 1_000;
const MAX_BATCH_BYTES = 4 * 1024 * 1024;
/** A batch of so many shows that calls are many: then it pays to let more of them gather. */
const BUSY_BATCH = 8;
/** How long they gather then. A batch costs about as much by itself as ten operations, so that larger ones cost less. */
const GATHER_MS = 2;
const MIN_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 1_000;

export interface BatchLoopDeps {
  /** Throws what the database throws; then the same batch is written again. */
  readonly write: (batch: readonly ClaimOperation[]) => Promise<BatchAnswer>;
  readonly written: (batch: readonly ClaimOperation[], answer: BatchAnswer) => void;
  readonly log: Record<'error' | 'warn' | 'info', (details: Record<string, unknown>, message: string) => void>;
}

/**
 * Group commit: one batch is under way while the next one gathers. While the database is away the batch is tried again
 * until it is written.
 */
export class BatchLoop {
  readonly queue = new ClaimQueue();
  /** Why nothing can be written now; undefined while all is well. */
  failure: string | undefined;
  #underWay: readonly ClaimOperation[] = [];
  /** Written, and being told of. */
  #told: readonly ClaimOperation[] = [];
  /** A batch is written, or will be in a moment. */
  #busy = false;
  #lastBatch = 0;
  /** Time of performance.now() at which tries end. */
  #stopBy = Number.POSITIVE_INFINITY;
  #endSleep: (() => void) | undefined;
  #onIdle: (() => void) | undefined;

  constructor(private readonly deps: BatchLoopDeps) {}

  /** What was sent, or will be next, and whose callers don't know yet that it is written. */
  get underWay(): readonly ClaimOperation[] {
    return this.#told.length === 0 ? this.#underWay : [...this.#told, ...this.#underWay];
  }

  push(operation: ClaimOperation): void {
    this.queue.push(operation);
    if (!this.#busy) this.#schedule();
  }

  /** Ends with what waits written, or after so many ms. What comes later is not written. */
  async stop(withinMs: number): Promise<void> {
    this.#stopBy = performance.now() + withinMs;
    if (this.#busy) {
      const idle = new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
      this.#endSleep?.();
      await Promise.race([idle, new Promise((resolve) => setTimeout(resolve, withinMs).unref())]);
    }
    this.#stopBy = 0;
  }

  #schedule(): void {
    this.#busy = true;
    const begin = (): void => void this.#writeNext();
    if (this.#lastBatch >= BUSY_BATCH) setTimeout(begin, GATHER_MS);
    // At the end of the tick: what comes in one turn of the event loop goes out together.
    else setImmediate(begin);
  }

  async #writeNext(): Promise<void> {
    const batch = this.queue.take(MAX_BATCH, MAX_BATCH_BYTES);
    this.#underWay = batch;
    this.#lastBatch = batch.length;
    const answer = await this.#write(batch);
    this.#underWay = [];
    this.#told = batch;
    // The database works on the next batch, if one has gathered, while callers hear of this one.
    if (this.queue.size >= BUSY_BATCH && performance.now() < this.#stopBy) void this.#writeNext();
    else this.#busy = false;
    if (answer !== undefined) this.deps.written(batch, answer);
    this.#told = [];
    if (this.#busy) return;
    if (this.queue.size > 0) this.#schedule();
    else this.#onIdle?.();
  }

  /**
   * Writes until the database answers, and gives that answer. Undefined: the time to stop has come, or the batch was
   * written in parts and told of.
   */
  async #write(batch: readonly ClaimOperation[]): Promise<BatchAnswer | undefined> {
    let backoffMs = MIN_BACKOFF_MS;
    while (batch.length > 0 && performance.now() < this.#stopBy) {
      try {
        const answer = await this.deps.write(batch);
        this.#succeeded();
        return answer;
      } catch (error) {
        if (isDataError(error)) return await this.#writeApart(batch, error);
        this.#failed(error);
        await this.#sleep(backoffMs * (0.5 + Math.random() / 2));
        backoffMs = Math.min(MAX_BACKOFF_MS, backoffMs * 2);
      }
    }
    return undefined;
  }

  /** The database refuses one of them for what it says, and would again: it must not keep the others from being written. */
  async #writeApart(batch: readonly ClaimOperation[], error: unknown): Promise<undefined> {
    if (batch.length === 1) {
      this.deps.log.error({ err: error, kind: batch[0]?.write.kind }, 'the database refused a claim');
      return;
    }
    const middle = batch.length >> 1;
    for (const part of [batch.slice(0, middle), batch.slice(middle)]) {
      const answer = await this.#write(part);
      if (answer !== undefined) this.deps.written(part, answer);
    }
  }

  #succeeded(): void {
    if (this.failure !== undefined) this.deps.log.info({}, 'claims are written again');
    this.failure = undefined;
  }

  #failed(error: unknown): void {
    if (this.failure === undefined) this.deps.log.warn({ err: error }, 'claims wait for the database');
    this.failure = error instanceof Error ? error.message : String(error);
  }

  /** Ends early when the loop is to stop. */
  async #sleep(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#endSleep = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#endSleep = undefined;
  }
}

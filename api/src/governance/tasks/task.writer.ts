import type { JsonObject } from '@agent-reach/sdk/protocol';
import type {
  NewTask,
  OpenTask,
  TaskDispatch,
  TaskEnd,
  TaskOpened,
  TaskStore,
} from '../../execute/tasks/tasks.port.js';
import { isDataError } from '../audit/audit.connection.js';
import type { ClaimDatabase } from '../claims/claim.connection.js';
import { type BatchAnswer, knownTask, writeBatch } from './task.batch.js';
import { type TaskBatch, type TaskOperation, TaskQueue } from './task.operations.js';
import { openedRow, sealedEnd, type TaskSealer } from './task.rows.js';

/** How long progress may wait to be written, ms. */
const PROGRESS_MS = 500;
const MIN_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 1_000;

export interface TaskWriterDeps {
  /** A connection of its own. */
  readonly database: ClaimDatabase;
  readonly sealer: TaskSealer;
  /** This server's number, from `raiseNodeEpoch`. */
  readonly epoch: bigint;
  readonly openTasks: () => Promise<readonly OpenTask[]>;
  /** Wall clock, ms since 1970. */
  readonly now: () => number;
  /** Another server took over the database; told once. Nothing is written any more. */
  readonly onFenced: () => void;
  /** A webhook may be due by now. */
  readonly onWebhookDue: () => void;
  readonly log: {
    error(details: { readonly [key: string]: unknown }, message: string): void;
    warn(details: { readonly [key: string]: unknown }, message: string): void;
    info(details: { readonly [key: string]: unknown }, message: string): void;
  };
}

export interface TaskWriterStatus {
  /** Operations that are not durable yet. */
  readonly waiting: number;
  /** Why nothing can be written now; undefined while all is well. */
  readonly failure: string | undefined;
  readonly fenced: boolean;
}

/**
 * Tasks in Postgres with group commit: one batch is under way, the next one gathers. While the database is away the
 * batch is tried again until it is written. In a server that another one took over from, only `open` is answered: an
 * end that it can't keep must not be confirmed to the instance as if it were kept.
 */
export class TaskWriter implements TaskStore {
  readonly #queue = new TaskQueue();
  #underWay: readonly TaskOperation[] = [];
  #writing = false;
  #timer: NodeJS.Timeout | undefined;
  #failure: string | undefined;
  #fenced = false;
  /** Time of performance.now() at which tries end. */
  #stopBy = Number.POSITIVE_INFINITY;
  #endSleep: (() => void) | undefined;
  #onIdle: (() => void) | undefined;

  constructor(private readonly deps: TaskWriterDeps) {}

  open(task: NewTask, opened: (answer: TaskOpened) => void): void {
    if (this.#fenced) return queueMicrotask(() => opened({ kind: 'FENCED' }));
    const row = openedRow(task, this.deps.sealer);
    this.#push({ kind: 'OPEN', taskId: task.taskId, abandoned: false, task, row, opened });
  }

  move(to: TaskDispatch, done: (moved: boolean) => void): void {
    this.#push({ kind: 'MOVE', taskId: to.taskId, abandoned: false, to, at: this.#at(), done });
  }

  drop(taskId: string): void {
    if (this.#queue.withdraw(taskId)) return;
    const opening = this.#underWay.find((one) => one.kind === 'OPEN' && one.taskId === taskId);
    if (opening !== undefined) opening.abandoned = true;
    this.#push({ kind: 'DROP', taskId, abandoned: false });
  }

  progress(taskId: string, epoch: number, progress: JsonObject): void {
    if (this.#fenced) return;
    const sealed = this.deps.sealer.seal(taskId, 'progress', progress).toString('base64');
    this.#queue.setProgress(taskId, { epoch, progress: sealed, at: this.#at() });
    this.#schedule(PROGRESS_MS);
  }

  end(taskId: string, epoch: number, end: TaskEnd, done: (ended: boolean) => void): void {
    const outcome = sealedEnd(taskId, end, this.deps.sealer);
    const at = this.#at();
    this.#push({
      kind: 'END',
      taskId,
      abandoned: false,
      epoch,
      state: end.state,
      outcome,
      progress: undefined,
      at,
      done,
    });
  }

  openTasks(): Promise<readonly OpenTask[]> {
    return this.deps.openTasks();
  }

  status(): TaskWriterStatus {
    return { waiting: this.#queue.size + this.#underWay.length, failure: this.#failure, fenced: this.#fenced };
  }

  /** Writes what waits, for so many ms at most, and ends the connection. */
  async close(withinMs: number): Promise<void> {
    this.#stopBy = performance.now() + withinMs;
    if ((this.#writing || this.#queue.size > 0) && !this.#fenced) {
      const idle = new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
      this.#endSleep?.();
      this.#begin();
      await Promise.race([idle, new Promise((resolve) => setTimeout(resolve, withinMs).unref())]);
    }
    this.#stopBy = 0;
    clearTimeout(this.#timer);
    await this.deps.database.close();
  }

  #at(): string {
    return new Date(this.deps.now()).toISOString();
  }

  #push(operation: TaskOperation): void {
    if (this.#fenced) return;
    this.#queue.push(operation);
    // At the end of the tick: what comes in one turn of the event loop goes out together.
    if (!this.#writing) {
      this.#writing = true;
      setImmediate(() => void this.#drain());
    }
  }

  #schedule(ms: number): void {
    if (this.#writing || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => this.#begin(), ms);
    this.#timer.unref();
  }

  #begin(): void {
    if (this.#writing) return;
    this.#writing = true;
    void this.#drain();
  }

  async #drain(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    do {
      const batch = this.#queue.take();
      this.#underWay = batch.operations;
      await this.#write(batch);
      this.#underWay = [];
    } while ((this.#queue.urgent || this.#onIdle !== undefined) && this.#queue.size > 0 && this.#goesOn());
    this.#writing = false;
    if (this.#queue.size > 0) this.#schedule(PROGRESS_MS);
    this.#onIdle?.();
  }

  #goesOn(): boolean {
    return !this.#fenced && performance.now() < this.#stopBy;
  }

  /** Until it is written, or the time to stop has come. */
  async #write(batch: TaskBatch): Promise<void> {
    let backoffMs = MIN_BACKOFF_MS;
    while (this.#goesOn()) {
      try {
        const answer = await writeBatch(this.deps.database, this.deps.epoch, batch);
        // What was written before, and only the answer lost, makes nothing due a second time.
        const repeated = this.#failure !== undefined;
        if (repeated) this.deps.log.info({}, 'tasks are written again');
        this.#failure = undefined;
        this.#settle(batch.operations, answer);
        if (answer.kind === 'WRITTEN' && (answer.due || repeated)) this.#tell(this.deps.onWebhookDue);
        return;
      } catch (error) {
        if (isDataError(error)) return await this.#writeApart(batch, error);
        this.#failed(error);
        await this.#sleep(backoffMs * (0.5 + Math.random() / 2));
        backoffMs = Math.min(MAX_BACKOFF_MS, backoffMs * 2);
      }
    }
  }

  /** The database refuses one of them for what it says, and would again: it must not keep the others from being written. */
  async #writeApart({ operations, progress }: TaskBatch, error: unknown): Promise<void> {
    const parts: TaskBatch[] = [
      ...operations.map((one) => ({ operations: [one], progress: new Map() })),
      ...Array.from(progress, (one) => ({ operations: [], progress: new Map([one]) })),
    ];
    if (parts.length === 1) {
      this.deps.log.error({ err: error, kind: operations[0]?.kind ?? 'PROGRESS' }, 'the database refused a task');
      for (const operation of operations) this.#refused(operation);
      return;
    }
    for (const part of parts) await this.#write(part);
  }

  /** It is not written and never will be: whoever waits for it is told. */
  #refused(operation: TaskOperation): void {
    if (operation.kind === 'OPEN') {
      if (!operation.abandoned) this.#tell(() => operation.opened({ kind: 'FENCED' }));
    } else if (operation.kind !== 'DROP') this.#tell(() => operation.done(false));
  }

  #settle(operations: readonly TaskOperation[], answer: BatchAnswer): void {
    if (answer.kind === 'FENCED') return this.#fence(operations);
    operations.forEach((operation, index) => {
      const written = answer.written[index];
      const done = written?.kind === 'DONE';
      const found = written?.kind === 'NOT' ? written.found : undefined;
      switch (operation.kind) {
        case 'OPEN':
          if (operation.abandoned) return;
          if (done) this.#tell(() => operation.opened({ kind: 'OPENED' }));
          else if (found !== undefined) this.#tell(() => operation.opened(knownTask(operation, found)));
          // Whoever had its place gave it up in this moment.
          else this.#queue.unshift(operation);
          return;
        case 'MOVE':
        case 'END':
          this.#tell(() => operation.done(done));
          return;
        case 'DROP':
          return;
        default:
          operation satisfies never;
      }
    });
  }

  #fence(operations: readonly TaskOperation[]): void {
    this.#fenced = true;
    this.deps.log.error({}, 'another server took over the database; this one writes no task any more');
    let waiting = operations;
    do {
      for (const operation of waiting) {
        if (operation.kind !== 'OPEN' || operation.abandoned) continue;
        this.#tell(() => operation.opened({ kind: 'FENCED' }));
      }
      waiting = this.#queue.take().operations;
    } while (waiting.length > 0);
    this.#tell(this.deps.onFenced);
  }

  /** A listener that fails must not keep the others from hearing of theirs. */
  #tell(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      this.deps.log.error({ err: error }, 'a listener of a task failed');
    }
  }

  #failed(error: unknown): void {
    if (this.#failure === undefined) this.deps.log.warn({ err: error }, 'tasks wait for the database');
    this.#failure = error instanceof Error ? error.message : String(error);
  }

  /** Ends early when the writer is to close. */
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

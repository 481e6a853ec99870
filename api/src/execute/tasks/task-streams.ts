import type { TaskStreamEvent, TaskView } from '@agent-reach/sdk/protocol';
import { TaskChanges } from './task-changes.js';
import type { TaskDesk } from './task-desk.js';
import { filtered, sightOf, type TaskSight } from './task-sight.js';
import { seenOf, TaskStreamReader } from './task-stream-reader.js';

export interface TaskStreamsDeps {
  /** One life of this server; positions are `epoch.counter`. */
  readonly epoch: string;
  /** What is open now. */
  readonly open: () => readonly TaskView[];
  /** A task that is not open; tried again until the store answers. */
  readonly find: (taskId: string) => Promise<TaskView | undefined>;
  /** Resolves after so many ms. */
  readonly pause: (ms: number) => Promise<void>;
}

const FIND_PAUSE_MS = 1_000;

/** Tasks as a stream for any number of readers, each with bounded memory. */
export class TaskStreams {
  readonly #changes = new TaskChanges();
  readonly #readers = new Set<TaskStreamReader>();

  constructor(private readonly deps: TaskStreamsDeps) {}

  /** `bytes`: about what the task's progress or result takes. */
  publish(task: TaskView, bytes: number): void {
    const change = this.#changes.add(task, bytes);
    for (const reader of this.#readers) reader.offer(change);
  }

  /** Tells every reader its position; the composition root calls it every 10 s. */
  checkpoint(): void {
    for (const reader of this.#readers) reader.checkpoint(this.#changes.counter);
  }

  /** Ends every stream, when the server stops. */
  close(): void {
    for (const reader of this.#readers) void reader.return();
  }

  open({ after, filter, reader: who }: Parameters<TaskDesk['open']>[0]): AsyncIterableIterator<TaskStreamEvent> {
    const sight = filtered(sightOf(who), filter);
    const { counter } = this.#changes;
    const reader: TaskStreamReader = new TaskStreamReader({
      sight,
      position: this.#position,
      snapshot: () => ({ counter: this.#changes.counter, tasks: this.deps.open() }),
      onEnd: () => this.#readers.delete(reader),
    });
    const missed = after === undefined ? undefined : this.#since(after);
    if (after !== undefined && missed === undefined) {
      reader.begin({ kind: 'Resync', position: this.#position(counter) });
    }
    if (missed === undefined) {
      const tasks = seenOf(this.deps.open(), sight);
      const begin = (found: readonly TaskView[]): TaskStreamEvent => ({
        kind: 'Snapshot',
        position: this.#position(counter),
        tasks: found,
      });
      if (filter?.taskId === undefined || tasks.length > 0) reader.begin(begin(tasks));
      else void reader.beginWith(this.#find(filter.taskId, sight, reader).then(begin));
    } else {
      for (const change of missed) reader.offer(change);
      reader.checkpoint(counter);
    }
    this.#readers.add(reader);
    return reader;
  }

  /** A task that is not open: how it ended, once the store can say it. */
  async #find(taskId: string, sight: TaskSight, reader: TaskStreamReader): Promise<readonly TaskView[]> {
    while (!reader.ended) {
      try {
        const task = await this.deps.find(taskId);
        return task === undefined ? [] : seenOf([task], sight);
      } catch {
        // The database is away: whoever follows one task waits for it rather than hear that it doesn't exist.
        await this.deps.pause(FIND_PAUSE_MS);
      }
    }
    return [];
  }

  readonly #position = (counter: number): string => `${this.deps.epoch}.${counter}`;

  #since(after: string) {
    const [epoch, text = ''] = after.split('.');
    return epoch === this.deps.epoch && /^\d+$/.test(text) ? this.#changes.since(Number(text)) : undefined;
  }
}

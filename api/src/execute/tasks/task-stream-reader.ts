import type { TaskStreamEvent, TaskView } from '@agent-reach/sdk/protocol';
import type { NumberedTask } from './task-changes.js';
import type { TaskSight } from './task-sight.js';

/** What may wait for one reader; beyond that it begins anew. */
const MAX_WAITING = 1_000;
const MAX_WAITING_BYTES = 8 * 1024 * 1024;

export interface TaskStreamReaderDeps {
  readonly sight: TaskSight;
  readonly position: (counter: number) => string;
  /** What is open now, and the counter that belongs to it. */
  readonly snapshot: () => { readonly counter: number; readonly tasks: Iterable<TaskView> };
  readonly onEnd: () => void;
}

/**
 * One reader of tasks: what it has not taken yet, only the newest state of each task. One that lags too far gets Resync
 * and a snapshot instead of what it missed.
 */
export class TaskStreamReader implements AsyncIterableIterator<TaskStreamEvent> {
  readonly #beginning: TaskStreamEvent[] = [];
  readonly #changes = new Map<string, NumberedTask>();
  #bytes = 0;
  /** Something has to come first that is not there yet. */
  #held = false;
  #lagging = false;
  #checkpoint: number | undefined;
  #waiting: ((result: IteratorResult<TaskStreamEvent>) => void) | undefined;
  #ended = false;

  constructor(private readonly deps: TaskStreamReaderDeps) {}

  get ended(): boolean {
    return this.#ended;
  }

  /** What comes before any change. */
  begin(event: TaskStreamEvent): void {
    this.#beginning.push(event);
  }

  /** Begins with `event`, once that is there; until then nothing is given out. */
  async beginWith(event: Promise<TaskStreamEvent>): Promise<void> {
    this.#held = true;
    this.#beginning.push(await event);
    this.#held = false;
    this.#wake();
  }

  offer({ counter, task, bytes }: NumberedTask): void {
    const seen = this.deps.sight(task);
    if (seen === undefined || this.#lagging) return;
    // Deleting first moves it to the end, so that positions stay in order.
    this.#drop(seen.taskId);
    this.#changes.set(seen.taskId, { counter, task: seen, bytes });
    this.#bytes += bytes;
    if (this.#changes.size > MAX_WAITING || this.#bytes > MAX_WAITING_BYTES) {
      this.#clear();
      this.#lagging = true;
    }
    this.#wake();
  }

  checkpoint(counter: number): void {
    this.#checkpoint = counter;
    this.#wake();
  }

  next(): Promise<IteratorResult<TaskStreamEvent>> {
    if (this.#ended) return Promise.resolve({ done: true, value: undefined });
    const event = this.#take();
    if (event !== undefined) return Promise.resolve({ done: false, value: event });
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  return(): Promise<IteratorResult<TaskStreamEvent>> {
    this.#ended = true;
    this.#clear();
    this.deps.onEnd();
    this.#waiting?.({ done: true, value: undefined });
    this.#waiting = undefined;
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #wake(): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    const event = this.#take();
    if (event === undefined) return;
    this.#waiting = undefined;
    waiting({ done: false, value: event });
  }

  #take(): TaskStreamEvent | undefined {
    if (this.#held) return undefined;
    const beginning = this.#beginning.shift();
    if (beginning !== undefined) return beginning;
    const { position } = this.deps;
    if (this.#lagging) {
      this.#lagging = false;
      const snapshot = this.#snapshot();
      this.#beginning.push(snapshot);
      return { kind: 'Resync', position: snapshot.position };
    }
    for (const [taskId, { counter, task }] of this.#changes) {
      this.#drop(taskId);
      return { kind: 'Change', position: position(counter), task };
    }
    if (this.#checkpoint === undefined) return undefined;
    const counter = this.#checkpoint;
    this.#checkpoint = undefined;
    return { kind: 'Checkpoint', position: position(counter) };
  }

  #drop(taskId: string): void {
    this.#bytes -= this.#changes.get(taskId)?.bytes ?? 0;
    this.#changes.delete(taskId);
  }

  #clear(): void {
    this.#changes.clear();
    this.#bytes = 0;
  }

  #snapshot(): TaskStreamEvent {
    const { sight, position, snapshot } = this.deps;
    const { counter, tasks } = snapshot();
    return { kind: 'Snapshot', position: position(counter), tasks: seenOf(tasks, sight) };
  }
}

export function seenOf(tasks: Iterable<TaskView>, sight: TaskSight): TaskView[] {
  return Array.from(tasks, sight).filter((task) => task !== undefined);
}

import type { TaskView } from '@agent-reach/sdk/protocol';

/** A change with its place in the order of changes. */
export interface NumberedTask {
  readonly counter: number;
  readonly task: TaskView;
  /** About how much it takes. */
  readonly bytes: number;
}

const KEPT_TASKS = 5_000;
const KEPT_BYTES = 32 * 1024 * 1024;
/** What a task takes beside its progress and result. */
const BASE_BYTES = 1_024;

/** The newest state of the tasks that changed lately, for readers who come back. Bounded; the oldest change goes first. */
export class TaskChanges {
  /** In the order of their latest change. */
  readonly #kept = new Map<string, NumberedTask>();
  #bytes = 0;
  #counter = 0;
  /** Up to here changes were forgotten. */
  #forgotten = 0;

  /** The counter of the latest change. */
  get counter(): number {
    return this.#counter;
  }

  add(task: TaskView, bytes: number): NumberedTask {
    this.#drop(task.taskId);
    const change = { counter: ++this.#counter, task, bytes: bytes + BASE_BYTES };
    this.#kept.set(task.taskId, change);
    this.#bytes += change.bytes;
    for (const [taskId, { counter }] of this.#kept) {
      if (this.#kept.size <= KEPT_TASKS && this.#bytes <= KEPT_BYTES) break;
      this.#drop(taskId);
      this.#forgotten = counter;
    }
    return change;
  }

  /** The newest state of each task that changed since; undefined when some of it is forgotten. */
  since(counter: number): NumberedTask[] | undefined {
    if (!Number.isInteger(counter) || counter < this.#forgotten || counter > this.#counter) return undefined;
    return [...this.#kept.values()].filter((change) => change.counter > counter);
  }

  #drop(taskId: string): void {
    this.#bytes -= this.#kept.get(taskId)?.bytes ?? 0;
    this.#kept.delete(taskId);
  }
}

import type { NewTask, TaskDispatch, TaskOpened } from '../../execute/tasks/tasks.port.js';
import type { OpenedRow } from './task.statements.js';

/** Something to be written of a task. */
export type TaskOperation = { readonly taskId: string; abandoned: boolean } & (
  | {
      readonly kind: 'OPEN';
      readonly task: NewTask;
      readonly row: OpenedRow;
      readonly opened: (answer: TaskOpened) => void;
    }
  | { readonly kind: 'MOVE'; readonly to: TaskDispatch; readonly at: string; readonly done: (moved: boolean) => void }
  | {
      readonly kind: 'END';
      readonly epoch: number;
      readonly state: string;
      /** Sealed, base64. */
      readonly outcome: string;
      /** The last one, where it was not written yet. */
      progress: TaskProgress | undefined;
      readonly at: string;
      readonly done: (ended: boolean) => void;
    }
  | { readonly kind: 'DROP' }
);

/** Newest progress of a task. */
export interface TaskProgress {
  readonly epoch: number;
  readonly progress: string;
  readonly at: string;
}

export interface TaskBatch {
  readonly operations: readonly TaskOperation[];
  readonly progress: ReadonlyMap<string, TaskProgress>;
}

const MAX_OPERATIONS = 200;
const MAX_PROGRESS = 500;
const MAX_BYTES = 8 * 1024 * 1024;

/** What waits to be written, in its order; of progress only the newest of each task. */
export class TaskQueue {
  #operations: TaskOperation[] = [];
  readonly #progress = new Map<string, TaskProgress>();

  get size(): number {
    return this.#operations.length + this.#progress.size;
  }

  /** Whether something waits that somebody waits for. */
  get urgent(): boolean {
    return this.#operations.length > 0;
  }

  push(operation: TaskOperation): void {
    this.#operations.push(operation);
    if (operation.kind === 'OPEN') return;
    // How far it came is seen after its end too; with another instance it begins anew.
    if (operation.kind === 'END') operation.progress = this.#progress.get(operation.taskId);
    this.#progress.delete(operation.taskId);
  }

  /** Puts back what could not be written. */
  unshift(operation: TaskOperation): void {
    this.#operations.unshift(operation);
  }

  setProgress(taskId: string, progress: TaskProgress): void {
    this.#progress.set(taskId, progress);
  }

  /** The opening of a task that has not been taken yet; it is then removed. */
  withdraw(taskId: string): boolean {
    const index = this.#operations.findIndex((one) => one.kind === 'OPEN' && one.taskId === taskId);
    if (index === -1) return false;
    this.#operations.splice(index, 1);
    return true;
  }

  /**
   * The next batch: no task twice, so that each keeps its order, and nothing opened beside what is dropped, since the
   * one may need the other's place.
   */
  take(): TaskBatch {
    const taken = new Set<string>();
    let bytes = 0;
    let drops = false;
    let count = 0;
    for (const operation of this.#operations) {
      const { kind, taskId } = operation;
      if (taken.has(taskId) || (drops && kind === 'OPEN')) break;
      if (count === MAX_OPERATIONS || bytes > MAX_BYTES) break;
      taken.add(taskId);
      if (kind === 'DROP') drops = true;
      if (kind === 'END') bytes += operation.outcome.length;
      if (kind === 'OPEN') bytes += operation.row.request.length;
      count++;
    }
    const operations = this.#operations.splice(0, count);
    const progress = new Map<string, TaskProgress>();
    for (const [taskId, newest] of this.#progress) {
      if (progress.size === MAX_PROGRESS || bytes > MAX_BYTES) break;
      if (taken.has(taskId)) continue;
      progress.set(taskId, newest);
      this.#progress.delete(taskId);
      bytes += newest.progress.length;
    }
    return { operations, progress };
  }
}

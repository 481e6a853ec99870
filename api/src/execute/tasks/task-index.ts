import type { InstanceRef } from '@agent-reach/sdk/protocol';
import type { TaskRun } from './task-run.js';

/** The tasks that have not ended: by id, by their present dispatch, and by the instance that it belongs to. */
export class TaskIndex {
  readonly #byId = new Map<string, TaskRun>();
  readonly #byDispatch = new Map<string, TaskRun>();
  readonly #byInstance = new Map<InstanceRef, Set<TaskRun>>();

  get size(): number {
    return this.#byId.size;
  }

  all(): Iterable<TaskRun> {
    return this.#byId.values();
  }

  get(taskId: string): TaskRun | undefined {
    return this.#byId.get(taskId);
  }

  dispatched(dispatchId: string): TaskRun | undefined {
    return this.#byDispatch.get(dispatchId);
  }

  /** A copy, so that the caller may move tasks while it walks. */
  at(ref: InstanceRef): TaskRun[] {
    return [...(this.#byInstance.get(ref) ?? [])];
  }

  /** Adds a task, or its present dispatch after `unplace`. */
  place(run: TaskRun): void {
    const { dispatchId, instance } = run.dispatch;
    this.#byId.set(run.taskId, run);
    this.#byDispatch.set(dispatchId, run);
    const there = this.#byInstance.get(instance);
    if (there === undefined) this.#byInstance.set(instance, new Set([run]));
    else there.add(run);
  }

  /** Its dispatch is no longer the present one. */
  unplace(run: TaskRun): void {
    const { dispatchId, instance } = run.dispatch;
    this.#byDispatch.delete(dispatchId);
    const there = this.#byInstance.get(instance);
    there?.delete(run);
    if (there?.size === 0) this.#byInstance.delete(instance);
  }

  remove(run: TaskRun): void {
    this.unplace(run);
    this.#byId.delete(run.taskId);
  }
}

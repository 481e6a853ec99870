import type { AgentRef, CallerRef, TaskFilter, TaskState, TaskStreamEvent, TaskView } from '@agent-reach/sdk/protocol';

/** Namespaces that somebody may see; of the same form as the scope of a credential. */
export type TaskScope = { readonly all: true } | { readonly all: false; readonly namespaces: ReadonlySet<string> };

/**
 * Who looks at tasks. A caller sees its own, whole. People see those of the namespaces in `scope`; progress and result
 * only in `contents`, the namespaces where they are OPERATOR or ADMIN. What is outside answers like what doesn't exist.
 */
export type TaskReader =
  | { readonly kind: 'CALLER'; readonly caller: CallerRef }
  | { readonly kind: 'PEOPLE'; readonly scope: TaskScope; readonly contents: TaskScope };

/** What is given must all match. */
export interface TaskListFilter {
  readonly namespace?: string | undefined;
  readonly states?: readonly TaskState[] | undefined;
  readonly caller?: CallerRef | undefined;
  readonly agent?: AgentRef | undefined;
  readonly capability?: string | undefined;
  readonly requestId?: string | undefined;
}

/** Which tasks of a stream: those that match all that is given. */
export interface TaskStreamFilter extends TaskFilter {
  readonly namespace?: string;
  readonly agent?: AgentRef;
  readonly capability?: string;
}

/** Which part of the list is asked for; the same form as every other page request. Keys are `taskKey`s. */
export interface TaskPageRequest {
  /** 1 to 200 */
  readonly limit: number;
  readonly direction: 'FORWARD' | 'BACKWARD';
  readonly after: readonly string[] | undefined;
  readonly before: readonly string[] | undefined;
}

/** One part of the list, newest tasks first. */
export interface TaskPage {
  readonly items: readonly TaskView[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
}

/** What the list is ordered by, newest first: the key of its cursors. */
export function taskKey(task: TaskView): readonly string[] {
  return [task.createdAt, task.taskId];
}

/** What transports do with tasks that were accepted. Ended tasks stay for 24 h. */
export interface TaskDesk {
  /** Rejects with NOT_FOUND, or STORAGE_UNAVAILABLE while the database is away. */
  get(taskId: string, reader: TaskReader): Promise<TaskView>;
  /** Rejects with INVALID_INPUT for a cursor that isn't one of this list, or STORAGE_UNAVAILABLE. */
  page(reader: TaskReader, filter: TaskListFilter, request: TaskPageRequest): Promise<TaskPage>;
  /**
   * Ends a task as CANCELLED and asks its instance to stop; resolves when that is stored. A task that had ended before
   * stays as it is and is the answer. Rejects with NOT_FOUND or STORAGE_UNAVAILABLE.
   *
   * @param actor who cancels, for audit
   */
  cancel(taskId: string, reader: TaskReader, actor: string): Promise<TaskView>;
  /**
   * Tasks as a stream: a Snapshot of those that are open now, then each change, ends included. With `after` it goes on
   * behind that position; Resync and a new Snapshot when that can't be. With `filter.taskId` the Snapshot holds that task
   * also when it has ended. A slow reader gets the newest state of each task. End it with `return()`.
   */
  open(options: {
    readonly after?: string | undefined;
    readonly filter?: TaskStreamFilter | undefined;
    readonly reader: TaskReader;
  }): AsyncIterableIterator<TaskStreamEvent>;
}

import type { Domain } from '@agent-reach/sdk/decide';
import type {
  AgentRef,
  CallerRef,
  CancelReason,
  InstanceRef,
  JsonObject,
  TaskCallback,
  TaskState,
  TaskView,
  WireError,
} from '@agent-reach/sdk/protocol';
import type { Instance } from '../../perceive/instance.js';
import type { CallRequest } from '../ports.js';
import type { TaskListFilter, TaskPage, TaskPageRequest, TaskReader } from './task-desk.js';

/** The present dispatch of a task. What comes from an earlier one, or from a later one of another server, changes nothing. */
export interface TaskDispatch {
  readonly taskId: string;
  /** 1 for the first. */
  readonly epoch: number;
  readonly instance: InstanceRef;
  readonly agent: AgentRef;
  readonly incarnation: string;
  readonly dispatchId: string;
}

/** Ends a task whatever its epoch: greater than any. */
export const ANY_EPOCH = 2_147_483_647;

/** Who asked for a task, as far as dispatching it again needs it. */
export interface TaskCaller {
  readonly caller: CallerRef;
  readonly namespace: string | undefined;
  readonly roles: readonly string[];
  readonly zone: string | undefined;
  readonly domain: Domain;
}

/** A task before it is sent to anybody. */
export interface NewTask extends TaskDispatch {
  readonly requestId: string;
  readonly namespace: string;
  readonly capability: string;
  readonly paramsHash: string;
  readonly idempotent: boolean;
  readonly caller: TaskCaller;
  readonly request: CallRequest;
  /** Wall clock, ms since 1970. */
  readonly createdAt: number;
  /** Wall clock, ms since 1970: when it ends by itself. */
  readonly deadlineAt: number;
  readonly callback: TaskCallback | undefined;
}

/** A task that has not ended, as it is loaded after a restart. */
export interface OpenTask extends Omit<NewTask, 'callback'> {
  readonly state: 'ACCEPTED' | 'RUNNING';
  readonly progress: JsonObject | undefined;
}

export type TaskEnd =
  | { readonly state: 'COMPLETED'; readonly result: unknown }
  | { readonly state: 'FAILED' | 'CANCELLED' | 'UNKNOWN'; readonly error: WireError };

export type TaskOpened =
  | { readonly kind: 'OPENED' }
  /** The same caller used the requestId for a task before. `sameRequest`: with equal parameters and target. */
  | { readonly kind: 'KNOWN'; readonly taskId: string; readonly sameRequest: boolean }
  /** It can't be stored here: another server took over the database, or that refuses it for what it holds. */
  | { readonly kind: 'FENCED' };

/**
 * Where tasks are durable. Writes wait while the database is away and are tried again; `open` until `drop`. All are
 * conditional on the task's epoch and on this server being the newest: once another one took over the database, nothing
 * is answered any more but `open`, as FENCED. Operations on one task keep their order.
 */
export interface TaskStore {
  open(task: NewTask, opened: (answer: TaskOpened) => void): void;
  /**
   * The next dispatch of a task, before it is sent; `epoch` is the new one, or the present one while nobody took it.
   * `done(false)`: the task ended meanwhile, or a later epoch is the present one.
   */
  move(to: TaskDispatch, done: (moved: boolean) => void): void;
  /** Nobody took it: it never was. */
  drop(taskId: string): void;
  /** Newest progress; best effort, gathered. */
  progress(taskId: string, epoch: number, progress: JsonObject): void;
  /**
   * Ends a task, its webhook's outbox row with it in one commit. `done(false)`: it had ended otherwise, or a later epoch
   * than this is the present one. An UNKNOWN task may still be ended as COMPLETED or FAILED.
   */
  end(taskId: string, epoch: number, end: TaskEnd, done: (ended: boolean) => void): void;
  /** Those that have not ended. */
  openTasks(): Promise<readonly OpenTask[]>;
}

/** Tasks as they are stored, for what is not in memory. Each rejects with STORAGE_UNAVAILABLE while the database is away. */
export interface TaskReads {
  find(taskId: string): Promise<TaskView | undefined>;
  /** The task whose present dispatch, or last one, is this. */
  ofDispatch(dispatchId: string): Promise<TaskView | undefined>;
  /** Rejects with INVALID_INPUT for a foreign cursor. */
  page(reader: TaskReader, filter: TaskListFilter, request: TaskPageRequest): Promise<TaskPage>;
}

/** Sends a task (again) through the ordinary way of a call: decide, retry, confirm. Implemented by the executor. */
export interface TaskDispatcher {
  /**
   * `epoch` is that of the first new dispatch, each further one has the next. `ended`: an instance accepted it, or why
   * nobody did, and the newest epoch that a dispatch had; `epoch - 1` where nothing was dispatched.
   */
  dispatch(task: OpenTask, epoch: number, ended: (error: WireError | undefined, newest: number) => void): void;
}

/** What the executor tells of tasks. Implemented by the TaskRunner. */
export interface TaskKeeper {
  /**
   * An instance accepted the dispatch of a task that is durable as such. From here on the keeper owns it: its slot in
   * `instance.live.tasks`, which was counted when it was reserved, its deadline, its result. Called in the same turn in
   * which the ack or the result came, before that result is handed on.
   */
  accepted(task: NewTask | OpenTask, dispatch: TaskDispatch, instance: Instance): void;
  /**
   * Another dispatch took the place of this one, which its instance did not accept, or not in time. It may have executed
   * the task all the same: its result is confirmed when it comes, so that it need not be sent for ever.
   */
  superseded(dispatch: TaskDispatch): void;
  /**
   * Ends a task as CANCELLED and asks its instance to stop. Resolves with what it came to, which is another end where
   * that was decided before; undefined for a task that is not open here. `by`: who cancels, for audit.
   */
  cancel(taskId: string, by: string, reason: CancelReason): Promise<TaskView> | undefined;
}

export type { TaskState };

import { ReachError, TASK_ENDS, type TaskStreamEvent, type TaskView, type WireError } from '../protocol/index.js';
import type { CallRequest } from './call-request.js';
import type { Clock } from './clock.js';
import { EventStream, type OpenStream, type StreamHost } from './event-stream.js';
import { CallError } from './failures.js';
import { Faults } from './faults.js';

/** A task that you started, or whose id you kept. */
export interface TaskHandle<R = unknown> {
  readonly taskId: string;
  /**
   * Resolves with the result; over reconnects, and restarts of the server. Rejects with a CallError when the task failed,
   * was cancelled (CANCELLED), took too long (DEADLINE_EXCEEDED) or can't be known (OUTCOME_UNKNOWN), and with NOT_FOUND
   * when it isn't yours or ended more than a day ago.
   */
  result(): Promise<R>;
  /** The task as it is now, then each change, the end included; a slow reader gets the newest. */
  updates(): AsyncIterable<TaskView>;
  /**
   * Asks the agent to stop. Resolves when the task has ended: as CANCELLED, or otherwise if it was faster. Rejects with
   * NOT_FOUND as `result` does.
   */
  cancel(): Promise<void>;
}

/** What following tasks needs of the connection. */
export interface TaskHost extends StreamHost {
  readonly clock: Clock;
  nextId(): string;
  addStream(id: string, stream: OpenStream): void;
}

/** The call that a task belongs to. */
interface TaskCall extends Pick<CallRequest, 'signal' | 'onUpdate'> {
  readonly requestId: string;
}

/** How long to wait when the connection has as many streams as it may have, in ms. */
const STREAMS_FULL_WAIT_MS = 500;

/** Follows tasks of this caller. Each follower has a stream of its own, which begins with the task as it is. */
export class Tasks {
  constructor(private readonly host: TaskHost) {}

  /** Throws INVALID_INPUT when it can't be the id of a task. */
  handle<R = unknown>(taskId: string): TaskHandle<R> {
    const faults = new Faults();
    faults.text('taskId', taskId, 1, 64);
    faults.raise('task');
    return {
      taskId,
      result: async () => (await this.end(taskId)).result as R,
      updates: () => this.views(taskId),
      cancel: () => this.cancel(taskId),
    };
  }

  /** The task when it has ended as COMPLETED; rejects with its error otherwise. Aborting the call cancels the task. */
  async end(taskId: string, call?: TaskCall): Promise<TaskView> {
    const last = await this.lastView(taskId, call);
    if (last?.state === 'COMPLETED') return last;
    if (last !== undefined) throw failureOf(last);
    if (call === undefined || !call.signal?.aborted) throw closed();
    // At once, since whoever aborts may close the connection next; its end is not waited for.
    this.sendCancel(taskId);
    this.cancel(taskId).catch(() => undefined);
    throw new CallError(CANCELLED, { requestId: call.requestId, attempts: 0 });
  }

  private async lastView(taskId: string, call: TaskCall | undefined): Promise<TaskView | undefined> {
    for await (const view of this.views(taskId, call?.signal)) {
      call?.onUpdate?.(view);
      if (hasEnded(view)) return view;
    }
    return undefined;
  }

  private async cancel(taskId: string): Promise<void> {
    for await (const event of this.events(taskId)) {
      const view = viewOf(event, taskId);
      if (view !== undefined && hasEnded(view)) return;
      // Again at each sign of life: a cancel that was sent when the connection broke is lost.
      if (event.kind !== 'Change') this.sendCancel(taskId);
    }
    throw closed();
  }

  private sendCancel(taskId: string): void {
    this.host.send(JSON.stringify({ type: 'cancel', taskId }));
  }

  private async *views(taskId: string, signal?: AbortSignal): AsyncGenerator<TaskView> {
    for await (const event of this.events(taskId, signal)) {
      const view = viewOf(event, taskId);
      if (view === undefined) continue;
      yield view;
      if (hasEnded(view)) return;
    }
  }

  /** The events of one task. Waits for its turn when the connection has as many streams as it may have. */
  private async *events(taskId: string, signal?: AbortSignal): AsyncGenerator<TaskStreamEvent> {
    for (;;) {
      try {
        yield* this.stream(taskId, signal);
        return;
      } catch (error) {
        if (!(error instanceof ReachError && error.code === 'RATE_LIMITED')) throw error;
        await this.wait(error.retryAfterMs ?? STREAMS_FULL_WAIT_MS);
      }
    }
  }

  private stream(taskId: string, signal: AbortSignal | undefined): EventStream<TaskStreamEvent> {
    const id = this.host.nextId();
    const keyOf = ({ task }: { readonly task: TaskView }) => task.taskId;
    const stream = new EventStream<TaskStreamEvent>(
      id,
      { stream: 'tasks', filter: { taskId }, signal, keyOf },
      this.host,
    );
    if (!signal?.aborted) this.host.addStream(id, stream);
    return stream;
  }

  private wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.host.clock.after(ms, resolve);
    });
  }
}

/** The task in an event, if it says something of it. A snapshot without it: there is no such task for this caller. */
function viewOf(event: TaskStreamEvent, taskId: string): TaskView | undefined {
  if (event.kind === 'Change') return event.task.taskId === taskId ? event.task : undefined;
  if (event.kind !== 'Snapshot') return undefined;
  const view = event.tasks.find((task) => task.taskId === taskId);
  if (view === undefined) throw new ReachError('NOT_FOUND', `there is no task ${taskId} of yours`);
  return view;
}

const hasEnded = ({ state }: TaskView) => TASK_ENDS.includes(state);

function failureOf({ state, error, requestId, epoch, instance }: TaskView): CallError {
  const failure = error ?? {
    code: 'INTERNAL',
    message: `the task ended as ${state} without an error`,
    retryable: false,
  };
  return new CallError(failure, { requestId, attempts: epoch, instance });
}

const CANCELLED: WireError = { code: 'CANCELLED', message: 'the call was cancelled', retryable: false };

const closed = () => new ReachError('CANCELLED', 'the connection was closed by this program; the task goes on');

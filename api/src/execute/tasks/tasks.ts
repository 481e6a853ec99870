import { ReachError, TASK_ENDS, type TaskStreamEvent, type TaskView } from '@agent-reach/sdk/protocol';
import { CallbackTimer } from '../attempts/timing-wheel.js';
import { DispatchDesk, type DispatchDeskDeps } from './dispatch-desk.js';
import type { TaskDesk, TaskListFilter, TaskPage, TaskPageRequest, TaskReader } from './task-desk.js';
import { TaskRunner, type TaskRunnerDeps } from './task-runner.js';
import { seen, sightOf } from './task-sight.js';
import { TaskStreams } from './task-streams.js';
import type { TaskReads } from './tasks.port.js';

/** How long whoever ended a task waits for that to be stored, ms. */
const STORED_MS = 10_000;

export interface TasksDeps extends Omit<TaskRunnerDeps, 'onChange' | 'reads'> {
  readonly reads: TaskReads;
  /** One life of this server. */
  readonly epoch: string;
}

/** Accepted tasks: what runs them, what tells of them, and the desk that transports come to. */
export class Tasks implements TaskDesk {
  readonly runner: TaskRunner;
  readonly streams: TaskStreams;

  constructor(private readonly deps: TasksDeps) {
    this.runner = new TaskRunner({ ...deps, onChange: (task, bytes) => this.streams.publish(task, bytes) });
    this.streams = new TaskStreams({
      epoch: deps.epoch,
      open: () => this.runner.views(),
      find: (taskId) => deps.reads.find(taskId),
      pause: (ms) => this.#pause(ms),
    });
  }

  async get(taskId: string, reader: TaskReader): Promise<TaskView> {
    const task = this.runner.view(taskId) ?? (await this.deps.reads.find(taskId));
    const visible = task === undefined ? undefined : seen(task, sightOf(reader));
    if (visible === undefined) throw notFound(taskId);
    return visible;
  }

  async page(reader: TaskReader, filter: TaskListFilter, request: TaskPageRequest): Promise<TaskPage> {
    const page = await this.deps.reads.page(reader, filter, request);
    const sight = sightOf(reader);
    // What is stored of progress may be a moment old.
    const items = page.items.map((task) => seen(this.runner.view(task.taskId) ?? task, sight)).filter((task) => !!task);
    return { ...page, items };
  }

  async cancel(taskId: string, reader: TaskReader, actor: string): Promise<TaskView> {
    const task = await this.get(taskId, reader);
    if (TASK_ENDS.includes(task.state)) return task;
    const ended = this.runner.cancel(taskId, actor, reader.kind === 'CALLER' ? 'CALLER' : 'OPERATOR');
    if (ended !== undefined) return seen(await this.#inTime(ended), sightOf(reader)) ?? task;
    const now = await this.deps.reads.find(taskId);
    if (now !== undefined && TASK_ENDS.includes(now.state)) return seen(now, sightOf(reader)) ?? task;
    throw new ReachError('CONFLICT', `The task ${taskId} is not accepted yet; cancel it in a moment.`, {
      retryable: true,
    });
  }

  open(options: Parameters<TaskDesk['open']>[0]): AsyncIterableIterator<TaskStreamEvent> {
    return this.streams.open(options);
  }

  /** Where agents without a connection of their own report. */
  reports(attempts: DispatchDeskDeps['attempts']): DispatchDesk {
    const { reads, instances } = this.deps;
    return new DispatchDesk({ runner: this.runner, attempts, reads, instances, inTime: (done) => this.#inTime(done) });
  }

  /** The end goes on to be stored. */
  #inTime<T>(stored: Promise<T>): Promise<T> {
    const late = this.#pause(STORED_MS).then(() => {
      throw new ReachError(
        'STORAGE_UNAVAILABLE',
        'The end of the task could not be stored yet, since the database is away; it is when that is back.',
      );
    });
    return Promise.race([stored, late]);
  }

  #pause(ms: number): Promise<void> {
    const { wheel, clock } = this.deps;
    return new Promise((resolve) => {
      wheel.arm(new CallbackTimer(resolve), clock.monotonic() + ms);
    });
  }
}

function notFound(taskId: string): ReachError {
  return new ReachError('NOT_FOUND', `There is no task ${taskId}, or this credential may not see it.`);
}

import { TASK_ENDS, type TaskStreamEvent, type TaskView } from '@agent-reach/sdk/protocol';
import { StreamHub } from '../../perceive/streams/stream-hub.js';
import type { StreamSubject } from '../../perceive/streams/stream-subject.js';
import type { TaskDesk } from './task-desk.js';
import { seen, sightOf, type TaskFacets, type TaskSight } from './task-sight.js';

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

type TaskStates = Extract<TaskStreamEvent, { kind: 'Snapshot' | 'Change' }>;

/** Tasks as a stream for any number of readers, each with bounded memory. */
export class TaskStreams {
  readonly #hub: StreamHub<TaskView, TaskFacets, TaskStates>;

  constructor(private readonly deps: TaskStreamsDeps) {
    this.#hub = new StreamHub(deps.epoch, { ...SUBJECT, current: () => deps.open() });
  }

  /** `bytes`: about what the task's progress or result takes. */
  publish(task: TaskView, bytes: number): void {
    this.#hub.publish(task, bytes);
  }

  /** Tells every reader its position; the composition root calls it every 10 s. */
  checkpoint(): void {
    this.#hub.checkpoint();
  }

  /** Ends every stream, when the server stops. */
  close(): void {
    this.#hub.close();
  }

  open({ after, filter, reader: who }: Parameters<TaskDesk['open']>[0]): AsyncIterableIterator<TaskStreamEvent> {
    const sight = sightOf(who, filter);
    const taskId = filter?.taskId;
    return this.#hub.open({
      after,
      ...sight,
      elsewhere: taskId === undefined ? undefined : (reader) => this.#find(taskId, sight, reader),
    });
  }

  /** A task that is not open: how it ended, once the store can say it. */
  async #find(taskId: string, sight: TaskSight, reader: { readonly ended: boolean }): Promise<readonly TaskView[]> {
    while (!reader.ended) {
      try {
        const task = await this.deps.find(taskId);
        const visible = task === undefined ? undefined : seen(task, sight);
        return visible === undefined ? [] : [visible];
      } catch {
        // The database is away: whoever follows one task waits for it rather than hear that it doesn't exist.
        await this.deps.pause(FIND_PAUSE_MS);
      }
    }
    return [];
  }
}

const SUBJECT: Omit<StreamSubject<TaskView, TaskFacets, TaskStates>, 'current'> = {
  keyOf: ({ taskId }) => taskId,
  facetsOf: ({ taskId, caller, namespace, agent, capability }) => ({ taskId, caller, namespace, agent, capability }),
  sameFacets: (a, b) => a.agent === b.agent,
  isGone: ({ state }) => TASK_ENDS.includes(state),
  snapshot: (position, tasks) => ({ kind: 'Snapshot', position, tasks }),
  change: (position, task) => ({ kind: 'Change', position, task }),
  maxWaiting: 1_000,
  maxWaitingBytes: 8 * 1024 * 1024,
};

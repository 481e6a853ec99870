import type { TaskEvent, TaskRow } from './tasks.operations';

/** Ended tasks that are remembered, so that a page which was queried before their end shows it. */
const KEPT = 1_000;

/** What the stream has told so far: the newest state of each task. */
export interface LiveTasks {
  readonly tasks: ReadonlyMap<string, TaskRow>;
  /** Grows when a task came or changed its state: lists that were queried are then outdated. */
  readonly structure: number;
}

export const NO_LIVE_TASKS: LiveTasks = { tasks: new Map(), structure: 0 };

/** Takes the next event of the stream. */
export function takeTasks(live: LiveTasks, event: Pick<TaskEvent, 'kind' | 'tasks'>): LiveTasks {
  switch (event.kind) {
    case 'SNAPSHOT':
      // Ends that fell between two streams are only in the list that is queried again.
      return { tasks: new Map(event.tasks.map((task) => [task.taskId, task])), structure: live.structure + 1 };
    case 'CHANGE': {
      const tasks = new Map(live.tasks);
      let { structure } = live;
      for (const task of event.tasks) {
        const old = tasks.get(task.taskId);
        if (old !== undefined && !isNewer(task, old)) continue;
        if (old?.state !== task.state || old.instance !== task.instance) structure += 1;
        // Deleting first moves it to the end: the oldest news go first.
        tasks.delete(task.taskId);
        tasks.set(task.taskId, task);
      }
      for (const [id, task] of tasks) {
        if (tasks.size <= KEPT) break;
        if (isEnded(task)) tasks.delete(id);
      }
      return { tasks, structure };
    }
    case 'CHECKPOINT':
    case 'RESYNC':
      return live;
  }
}

/** A queried task, or what the stream has told since. */
export function newest(queried: TaskRow, live: LiveTasks): TaskRow {
  const told = live.tasks.get(queried.taskId);
  return told !== undefined && isNewer(told, queried) ? told : queried;
}

export function isEnded({ state }: Pick<TaskRow, 'state'>): boolean {
  return state !== 'ACCEPTED' && state !== 'RUNNING';
}

/** Of two with the same time the one that came later counts. */
function isNewer(one: TaskRow, other: TaskRow): boolean {
  return one.epoch === other.epoch ? one.updatedAt >= other.updatedAt : one.epoch > other.epoch;
}

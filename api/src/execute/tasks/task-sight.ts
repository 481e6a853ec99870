import type { TaskView } from '@agent-reach/sdk/protocol';
import type { StreamSight } from '../../perceive/streams/stream-subject.js';
import type { TaskReader, TaskScope, TaskStreamFilter } from './task-desk.js';

/** What decides whether somebody sees a task. */
export type TaskFacets = Pick<TaskView, 'taskId' | 'caller' | 'namespace' | 'agent' | 'capability'>;

/** What somebody sees of tasks. */
export type TaskSight = StreamSight<TaskView, TaskFacets>;

/** What a reader sees of the tasks that a filter lets pass. */
export function sightOf(reader: TaskReader, filter: TaskStreamFilter = {}): TaskSight {
  const passes = passing(filter);
  if (reader.kind === 'CALLER') return { concerns: (task) => task.caller === reader.caller && passes(task) };
  const { scope, contents } = reader;
  return {
    concerns: (task) => includes(scope, task.namespace) && passes(task),
    show: contents.all ? undefined : (task) => (includes(contents, task.namespace) ? task : withoutContents(task)),
  };
}

/** One task as its reader sees it; undefined for nothing. */
export function seen(task: TaskView, { concerns, show }: TaskSight): TaskView | undefined {
  if (!concerns(task)) return undefined;
  return show === undefined ? task : show(task);
}

function passing({ taskId, namespace, agent, capability }: TaskStreamFilter): (task: TaskFacets) => boolean {
  return (task) =>
    (taskId === undefined || task.taskId === taskId) &&
    (namespace === undefined || task.namespace === namespace) &&
    (agent === undefined || task.agent === agent) &&
    (capability === undefined || task.capability === capability);
}

function includes(scope: TaskScope, namespace: string): boolean {
  return scope.all || scope.namespaces.has(namespace);
}

function withoutContents({ progress: _, result: __, ...task }: TaskView): TaskView {
  return task;
}

import type { TaskView } from '@agent-reach/sdk/protocol';
import type { TaskReader, TaskScope, TaskStreamFilter } from './task-desk.js';

/** What somebody sees of a task; undefined for nothing. */
export type TaskSight = (task: TaskView) => TaskView | undefined;

/** What a reader sees of tasks. */
export function sightOf(reader: TaskReader): TaskSight {
  if (reader.kind === 'CALLER') return (task) => (task.caller === reader.caller ? task : undefined);
  return (task) => {
    if (!includes(reader.scope, task.namespace)) return undefined;
    return includes(reader.contents, task.namespace) ? task : withoutContents(task);
  };
}

/** Only tasks that a filter lets pass. */
export function filtered(sight: TaskSight, filter: TaskStreamFilter | undefined): TaskSight {
  if (filter === undefined) return sight;
  const { taskId, namespace, agent, capability } = filter;
  return (task) => {
    if (taskId !== undefined && task.taskId !== taskId) return undefined;
    if (namespace !== undefined && task.namespace !== namespace) return undefined;
    if (agent !== undefined && task.agent !== agent) return undefined;
    if (capability !== undefined && task.capability !== capability) return undefined;
    return sight(task);
  };
}

function includes(scope: TaskScope, namespace: string): boolean {
  return scope.all || scope.namespaces.has(namespace);
}

function withoutContents({ progress: _, result: __, ...task }: TaskView): TaskView {
  return task;
}

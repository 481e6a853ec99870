import type { TaskView } from '../protocol/index.js';

/** A task as one line for a person. */
export function taskLine({ updatedAt, state, taskId, instance, progress }: TaskView): string {
  const told = progress === undefined || state !== 'RUNNING' ? '' : `  ${JSON.stringify(progress)}`;
  return `${updatedAt}  ${state.padEnd(9)}  task ${taskId}  ${instance}${told}`;
}

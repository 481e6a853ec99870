import type { Command } from 'commander';
import { CallError, type TaskView } from '../client/index.js';
import type { Io } from './io.js';
import { taskLine } from './task-lines.js';
import { type Access, withReach } from './with-reach.js';

interface TaskOptions extends Access {
  readonly json?: boolean;
  readonly now?: boolean;
}

/** Adds `reach task`. */
export function addTaskCommand(program: Command, io: Io): void {
  program
    .command('task')
    .description('follow one of your tasks to its end, and print its result as JSON; Ctrl-C leaves it running')
    .argument('<id>', 'the id that the task got when it was accepted')
    .option('--now', 'only tell how it stands, without waiting')
    .option('--json', 'one JSON object a line, for each change, instead of lines for people')
    .action((taskId: string, _options: unknown, command: Command) =>
      follow(taskId, command.optsWithGlobals<TaskOptions>(), io),
    );
}

/** Adds `reach cancel`. */
export function addCancelCommand(program: Command, io: Io): void {
  program
    .command('cancel')
    .description('ask the agent to stop one of your tasks, and wait until it has ended')
    .argument('<id>', 'the id that the task got when it was accepted')
    .action((taskId: string, _options: unknown, command: Command) =>
      withReach(command.optsWithGlobals<Access>(), io, async (reach) => {
        await unlessInterrupted(reach.task(taskId).cancel(), io);
        if (!io.interrupted.aborted) io.err(`task ${taskId} has ended`);
      }),
    );
}

async function follow(taskId: string, options: TaskOptions, io: Io): Promise<void> {
  await withReach(options, io, async (reach) => {
    const updates = reach.task(taskId).updates()[Symbol.asyncIterator]();
    for (;;) {
      const next = await unlessInterrupted(updates.next(), io);
      if (next === undefined || next.done) return;
      tell(next.value, options, io);
      if (options.now) return;
    }
  });
}

/** One state of a task. Throws the error of one that failed. */
function tell(task: TaskView, options: TaskOptions, io: Io): void {
  if (options.json) io.out(JSON.stringify(task));
  else io.err(taskLine(task));
  if (task.state === 'COMPLETED' && !options.json) io.out(JSON.stringify(task.result, null, 2));
  if (task.error !== undefined)
    throw new CallError(task.error, { requestId: task.requestId, attempts: task.epoch, instance: task.instance });
}

/** What is waited for, or undefined when the user ends the command. */
function unlessInterrupted<T>(waited: Promise<T>, io: Io): Promise<T | undefined> {
  if (io.interrupted.aborted) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const stop = () => resolve(undefined);
    io.interrupted.addEventListener('abort', stop, { once: true });
    waited.then(resolve, reject).finally(() => io.interrupted.removeEventListener('abort', stop));
  });
}

import type { JsonObject } from '@agent-reach/sdk/protocol';
import type { Instance } from '../../perceive/instance.js';
import type { NewTask, OpenTask, TaskDispatch, TaskEnd, TaskKeeper, TaskOpened, TaskStore } from './tasks.port.js';

/** Tasks in memory, answering at once, and a keeper that only remembers what it was given. */
export class TestTasks implements TaskStore, TaskKeeper {
  readonly stored = new Map<string, { task: NewTask | OpenTask; dispatch: TaskDispatch; end: TaskEnd | undefined }>();
  readonly past: string[] = [];
  readonly cancelled: { readonly taskId: string; readonly by: string }[] = [];
  readonly kept: { readonly taskId: string; readonly epoch: number; readonly instance: string }[] = [];

  open(task: NewTask, opened: (answer: TaskOpened) => void): void {
    for (const { task: known } of this.stored.values()) {
      if (known.requestId !== task.requestId || known.caller.caller !== task.caller.caller) continue;
      const sameRequest = known.paramsHash === task.paramsHash && known.capability === task.capability;
      return opened({ kind: 'KNOWN', taskId: known.taskId, sameRequest });
    }
    this.stored.set(task.taskId, { task, dispatch: task, end: undefined });
    opened({ kind: 'OPENED' });
  }

  move(to: TaskDispatch, done: (moved: boolean) => void): void {
    const known = this.stored.get(to.taskId);
    if (known === undefined || known.end !== undefined || known.dispatch.epoch > to.epoch) return done(false);
    known.dispatch = to;
    done(true);
  }

  drop(taskId: string): void {
    this.stored.delete(taskId);
  }

  progress(_taskId: string, _epoch: number, _progress: JsonObject): void {}

  end(taskId: string, epoch: number, end: TaskEnd, done: (ended: boolean) => void): void {
    const known = this.stored.get(taskId);
    if (known === undefined || known.end !== undefined || known.dispatch.epoch !== epoch) return done(false);
    known.end = end;
    done(true);
  }

  superseded({ dispatchId }: TaskDispatch): void {
    this.past.push(dispatchId);
  }

  cancel(taskId: string, by: string): undefined {
    this.cancelled.push({ taskId, by });
  }

  async openTasks(): Promise<readonly OpenTask[]> {
    return [];
  }

  accepted(_task: NewTask | OpenTask, { taskId, epoch }: TaskDispatch, instance: Instance): void {
    this.kept.push({ taskId, epoch, instance: instance.ref });
  }
}

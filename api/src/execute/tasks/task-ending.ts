import { type AuditRecorder, ERRORS, TASK_ENDS, type TaskView } from '@agent-reach/sdk/protocol';
import type { Clock } from '../../perceive/clock.js';
import type { Delivery } from '../attempts/delivery.js';
import type { TimingWheel } from '../attempts/timing-wheel.js';
import type { LateResults } from './late-results.js';
import type { TaskIndex } from './task-index.js';
import { taskRecord } from './task-record.js';
import type { TaskRun } from './task-run.js';
import type { TaskEnd, TaskReads, TaskStore } from './tasks.port.js';

export interface TaskEndingDeps {
  readonly clock: Clock;
  readonly wheel: TimingWheel;
  readonly delivery: Pick<Delivery, 'confirm'>;
  readonly store: Pick<TaskStore, 'end'>;
  readonly reads: Pick<TaskReads, 'find'>;
  readonly audit: AuditRecorder;
  /** A task changed. `bytes`: about how much its state takes. */
  readonly onChange: (task: TaskView, bytes: number) => void;
  readonly onFault: (error: unknown) => void;
}

/** Ends tasks: each end is stored first, then everybody hears of it. */
export class TaskEnding {
  constructor(
    private readonly deps: TaskEndingDeps,
    private readonly tasks: TaskIndex,
    private readonly late: LateResults,
  ) {}

  /** `answer`: set when it is what the instance said; the size of that on the wire. */
  end(run: TaskRun, end: TaskEnd, answer?: { readonly bytes: number }): void {
    const { store, wheel, clock } = this.deps;
    const { epoch } = run;
    wheel.disarm(run.deadline);
    wheel.disarm(run.step);
    run.leave(answer === undefined ? undefined : verdictOf(end));
    const phase = { name: 'ENDING', end } as const;
    run.phase = phase;
    store.end(run.taskId, epoch, end, (ended) => {
      // The result came while UNKNOWN was being stored, and takes its place.
      if (run.phase !== phase) return;
      this.tasks.remove(run);
      run.updatedAt = clock.wall();
      if (ended) this.#ended(run, run.view(end), run.progressBytes + (answer?.bytes ?? 0));
      else void this.#endedOtherwise(run);
    });
  }

  /** A task that had ended as UNKNOWN has a real end by now. */
  replaced(task: TaskView): void {
    this.#tell(task, undefined, sizeOf(task));
  }

  #ended(run: TaskRun, task: TaskView, bytes: number): void {
    this.#tell(task, task.state === 'CANCELLED' ? run.cancelledBy : undefined, bytes);
    this.#settle(run, task);
  }

  #tell(task: TaskView, cancelledBy: string | undefined, bytes: number): void {
    this.deps.audit.record(taskRecord(task, this.deps.clock.wall(), cancelledBy));
    this.deps.onChange(task, bytes);
  }

  /** What is stored is another end, of a dispatch that nobody could say the outcome of. */
  async #endedOtherwise(run: TaskRun): Promise<void> {
    const stored = await this.deps.reads.find(run.taskId).catch((error: unknown) => {
      this.deps.onFault(error);
      return undefined;
    });
    if (stored !== undefined && TASK_ENDS.includes(stored.state)) this.#ended(run, stored, sizeOf(stored));
    else this.#settle(run, stored ?? run.view());
  }

  #settle(run: TaskRun, task: TaskView): void {
    if (run.confirmTo !== undefined) this.deps.delivery.confirm(run.confirmTo, run.dispatch.dispatchId);
    this.late.ended(run.dispatch, task);
    for (const waiter of run.waiters) waiter(task);
  }
}

/** What a task takes that was not measured as it came. */
function sizeOf({ progress, result, error }: TaskView): number {
  return JSON.stringify([progress, result, error]).length;
}

/** What an instance's answer says about the instance, as for calls. */
function verdictOf(end: TaskEnd): boolean | undefined {
  if (end.state === 'COMPLETED') return true;
  const { breaker } = ERRORS[end.error.code];
  return breaker === 'NEITHER' ? undefined : breaker === 'SUCCESS';
}

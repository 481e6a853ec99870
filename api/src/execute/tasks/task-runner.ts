import type { RouteTable } from '@agent-reach/sdk/decide';
import type {
  AgentRef,
  CancelReason,
  ProgressFrame,
  RecalledFrame,
  ResultFrame,
  TaskView,
  WireError,
} from '@agent-reach/sdk/protocol';
import type { Instance, Link } from '../../perceive/instance.js';
import type { Delivery, LaterFrames } from '../attempts/delivery.js';
import type { CallMetrics } from '../calls/call-metrics.js';
import { unusableResult } from '../calls/failures.js';
import { LateResults } from './late-results.js';
import { PendingCancels } from './pending-cancels.js';
import { TaskEnding, type TaskEndingDeps } from './task-ending.js';
import { type AgentAnswer, cancelled, endOf, failed, overdue } from './task-ends.js';
import { TaskIndex } from './task-index.js';
import { TaskMoves, type TaskMovesDeps } from './task-moves.js';
import { TaskReturns } from './task-returns.js';
import { type DispatchOver, TaskRun } from './task-run.js';
import type { NewTask, OpenTask, TaskDispatch, TaskEnd, TaskKeeper, TaskReads, TaskStore } from './tasks.port.js';

export interface TaskRunnerDeps extends TaskEndingDeps, TaskMovesDeps {
  readonly delivery: Pick<Delivery, 'cancel' | 'recall' | 'confirm'>;
  readonly store: TaskStore;
  readonly reads: Pick<TaskReads, 'find' | 'ofDispatch'>;
  readonly onOver: DispatchOver;
  /** The incarnations that live now. */
  readonly instances: Pick<RouteTable<Instance>, 'instance'>;
  readonly metrics: Pick<CallMetrics, 'countInvalidResult'>;
}

/**
 * Owns the tasks that were accepted, until each has its one end: their place on the instance, their deadline, what is
 * done when the instance or this server goes away. An end is stored before anybody hears of it. Only the present
 * dispatch of a task can complete it.
 */
export class TaskRunner implements TaskKeeper, LaterFrames {
  readonly #tasks = new TaskIndex();
  readonly #cancels: PendingCancels;
  readonly #late: LateResults;
  readonly #ending: TaskEnding;
  readonly #moves: TaskMoves;
  readonly #returns: TaskReturns;

  constructor(private readonly deps: TaskRunnerDeps) {
    this.#cancels = new PendingCancels(deps.delivery);
    this.#late = new LateResults({
      ...deps,
      speaker: (ref, link) => this.#speaker(ref, link),
      replaced: (task) => this.#ending.replaced(task),
    });
    this.#ending = new TaskEnding(deps, this.#tasks, this.#late);
    this.#moves = new TaskMoves(deps, this.#tasks, this.#late, this.#ending);
    this.#returns = new TaskReturns(deps, this.#tasks, this.#moves, this.#cancels);
  }

  /** Tasks that have not ended. */
  get open(): number {
    return this.#tasks.size;
  }

  views(): TaskView[] {
    return Array.from(this.#tasks.all(), (run) => run.view());
  }

  view(taskId: string): TaskView | undefined {
    return this.#tasks.get(taskId)?.view();
  }

  /** Takes over what earlier servers left. To be awaited before instances can join. */
  async start(): Promise<void> {
    for (const task of await this.deps.store.openTasks()) {
      const run = this.#add(task);
      this.#returns.await(run);
    }
  }

  // --- acceptance ----------------------------------------------------------------------------------------------

  accepted(task: NewTask | OpenTask, dispatch: TaskDispatch, instance: Instance): void {
    const known = this.#tasks.get(task.taskId);
    const wanted = 'state' in task ? known?.phase.name === 'MOVING' : known === undefined;
    if (!wanted) {
      // It ended while it was on its way.
      instance.live.tasks--;
      this.deps.onOver(dispatch.dispatchId, instance, undefined);
      this.#late.superseded(dispatch);
      this.#cancels.cancel(instance, dispatch.dispatchId, 'SUPERSEDED');
      return;
    }
    const run = known ?? this.#add(task);
    this.#tasks.unplace(run);
    if (dispatch.epoch !== run.dispatch.epoch) run.report(undefined);
    run.dispatch = dispatch;
    run.state = 'ACCEPTED';
    run.sequence = -1;
    run.tries = 0;
    this.#tasks.place(run);
    this.#returns.hold(run, instance);
    this.#changed(run);
  }

  superseded(dispatch: TaskDispatch): void {
    this.#late.superseded(dispatch);
  }

  #add(task: NewTask | OpenTask): TaskRun {
    const { clock, wheel, onFault, onOver } = this.deps;
    const guarded = (step: (run: TaskRun) => void) => (run: TaskRun) => {
      try {
        step(run);
      } catch (error) {
        onFault(error);
      }
    };
    const run = new TaskRun(task, clock.wall(), {
      deadline: guarded(this.#overdue),
      step: guarded(this.#step),
      over: onOver,
    });
    this.#tasks.place(run);
    wheel.arm(run.deadline, clock.monotonic() + task.deadlineAt - clock.wall());
    return run;
  }

  // --- what instances say --------------------------------------------------------------------------------------

  progressed(frame: ProgressFrame, link: Link): boolean {
    const run = this.#tasks.dispatched(frame.dispatchId);
    if (run?.phase.name !== 'HELD' || run.phase.instance.link !== link) return false;
    return this.#progress(run, frame);
  }

  #progress(run: TaskRun, frame: ProgressFrame): boolean {
    if (frame.sequence <= run.sequence) return false;
    run.sequence = frame.sequence;
    run.state = 'RUNNING';
    run.report(frame.progress);
    this.deps.store.progress(run.taskId, run.dispatch.epoch, frame.progress);
    this.#changed(run);
    return true;
  }

  completed(frame: ResultFrame, link: Link, bytes: number): boolean {
    const run = this.#tasks.dispatched(frame.dispatchId);
    if (run === undefined) {
      return this.#late.result(frame.dispatchId, link, (capability, speaker) => endOf(frame, capability, speaker));
    }
    const speaker = this.#speaker(run.dispatch.instance, link);
    return speaker !== undefined && this.#answered(run, frame, speaker, bytes);
  }

  faulty(dispatchId: string, link: Link, error: WireError): boolean {
    const run = this.#tasks.dispatched(dispatchId);
    const end = failed(unusableResult(error));
    if (run === undefined) return this.#late.result(dispatchId, link, () => end);
    const speaker = this.#speaker(run.dispatch.instance, link);
    return speaker !== undefined && this.#resolve(run, end, speaker, 0);
  }

  recalled(frame: RecalledFrame, link: Link): boolean {
    const run = this.#tasks.dispatched(frame.dispatchId);
    if (run?.phase.name !== 'ASKED' || run.phase.instance.link !== link) return false;
    const { instance } = run.phase;
    if (frame.state === 'DONE') return this.#answered(run, frame, instance, JSON.stringify(frame).length);
    this.#returns.recalled(run, instance, frame.state);
    return true;
  }

  #answered(run: TaskRun, answer: AgentAnswer, speaker: Instance | undefined, bytes: number): boolean {
    const end = endOf(answer, run.task.capability, speaker);
    if (speaker !== undefined && end.state === 'FAILED' && end.error.code === 'INVALID_RESULT') {
      this.deps.metrics.countInvalidResult(speaker, run.task.capability);
    }
    return this.#resolve(run, end, speaker, bytes);
  }

  /** The agent said how it ended: that counts unless another end is on its way, and is confirmed in any case. */
  #resolve(run: TaskRun, end: TaskEnd, speaker: Instance | undefined, bytes: number): boolean {
    run.confirmTo = speaker;
    const { phase } = run;
    if (phase.name === 'ENDING' && (phase.end.state !== 'UNKNOWN' || end.state === 'UNKNOWN')) return false;
    this.#ending.end(run, end, { bytes });
    return true;
  }

  /** The live instance that this link speaks for, if it is the one of this name: also a successor of the incarnation. */
  #speaker(ref: Instance['ref'], link: Link): Instance | undefined {
    const instance = this.deps.instances.instance(ref);
    return instance !== undefined && instance.link === link ? instance : undefined;
  }

  // --- what agents without a connection of their own report --------------------------------------------------------

  /** The agent that has this dispatch, while its task is open. */
  agentOf(dispatchId: string): AgentRef | undefined {
    return this.#tasks.dispatched(dispatchId)?.dispatch.agent;
  }

  /** As `progressed`, by whoever was found to be the agent. */
  reportProgress(frame: ProgressFrame): void {
    const run = this.#tasks.dispatched(frame.dispatchId);
    if (run !== undefined && run.phase.name !== 'ENDING') this.#progress(run, frame);
  }

  /** As `completed`, by whoever was found to be the agent. Resolves when an end is stored, with that. */
  async report(frame: ResultFrame, bytes: number): Promise<TaskView | undefined> {
    const run = this.#tasks.dispatched(frame.dispatchId);
    if (run === undefined) return undefined;
    const ended = this.ended(frame.dispatchId);
    this.#answered(run, frame, this.deps.instances.instance(run.dispatch.instance), bytes);
    return ended;
  }

  /** The same for a task that has ended: changes it only when its outcome was unknown. */
  async reportLate(task: TaskView, frame: ResultFrame): Promise<void> {
    if (task.state !== 'UNKNOWN') return;
    const end = endOf(frame, task.capability, this.deps.instances.instance(task.instance));
    await new Promise<void>((resolve) => {
      if (!this.#late.replace(task, frame.dispatchId, end, resolve)) resolve();
    });
  }

  /** Resolves when the task of this dispatch has an end that is stored, with that; at once when it is not open. */
  async ended(dispatchId: string): Promise<TaskView | undefined> {
    const run = this.#tasks.dispatched(dispatchId);
    return run && new Promise((resolve) => run.waiters.push(resolve));
  }

  // --- instances that go and come --------------------------------------------------------------------------------

  /** The instance lost its connection or lease, or its incarnation is over. */
  lost(instance: Instance): void {
    this.#returns.lost(instance);
  }

  /**
   * The instance joined: the same process on a new connection, or another one under its name. To be called after it was
   * told that it is registered, since before that it answers no recall.
   */
  joined(instance: Instance): void {
    this.#returns.joined(instance);
  }

  readonly #step = (run: TaskRun): void => {
    const { phase } = run;
    if (phase.name === 'PAUSED') this.#moves.move(run, phase.epoch);
    else this.#returns.waited(run);
  };

  // --- ends ------------------------------------------------------------------------------------------------------

  cancel(taskId: string, by: string, reason: CancelReason): Promise<TaskView> | undefined {
    const run = this.#tasks.get(taskId);
    if (run === undefined) return undefined;
    return new Promise((resolve) => {
      run.waiters.push(resolve);
      if (run.phase.name === 'ENDING') return;
      run.cancelledBy = by;
      this.#stop(run, cancelled(by), reason);
    });
  }

  readonly #overdue = (run: TaskRun): void => {
    if (run.phase.name !== 'ENDING') this.#stop(run, overdue(run.task.deadlineAt - run.task.createdAt), 'DEADLINE');
  };

  #stop(run: TaskRun, end: TaskEnd, reason: CancelReason): void {
    const { phase, dispatch } = run;
    const held = phase.name === 'HELD' || phase.name === 'ASKED' || phase.name === 'AWAITING';
    const instance = held ? this.deps.instances.instance(dispatch.instance) : undefined;
    if (instance?.record.incarnation === dispatch.incarnation) {
      this.#cancels.cancel(instance, dispatch.dispatchId, reason);
    }
    this.#ending.end(run, end);
  }

  #changed(run: TaskRun): void {
    run.updatedAt = this.deps.clock.wall();
    this.deps.onChange(run.view(), run.progressBytes);
  }
}

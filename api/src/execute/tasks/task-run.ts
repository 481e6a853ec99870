import type { JsonObject, TaskState, TaskView } from '@agent-reach/sdk/protocol';
import type { Instance } from '../../perceive/instance.js';
import { CallbackTimer } from '../attempts/timing-wheel.js';
import { ANY_EPOCH, type NewTask, type OpenTask, type TaskDispatch, type TaskEnd } from './tasks.port.js';

/** Where a task stands. */
export type TaskPhase =
  /** An instance has it, and it takes one of the instance's places for tasks. The instance may be SUSPECT. */
  | { readonly name: 'HELD'; readonly instance: Instance }
  /** Nobody speaks for it: its incarnation is gone, or the server was restarted. Waits for its instance to come back. */
  | { readonly name: 'AWAITING' }
  /** Its instance is back and was asked what became of the dispatch. `until`: monotonic, ms; when it is given up. */
  | { readonly name: 'ASKED'; readonly instance: Instance; readonly until: number }
  /** On its way to an instance again. */
  | { readonly name: 'MOVING' }
  /** Nobody took it; it is tried again later, under this epoch. */
  | { readonly name: 'PAUSED'; readonly epoch: number }
  /** Its end is decided and being stored. */
  | { readonly name: 'ENDING'; readonly end: TaskEnd };

/** A dispatch that was accepted has given back its place. `succeeded`: what came of it; undefined for nothing known. */
export type DispatchOver = (dispatchId: string, instance: Instance, succeeded: boolean | undefined) => void;

/** One accepted task that has not ended, from its acceptance or from a restart of the server on. */
export class TaskRun {
  phase: TaskPhase = { name: 'AWAITING' };
  dispatch: TaskDispatch;
  state: 'ACCEPTED' | 'RUNNING' = 'ACCEPTED';
  progress: JsonObject | undefined;
  /** About how much the progress takes. */
  progressBytes = 0;
  /** Of the latest progress of this dispatch. */
  sequence = -1;
  /** Wall clock, ms since 1970. */
  updatedAt: number;
  /** Tries since somebody last took it. */
  tries = 0;
  /** Who cancelled it. */
  cancelledBy: string | undefined;
  /** Sent its result and waits to hear that it is stored. */
  confirmTo: Instance | undefined;
  /** Told when it has ended, with what it came to. */
  readonly waiters: ((view: TaskView) => void)[] = [];
  readonly deadline: CallbackTimer;
  /** For what the phase waits for. */
  readonly step: CallbackTimer;

  constructor(
    readonly task: NewTask | OpenTask,
    wall: number,
    private readonly on: {
      readonly deadline: (run: TaskRun) => void;
      readonly step: (run: TaskRun) => void;
      readonly over: DispatchOver;
    },
  ) {
    const { taskId, epoch, instance, agent, incarnation, dispatchId } = task;
    this.dispatch = { taskId, epoch, instance, agent, incarnation, dispatchId };
    if ('state' in task) {
      this.state = task.state;
      this.report(task.progress);
    }
    this.updatedAt = wall;
    this.deadline = new CallbackTimer(() => on.deadline(this));
    this.step = new CallbackTimer(() => on.step(this));
  }

  /** Progress of its present dispatch; undefined for none yet. */
  report(progress: JsonObject | undefined): void {
    this.progress = progress;
    this.progressBytes = progress === undefined ? 0 : JSON.stringify(progress).length;
  }

  get taskId(): string {
    return this.task.taskId;
  }

  /** Under which its end is stored: on its way, it has as many dispatches as it takes. */
  get epoch(): number {
    const { name } = this.phase;
    return name === 'MOVING' || name === 'PAUSED' ? ANY_EPOCH : this.dispatch.epoch;
  }

  /**
   * Gives back its place on the instance, where it has one. To be followed by the next phase.
   *
   * @param succeeded what the instance's answer says about it; undefined where nothing
   */
  leave(succeeded?: boolean): void {
    if (this.phase.name !== 'HELD') return;
    const { instance } = this.phase;
    instance.live.tasks--;
    this.on.over(this.dispatch.dispatchId, instance, succeeded);
  }

  /** As it is dispatched again. */
  open(): OpenTask {
    const { callback: _, ...task } = this.task as NewTask;
    const request = { ...task.request, callback: undefined };
    return { ...task, ...this.dispatch, request, state: this.state, progress: this.progress };
  }

  /** As people see it. `end`: what it came to. */
  view(end?: TaskEnd): TaskView {
    const { task, dispatch } = this;
    return {
      taskId: task.taskId,
      requestId: task.requestId,
      caller: task.caller.caller,
      namespace: task.namespace,
      agent: dispatch.agent,
      capability: task.capability,
      instance: dispatch.instance,
      state: this.state,
      epoch: dispatch.epoch,
      progress: this.progress,
      createdAt: isoDate(task.createdAt),
      updatedAt: isoDate(this.updatedAt),
      deadlineAt: isoDate(task.deadlineAt),
      ...(end === undefined ? {} : endFields(end)),
    };
  }
}

/** What an end changes about a task as people see it. */
export function endFields(end: TaskEnd): { state: TaskState } & Pick<TaskView, 'result' | 'error'> {
  return end.state === 'COMPLETED'
    ? { state: end.state, result: end.result, error: undefined }
    : { state: end.state, result: undefined, error: end.error };
}

function isoDate(wall: number): string {
  return new Date(wall).toISOString();
}

import type { InstanceRef, TaskView } from '@agent-reach/sdk/protocol';
import { TASK_ENDS } from '@agent-reach/sdk/protocol';
import type { Clock } from '../../perceive/clock.js';
import type { Instance, Link } from '../../perceive/instance.js';
import type { Delivery } from '../attempts/delivery.js';
import { PastDispatches } from './past-dispatches.js';
import { StoreQuestions } from './store-questions.js';
import { endFields } from './task-run.js';
import type { TaskDispatch, TaskEnd, TaskReads, TaskStore } from './tasks.port.js';

export interface LateResultsDeps {
  readonly clock: Clock;
  readonly delivery: Pick<Delivery, 'confirm'>;
  readonly store: Pick<TaskStore, 'end'>;
  readonly reads: Pick<TaskReads, 'ofDispatch'>;
  /** The live instance of this name, if the link speaks for it. */
  readonly speaker: (ref: InstanceRef, link: Link) => Instance | undefined;
  /** A task that had ended as UNKNOWN has a real end by now. */
  readonly replaced: (task: TaskView) => void;
  readonly onFault: (error: unknown) => void;
}

/** What a result would end its task with. */
export type EndMeant = (capability: string, speaker: Instance) => TaskEnd;

/**
 * Results of dispatches that no open task waits for. Their agents send them until they are confirmed, so each is: it
 * changes nothing, except that it replaces the end of a task whose outcome was unknown.
 */
export class LateResults {
  readonly #past = new PastDispatches();
  readonly #questions: StoreQuestions;

  constructor(private readonly deps: LateResultsDeps) {
    this.#questions = new StoreQuestions(deps.clock);
  }

  /** Another dispatch took its place. */
  superseded({ dispatchId, instance }: TaskDispatch): void {
    this.#past.add(dispatchId, { instance, unknown: undefined });
  }

  /** Its task ended. */
  ended({ dispatchId, instance }: Pick<TaskDispatch, 'dispatchId' | 'instance'>, task: TaskView): void {
    // So many are kept that their progress would take too much.
    const unknown = task.state === 'UNKNOWN' ? { ...task, progress: undefined } : undefined;
    this.#past.add(dispatchId, { instance, unknown });
  }

  /** Returns whether it changed something. */
  result(dispatchId: string, link: Link, meant: EndMeant): boolean {
    const past = this.#past.get(dispatchId);
    if (past === undefined) {
      void this.#ask(dispatchId, link, meant);
      return false;
    }
    const speaker = this.deps.speaker(past.instance, link);
    if (speaker === undefined) return false;
    const confirm = () => this.deps.delivery.confirm(speaker, dispatchId);
    const { unknown } = past;
    if (unknown !== undefined && this.replace(unknown, dispatchId, meant(unknown.capability, speaker), confirm)) {
      return true;
    }
    confirm();
    return false;
  }

  /** The server was restarted since the task ended, or the memory of it is full. */
  async #ask(dispatchId: string, link: Link, meant: EndMeant): Promise<void> {
    if (!this.#questions.begin(dispatchId, link)) return;
    try {
      const task = await this.deps.reads.ofDispatch(dispatchId);
      // An open one that isn't here is not accepted yet, or another server's.
      if (task === undefined || !TASK_ENDS.includes(task.state)) return;
      this.ended({ dispatchId, instance: task.instance }, task);
      this.result(dispatchId, link, meant);
    } catch (error) {
      this.deps.onFault(error);
    } finally {
      this.#questions.end(dispatchId);
    }
  }

  /** Gives a task that ended as UNKNOWN its real end, if this is one; `done` when that is stored. */
  replace(task: TaskView, dispatchId: string, end: TaskEnd, done: () => void): boolean {
    const { clock, store } = this.deps;
    if (end.state === 'UNKNOWN') return false;
    store.end(task.taskId, task.epoch, end, (ended) => {
      if (ended) {
        this.#past.add(dispatchId, { instance: task.instance, unknown: undefined });
        this.deps.replaced({ ...task, ...endFields(end), updatedAt: new Date(clock.wall()).toISOString() });
      }
      done();
    });
    return true;
  }
}

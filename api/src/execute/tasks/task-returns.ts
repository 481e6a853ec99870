import type { RecalledFrame } from '@agent-reach/sdk/protocol';
import type { Clock } from '../../perceive/clock.js';
import type { Instance } from '../../perceive/instance.js';
import type { Delivery } from '../attempts/delivery.js';
import type { TimingWheel } from '../attempts/timing-wheel.js';
import type { PendingCancels } from './pending-cancels.js';
import type { TaskIndex } from './task-index.js';
import type { TaskMoves } from './task-moves.js';
import type { TaskRun } from './task-run.js';

/** How long an instance has to come back after a restart of the server, and then to answer a recall, ms. */
const RETURN_MS = 60_000;
/** How long a successor of a lost incarnation has to appear, ms; it mostly comes in the same moment. */
const SUCCESSOR_MS = 1_000;
/** How long after a recall it is sent again, ms: it may have met a moment at which the agent could not tell. */
const RECALL_MS = 10_000;

export interface TaskReturnsDeps {
  readonly clock: Clock;
  readonly wheel: TimingWheel;
  readonly delivery: Pick<Delivery, 'recall'>;
}

/**
 * What becomes of tasks when their instance goes, and when it comes back. One that is only SUSPECT may come back with its
 * tasks, so nothing happens to them before it is GONE. Whoever comes back under its name is asked first.
 */
export class TaskReturns {
  constructor(
    private readonly deps: TaskReturnsDeps,
    private readonly tasks: TaskIndex,
    private readonly moves: TaskMoves,
    private readonly cancels: PendingCancels,
  ) {}

  /** The instance has it; its place there is counted already. */
  hold(run: TaskRun, instance: Instance): void {
    this.deps.wheel.disarm(run.step);
    run.phase = { name: 'HELD', instance };
  }

  /** Waits for its instance. */
  await(run: TaskRun, ms = RETURN_MS): void {
    run.phase = { name: 'AWAITING' };
    this.deps.wheel.arm(run.step, this.deps.clock.monotonic() + ms);
  }

  lost(instance: Instance): void {
    const gone = instance.state.name === 'GONE';
    for (const run of this.tasks.at(instance.ref)) {
      const { phase } = run;
      if ((phase.name !== 'HELD' && phase.name !== 'ASKED') || phase.instance !== instance) continue;
      if (gone) {
        run.leave();
        this.await(run, SUCCESSOR_MS);
      } else if (phase.name === 'ASKED') this.await(run);
    }
    if (gone) this.cancels.gone(instance);
  }

  /** Nobody came, or nobody answered. */
  waited(run: TaskRun): void {
    const { phase } = run;
    if (phase.name !== 'AWAITING' && phase.name !== 'ASKED') return;
    const { clock } = this.deps;
    if (phase.name === 'ASKED' && clock.monotonic() < phase.until) this.#recall(run, phase.instance, phase.until);
    else this.moves.giveUp(run);
  }

  joined(instance: Instance): void {
    this.cancels.joined(instance);
    for (const run of this.tasks.at(instance.ref)) {
      if (run.phase.name === 'AWAITING' || run.phase.name === 'ASKED') this.#ask(run, instance);
    }
  }

  /** The instance says what became of the dispatch, other than how it ended. */
  recalled(run: TaskRun, instance: Instance, state: Exclude<RecalledFrame['state'], 'DONE'>): void {
    if (state === 'RUNNING') return this.#adopt(run, instance);
    // Only the process itself can know that nothing was executed; another one just has no record of it.
    const sameProcess = instance.record.incarnation === run.dispatch.incarnation;
    if (state === 'NEVER_SEEN' && sameProcess) this.moves.move(run, run.dispatch.epoch + 1);
    else this.moves.giveUp(run);
  }

  #ask(run: TaskRun, instance: Instance): void {
    if (instance.record.endpoint !== undefined) {
      // Endpoints can't be asked. While it is the same, it still reports by itself.
      if (instance.record.incarnation === run.dispatch.incarnation) this.#adopt(run, instance);
      else this.moves.giveUp(run);
      return;
    }
    this.#recall(run, instance, this.deps.clock.monotonic() + RETURN_MS);
  }

  #recall(run: TaskRun, instance: Instance, until: number): void {
    const { delivery, clock, wheel } = this.deps;
    run.phase = { name: 'ASKED', instance, until };
    wheel.arm(run.step, Math.min(until, clock.monotonic() + RECALL_MS));
    delivery.recall(instance, {
      type: 'recall',
      instance: instance.ref,
      dispatchId: run.dispatch.dispatchId,
      caller: run.task.caller.caller,
      requestId: run.task.requestId,
      capability: run.task.capability,
    });
  }

  #adopt(run: TaskRun, instance: Instance): void {
    instance.live.tasks++;
    this.hold(run, instance);
  }
}

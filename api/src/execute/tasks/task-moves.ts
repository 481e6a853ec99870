import { ERRORS, type WireError } from '@agent-reach/sdk/protocol';
import type { Clock } from '../../perceive/clock.js';
import type { TimingWheel } from '../attempts/timing-wheel.js';
import { isUnanswered } from '../calls/ends.js';
import type { LateResults } from './late-results.js';
import type { TaskEnding } from './task-ending.js';
import { failed, unknowable } from './task-ends.js';
import type { TaskIndex } from './task-index.js';
import type { TaskRun } from './task-run.js';
import type { TaskDispatcher } from './tasks.port.js';

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

export interface TaskMovesDeps {
  readonly clock: Clock;
  readonly wheel: TimingWheel;
  readonly dispatcher: TaskDispatcher;
}

/** Dispatches tasks again, until somebody takes them. */
export class TaskMoves {
  constructor(
    private readonly deps: TaskMovesDeps,
    private readonly tasks: TaskIndex,
    private readonly late: LateResults,
    private readonly ending: TaskEnding,
  ) {}

  /** Nobody can say what became of the dispatch: again where that does no harm, else its outcome is unknown. */
  giveUp(run: TaskRun): void {
    if (run.task.idempotent) this.move(run, run.dispatch.epoch + 1);
    else this.ending.end(run, unknowable(run.dispatch.instance, run.task.requestId));
  }

  move(run: TaskRun, epoch: number): void {
    const { wheel, dispatcher } = this.deps;
    wheel.disarm(run.step);
    run.leave();
    if (run.phase.name !== 'PAUSED') {
      this.tasks.unplace(run);
      this.late.superseded(run.dispatch);
    }
    const phase = { name: 'MOVING' } as const;
    run.phase = phase;
    dispatcher.dispatch(run.open(), epoch, (error, newest) => {
      // Accepted, or ended meanwhile.
      if (run.phase === phase && error !== undefined) this.#notTaken(run, newest + 1, error);
    });
  }

  #notTaken(run: TaskRun, epoch: number, error: WireError): void {
    const handedOver = isUnanswered(error) || error.code === 'OUTCOME_UNKNOWN';
    if (handedOver && !run.task.idempotent) {
      return this.ending.end(run, unknowable(run.dispatch.instance, run.task.requestId));
    }
    if (!ERRORS[error.code].retryable) return this.ending.end(run, failed(error));
    const { clock, wheel } = this.deps;
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** run.tries);
    run.tries++;
    run.phase = { name: 'PAUSED', epoch };
    wheel.arm(run.step, clock.monotonic() + Math.max(pauseMs, error.retryAfterMs ?? 0));
  }
}

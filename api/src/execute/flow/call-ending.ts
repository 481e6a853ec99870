import type { WireError } from '@agent-reach/sdk/protocol';
import type { Attempt } from '../attempts/attempt.js';
import type { CallEnd } from '../calls/call-outcome.js';
import type { CallRun, CallState } from '../calls/call-run.js';
import { cancelled, deadlineExceeded, isResolved } from '../calls/ends.js';
import { executedButNotStored, faultOfServer, storageUnavailable } from '../calls/failures.js';
import { nextFallback } from '../fallback/next-fallback.js';
import { claimedOutcome } from '../idempotency/hold.js';
import type { CallLookUp } from './call-look-up.js';
import type { CallQueue } from './call-queue.js';
import { answered, arm, type CallFlowDeps, DECIDING, disarm, failed, GRACE_MS, isResumedTask } from './flow-deps.js';

/** How calls end: by an answer, a failure, a fallback, their caller, their time, or a fault of the program. */
export class CallEnding {
  constructor(
    private readonly deps: CallFlowDeps,
    private readonly queue: CallQueue,
    private readonly lookUp: CallLookUp,
    private readonly next: (run: CallRun, queueMs: number) => void,
  ) {}

  /** It failed for good; the policy's fallback may have an answer all the same. */
  giveUp(run: CallRun, error: WireError): void {
    // What was executed, or may have been, is the call's own end, whatever came before it.
    if (run.hold !== undefined && isResolved(error)) return this.end(run, failed(error));
    if (this.lookUp.needed(run, error)) return this.lookUp.begin(run, error);
    run.failure ??= error;
    // Whoever asked for it has its id already: only an instance that accepts it helps, now or later.
    if (isResumedTask(run)) return this.end(run, failed(error));
    const fallback = nextFallback(run, error, this.deps.clock.monotonic(), this.deps.answers);
    run.fallback = fallback?.kind;
    if (fallback === undefined) return this.end(run, failed(run.failure));
    if (fallback.kind === 'AGENT') return this.next(run, 0);
    // A makeshift: whoever repeats the request asks for the real thing.
    run.forgotten = true;
    this.end(run, answered(fallback));
  }

  /** Ends a call; what must be durable first is made so. */
  end(run: CallRun, end: CallEnd): void {
    const { hold } = run;
    if (hold === undefined) return this.deps.over(run, end);
    const executed = end.ok ? run.fallback === undefined || run.fallback === 'AGENT' : isResolved(end.error);
    if (!executed) {
      this.deps.holds.giveBack(run);
      return this.deps.over(run, end);
    }
    if (end.ok || hold.kind === 'CLAIM') return this.#store(run, end);
    // Its caller can follow what becomes of it after all.
    const details = { ...end.error.details, taskId: hold.task.taskId };
    this.#store(run, failed({ ...end.error, details }));
  }

  #store(run: CallRun, end: CallEnd): void {
    const { hold } = run;
    if (hold === undefined) return this.deps.over(run, end);
    const unknown = isUnknown(end);
    // A later result replaces it where it is stored.
    run.forgotten = unknown;
    const mayAnswer = unknown && run.state.name === 'RUNNING' ? run.state.attempt : undefined;
    const state: CallState = { name: 'STORING', end };
    run.state = state;
    // An answer is worth a moment; that nobody knows is as true before it is stored.
    const now = this.deps.clock.monotonic();
    arm(this.deps, run, unknown ? run.deadlineAt : Math.max(run.deadlineAt, now + GRACE_MS));
    this.deps.holds.keep(run, hold, claimedOutcome(run, end), mayAnswer, () => {
      if (run.state !== state) return;
      disarm(this.deps, run);
      this.deps.over(run, end);
    });
  }

  /** Nobody waits for it any more. What may not be executed twice goes on when it was sent: its outcome is wanted later. */
  abandon(run: CallRun, reason: NonNullable<CallRun['abandoned']>): void {
    const { state } = run;
    switch (state.name) {
      case 'RUNNING':
        if (run.hold === undefined) this.deps.attempts.cancel(state.attempt, 'CANCELLED', reason);
        return;
      case 'QUEUED':
        this.queue.leave(run, state);
        break;
      case 'HOLDING':
        this.deps.attempts.release(state.attempt);
        break;
      case 'LOOKING_UP':
      case 'RECALLING':
        state.leave();
        break;
      case 'WAITING':
        break;
      default:
        return;
    }
    this.end(run, failed(cancelled(run)));
  }

  /** A fault of the program: what was held is given back, or kept as unknown when it was sent. */
  drop(run: CallRun, error: WireError): void {
    const { state, hold } = run;
    if (state.name === 'QUEUED') this.queue.leave(run, state);
    else if (state.name === 'HOLDING') this.deps.attempts.release(state.attempt);
    else if (state.name === 'LOOKING_UP' || state.name === 'RECALLING') state.leave();
    else if (state.name === 'RUNNING') this.supersede(run, state.attempt);
    if (hold !== undefined && (state.name === 'RUNNING' || run.attempts.length > 0)) {
      const unknown = failed(faultOfServer(error, run.request.requestId));
      const mayAnswer = state.name === 'RUNNING' ? state.attempt : undefined;
      this.deps.holds.keep(run, hold, claimedOutcome(run, unknown), mayAnswer, () => {});
    } else this.deps.holds.giveBack(run);
    this.deps.over(run, failed(error));
  }

  /** Ends an attempt that the call waits for no more, and stops it, unless it may not be executed twice: then it goes on. */
  supersede(run: CallRun, attempt: Attempt): void {
    const { attempts } = this.deps;
    run.state = DECIDING;
    if (run.hold === undefined) attempts.cancel(attempt, 'CANCELLED', 'SUPERSEDED');
    else attempts.letGo(attempt, 'CANCELLED');
  }

  /** Gives back an attempt that was never sent, and what was made durable for it. */
  release(run: CallRun, attempt: Attempt): void {
    this.deps.attempts.release(attempt);
    this.deps.holds.giveBack(run);
    disarm(this.deps, run);
    run.state = DECIDING;
  }

  /** The call waited by itself, and its time has come. */
  timerFired(run: CallRun): void {
    const { state } = run;
    switch (state.name) {
      case 'WAITING':
        return this.next(run, this.deps.clock.monotonic() - state.since);
      case 'QUEUED':
        this.queue.leave(run, state);
        return this.giveUp(run, state.until >= run.deadlineAt ? deadlineExceeded(run) : state.late);
      case 'HOLDING':
        if (this.deps.outlives(run, deadlineExceeded(run))) return arm(this.deps, run, run.deadlineAt);
        this.deps.attempts.release(state.attempt);
        run.state = DECIDING;
        this.giveUp(run, storageUnavailable());
        return this.queue.roomAt(state.attempt.instance);
      case 'LOOKING_UP':
        // A fallback would deny what may have been executed.
        state.leave();
        return this.end(run, failed(run.failure ?? state.error));
      case 'RECALLING':
        state.leave();
        return this.end(run, failed(deadlineExceeded(run)));
      case 'STORING':
        if (this.deps.outlives(run, notStored(run, state.end))) return arm(this.deps, run, run.deadlineAt);
        // Stored it will be, and whoever repeats the request gets it.
        run.forgotten = true;
        return this.deps.over(run, failed(notStored(run, state.end)));
      default:
        return;
    }
  }
}

/** What is said of a call that could not be stored in time. */
function notStored({ request }: CallRun, end: CallEnd): WireError {
  return isUnknown(end) ? end.error : executedButNotStored(request.requestId);
}

function isUnknown(end: CallEnd): end is Extract<CallEnd, { ok: false }> {
  return !end.ok && end.error.code === 'OUTCOME_UNKNOWN';
}

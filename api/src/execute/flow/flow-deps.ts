import type { WireError } from '@agent-reach/sdk/protocol';
import type { Clock } from '../../perceive/clock.js';
import type { AttemptRunner } from '../attempts/attempt-runner.js';
import type { Timer, TimingWheel } from '../attempts/timing-wheel.js';
import type { Answers } from '../cache/answers.js';
import type { EqualCall } from '../cache/equal-calls.js';
import type { AnswerSource, CallEnd } from '../calls/call-outcome.js';
import type { CallRun, CallState } from '../calls/call-run.js';
import type { RuleLink } from '../calls/failures.js';
import type { RateLimiter } from '../capacity/rate-limiter.js';
import type { WaitingRoom } from '../capacity/waiting-room.js';
import type { Held, Holds } from '../idempotency/hold.js';
import type { CallOutcome } from '../ports.js';
import type { RetryBudget } from '../retry/retry-budget.js';
import type { Router } from '../routing/router.js';

export interface CallFlowDeps {
  readonly clock: Clock;
  /** A number in [0, 1). */
  readonly random: () => number;
  readonly wheel: TimingWheel;
  readonly router: Router;
  readonly attempts: AttemptRunner;
  readonly holds: Holds;
  readonly answers: Answers;
  readonly limiter: RateLimiter;
  readonly waiting: WaitingRoom;
  readonly budget: RetryBudget;
  readonly ruleLink: RuleLink;
  /** Finds out what became of a call that an earlier server began. */
  readonly recall: (run: CallRun, held: Extract<Held, { kind: 'RECALL' }>) => void;
  /** The call waits for an equal one. */
  readonly join: (run: CallRun, equal: EqualCall<CallRun, CallOutcome>) => void;
  /** Answered as an earlier call of the same requestId was. */
  readonly replay: (run: CallRun, held: Extract<Held, { kind: 'KNOWN' | 'ACCEPTED' }>) => void;
  /** Whether others wait for what the call comes to. */
  readonly awaited: (run: CallRun) => boolean;
  /**
   * The caller's time is over. While others wait longer, the caller alone hears of it, by this error, and `deadlineAt` is
   * theirs from now on; else false.
   */
  readonly outlives: (run: CallRun, error: WireError) => boolean;
  /** The call is over, told exactly once. */
  readonly over: (run: CallRun, end: CallEnd) => void;
  /** The call's own timer, which leads back to `timerFired`. */
  readonly timerOf: (run: CallRun) => Timer;
  /** Told of a fault of the program that a call met. */
  readonly onBroke: (run: CallRun, error: unknown) => void;
}

/** What the database may take when the caller's time is over, ms. Less than the SDK waits beyond that by itself. */
export const GRACE_MS = 200;

export const DECIDING: CallState = { name: 'DECIDING' };

/** Has the call's timer fire then; never for an endless wait. */
export function arm({ wheel, timerOf }: CallFlowDeps, run: CallRun, dueAt: number): void {
  if (dueAt !== Number.POSITIVE_INFINITY) wheel.arm(timerOf(run), dueAt);
}

export function disarm({ wheel }: CallFlowDeps, { timer }: CallRun): void {
  if (timer !== undefined) wheel.disarm(timer);
}

export function failed(error: Extract<CallEnd, { ok: false }>['error']): CallEnd {
  return { ok: false, error };
}

/** The answer of somebody else, or of another time. `bytes`: its size on the wire, where it is remembered for repetitions. */
export function answered(
  { result, from }: { readonly result: unknown; readonly from: AnswerSource },
  bytes = 0,
): CallEnd {
  return { ok: true, result, bytes, from };
}

/** A task that was accepted before and is dispatched again. */
export function isResumedTask({ hold }: CallRun): boolean {
  return hold?.kind === 'TASK' && hold.resumed;
}

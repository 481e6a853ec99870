import { type AuditRecorder, ERRORS, ReachError, type TaskCallback, type WireError } from '@agent-reach/sdk/protocol';
import type { Clock } from '../perceive/clock.js';
import type { Instance } from '../perceive/instance.js';
import type { Registry } from '../perceive/registry.js';
import { AttemptRunner } from './attempts/attempt-runner.js';
import type { Delivery, LaterFrames } from './attempts/delivery.js';
import { CallbackTimer, type Timer, type TimingWheel } from './attempts/timing-wheel.js';
import { AnswerCache } from './cache/answer-cache.js';
import { Answers } from './cache/answers.js';
import type { CallMetrics } from './calls/call-metrics.js';
import { type CallEnd, outcomeOf } from './calls/call-outcome.js';
import { callRecord } from './calls/call-record.js';
import { type CallRun, createCallRun } from './calls/call-run.js';
import { deadlineExceeded } from './calls/ends.js';
import { attemptFailure, loopDetected, type RuleLink } from './calls/failures.js';
import { chainOf, servedUnder } from './calls/loops.js';
import { traceContext } from './calls/trace-context.js';
import { RateLimiter } from './capacity/rate-limiter.js';
import { RateLimits } from './capacity/rate-limits.js';
import { WaitQueue } from './capacity/wait-queue.js';
import { WaitingRoom } from './capacity/waiting-room.js';
import { CallFlow } from './flow/call-flow.js';
import type { Hold, Holds } from './idempotency/hold.js';
import type { ClaimRecovery } from './idempotency/recovery.js';
import { Repetitions } from './idempotency/repetitions.js';
import { Replays } from './idempotency/replays.js';
import type { AttemptOutcomes, CallerContext, CallHandle, CallOutcome, CallPort, CallRequest } from './ports.js';
import { RetryBudget } from './retry/retry-budget.js';
import type { Router } from './routing/router.js';
import type { OpenTask, TaskDispatcher } from './tasks/tasks.port.js';

/** Time in which an instance has to accept a task that is dispatched again, ms. */
const REDISPATCH_MS = 30_000;

export interface ExecutorDeps {
  readonly clock: Clock;
  readonly random: () => number;
  readonly wheel: TimingWheel;
  readonly registry: Pick<Registry, 'table'>;
  readonly router: Router;
  readonly delivery: Delivery;
  readonly later: LaterFrames;
  readonly holds: Holds;
  readonly recovery: Pick<ClaimRecovery, 'wait'>;
  readonly audit: AuditRecorder;
  /** A fault of the program that a call met, for the log. */
  readonly onFault: (error: unknown) => void;
  /** Brings buffered records into the journal's file before it returns. */
  readonly writeRecords: () => void;
  readonly metrics: CallMetrics;
  readonly outcomes: AttemptOutcomes;
  readonly paramsHash: (params: unknown) => string;
  readonly ruleLink: RuleLink;
  /** What is wrong with a callback's address. */
  readonly callbackFault: (callback: TaskCallback) => WireError | undefined;
}

/**
 * Calls from receipt to reply: one execution for each request, whoever repeats it; each end leaves one audit record
 * before the caller hears of it. The way of a call that executes is the CallFlow's.
 */
export class Executor implements CallPort, TaskDispatcher {
  readonly attempts: AttemptRunner;
  readonly #flow: CallFlow;
  readonly #repetitions: Repetitions;
  readonly #replays: Replays;
  readonly #answers: Answers;
  readonly limiter: RateLimiter;
  readonly #waiting: WaitingRoom;
  #open = 0;
  #stopping = false;

  constructor(private readonly deps: ExecutorDeps) {
    const { clock, random, wheel, router, delivery, later, holds, metrics, registry, ruleLink } = deps;
    this.attempts = new AttemptRunner({
      clock,
      wheel,
      delivery,
      metrics,
      later,
      outlives: (run, error) => this.#outlives(run, error),
      outcomes: deps.outcomes,
      onEnded: (attempt, end) => this.#guarded(attempt.run, () => this.#flow.attemptEnded(attempt, end)),
      onLateSuccess: (attempt, end) => this.#guarded(attempt.run, () => this.#flow.succeededLate(attempt, end)),
    });
    this.#replays = new Replays(clock);
    this.#answers = new Answers({ clock, cache: new AnswerCache(clock), registry, metrics });
    this.limiter = new RateLimiter(new RateLimits(clock));
    this.#waiting = new WaitingRoom(new WaitQueue());
    this.#repetitions = new Repetitions({
      clock,
      registry,
      recovery: deps.recovery,
      limiter: this.limiter,
      guarded: (run, step) => this.#guarded(run, step),
      arm: (run, dueAt) => wheel.arm(this.#timerOf(run), dueAt),
      disarm: (run) => run.timer !== undefined && wheel.disarm(run.timer),
      begin: (run) => this.#begin(run),
      next: (run, queueMs) => this.#flow.next(run, queueMs),
      finish: (run, end, replayOf) => this.#finish(run, end, replayOf),
      left: (first) => this.#left(first),
    });
    this.#flow = new CallFlow({
      clock,
      random,
      wheel,
      router,
      attempts: this.attempts,
      holds,
      answers: this.#answers,
      limiter: this.limiter,
      waiting: this.#waiting,
      budget: new RetryBudget(clock),
      ruleLink,
      recall: (run, held) => this.#repetitions.recall(run, held),
      join: (run, equal) => this.#repetitions.joinEqual(run, equal),
      replay: (run, held) => this.#repetitions.answerHeld(run, held),
      awaited: (run) => this.#awaited(run),
      outlives: (run, error) => this.#outlives(run, error),
      over: (run, end) => this.#finish(run, end),
      timerOf: (run) => this.#timerOf(run),
      onBroke: (run, error) => this.#broke(run, error),
    });
  }

  /** Calls that have not ended. */
  get open(): number {
    return this.#open;
  }

  /** Calls that wait for room. */
  get waiting(): number {
    return this.#waiting.total;
  }

  call(request: CallRequest, caller: CallerContext, signal?: AbortSignal): Promise<CallOutcome> {
    return new Promise((resolve) => {
      // A call may end before start returns; then nothing is left to cancel.
      let handle: CallHandle | undefined;
      const cancel = () => handle?.cancel('CALLER_GONE');
      const ended = (outcome: CallOutcome) => {
        signal?.removeEventListener('abort', cancel);
        // Whoever waits for the promise answers by a way of its own, which no tick holds back.
        this.deps.writeRecords();
        resolve(outcome);
      };
      handle = this.start(request, caller, ended, signal?.aborted);
      signal?.addEventListener('abort', cancel, { once: true });
    });
  }

  start(
    request: CallRequest,
    caller: CallerContext,
    onEnd: (outcome: CallOutcome) => void,
    cancelled = false,
  ): CallHandle {
    const run = this.#receive(request, caller, onEnd);
    if (this.#stopping) {
      const error = new ReachError('SHUTTING_DOWN', 'The server is stopping; connect again in a moment.');
      this.#finish(run, { ok: false, error: error.toWire() });
      return NOTHING_TO_CANCEL;
    }
    if (cancelled) {
      this.#finish(run, { ok: false, error: attemptFailure('CANCELLED', request.requestId) });
      return NOTHING_TO_CANCEL;
    }
    const fault = request.callback === undefined ? undefined : this.deps.callbackFault(request.callback);
    if (fault !== undefined) {
      this.#finish(run, { ok: false, error: fault });
      return NOTHING_TO_CANCEL;
    }
    this.#guarded(run, () => this.#begin(run));
    return { cancel: (reason) => this.#cancel(run, reason) };
  }

  dispatch(task: OpenTask, epoch: number, ended: (error: WireError | undefined, newest: number) => void): void {
    const { caller, request, namespace } = task;
    const context: CallerContext = {
      ...caller,
      visible: (other) => other === namespace || other === caller.namespace,
      sentBy: undefined,
      link: undefined,
      serves: undefined,
    };
    const again: CallRequest = { ...request, serving: undefined, timeoutMs: REDISPATCH_MS };
    const hold: Extract<Hold, { kind: 'TASK' }> = {
      kind: 'TASK',
      task,
      dispatch: { ...task, epoch: epoch - 1 },
      resumed: true,
    };
    const run = this.#receive(again, context, (outcome) => {
      ended(outcome.ok ? undefined : outcome.error, hold.dispatch.epoch);
    });
    // The caller was charged when the task began, and has its answer.
    run.charged = true;
    run.hold = hold;
    this.#open++;
    run.executes = 'AGAIN';
    this.#guarded(run, () => this.#flow.next(run, 0));
  }

  /** A task that was accepted is over: its place is free, and what came of it counts for its instance. */
  taskOver(dispatchId: string, instance: Instance | undefined, succeeded: boolean | undefined): void {
    this.attempts.taskOver(dispatchId, instance, succeeded);
    if (instance !== undefined) this.#flow.roomAt(instance);
  }

  /** Refuses what comes from now on as SHUTTING_DOWN; what runs goes on. */
  stopAccepting(): void {
    this.#stopping = true;
  }

  /** Frees what is over its time; the composition root calls it every few seconds. */
  expire(): void {
    this.#replays.expire();
    this.#answers.expire();
    this.limiter.expire();
  }

  // --- receiving -----------------------------------------------------------------------------------------------

  #receive(request: CallRequest, caller: CallerContext, onEnd: (outcome: CallOutcome) => void): CallRun {
    const startedAt = this.deps.clock.monotonic();
    const named = request.serving === undefined ? undefined : this.attempts.servedBy(request.serving, caller.link);
    const serving = named ?? this.#assumed(caller);
    return createCallRun({
      request,
      caller,
      trace: traceContext(request.traceparent ?? named?.run.trace.traceparent),
      chain: serving === undefined ? undefined : chainOf(serving, named !== undefined),
      serving: named,
      paramsHash: this.deps.paramsHash(request.params),
      startedAt,
      onEnd,
    });
  }

  /** An agent that doesn't say for what it calls may be in a loop all the same. */
  #assumed({ serves, link }: CallerContext) {
    if (serves === undefined || serves.size === 0) return undefined;
    return this.attempts.deepestServedBy(serves, this.deps.registry.table, link);
  }

  /** Runs the call, or answers it with what an earlier one of the same requestId came to. */
  #begin(run: CallRun): void {
    const replay = this.#replays.begin(run);
    switch (replay.kind) {
      case 'FIRST':
        run.executes = 'FIRST';
        this.#open++;
        return this.#flow.next(run, 0);
      case 'CONFLICT':
        return this.#finish(run, { ok: false, error: replay.error });
      case 'REPLAYED':
        return this.#repetitions.answer(run, replay.outcome);
      case 'RUNNING':
        return this.#join(run, replay.first);
      default:
        return replay satisfies never;
    }
  }

  #join(run: CallRun, first: CallRun): void {
    const under = servedUnder(run, first);
    if (under === undefined) return this.#repetitions.joinSame(run, first);
    this.#finish(run, { ok: false, error: loopDetected(run.chain, under.instance.agent) });
  }

  #guarded(run: CallRun, step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#broke(run, error);
    }
  }

  /** A fault of the program ends the one call that met it, and nothing else. */
  #broke(run: CallRun, error: unknown): void {
    this.deps.onFault(error);
    const { state } = run;
    if (state.name === 'ENDED') return;
    if (state.name === 'JOINED') state.leave();
    this.#flow.drop(
      run,
      new ReachError('INTERNAL', 'The server failed on this call; its log has the details.').toWire(),
    );
  }

  // --- waiting for others --------------------------------------------------------------------------------------

  /** Most calls never wait by themselves and need none. */
  #timerOf(run: CallRun): Timer {
    run.timer ??= new CallbackTimer(() => this.#guarded(run, () => this.#timeIsOver(run)));
    return run.timer;
  }

  #timeIsOver(run: CallRun): void {
    if (run.state.name === 'JOINED') this.#repetitions.leave(run, run.state, deadlineExceeded(run));
    else this.#flow.timerFired(run);
  }

  #cancel(run: CallRun, reason: 'CALLER' | 'CALLER_GONE'): void {
    const { state } = run;
    if (state.name === 'JOINED') {
      return this.#repetitions.leave(run, state, attemptFailure('CANCELLED', run.request.requestId));
    }
    // Others wait for the same execution, so it goes on until the last of them has left too.
    run.abandoned = reason;
    if (!this.#awaited(run)) this.#guarded(run, () => this.#flow.abandon(run, reason));
  }

  /** Somebody who waited for it has left. */
  #left(first: CallRun): void {
    const { abandoned } = first;
    if (abandoned === undefined || this.#awaited(first)) return;
    this.#guarded(first, () => this.#flow.abandon(first, abandoned));
  }

  /** Whether others wait for what it comes to. */
  #awaited(run: CallRun): boolean {
    return run.waiters?.any === true || this.#answers.awaited(run);
  }

  /** Its caller's time is over: while others wait longer, it goes on within their time, and its caller alone hears of it. */
  #outlives(run: CallRun, error: WireError): boolean {
    const { clock, metrics } = this.deps;
    const now = clock.monotonic();
    const until = Math.max(run.waiters?.until ?? 0, this.#answers.awaitedUntil(run));
    if (!run.deadlineByCaller || until <= now) return false;
    run.deadlineAt = until;
    if (run.told) return true;
    run.told = true;
    run.abandoned ??= 'DEADLINE';
    const outcome = outcomeOf(run, { ok: false, error }, now - run.startedAt, undefined);
    this.#record(run, outcome);
    metrics.count('calls', error.code);
    run.onEnd(outcome);
    return true;
  }

  // --- ends of calls -------------------------------------------------------------------------------------------

  #finish(run: CallRun, end: CallEnd, replayOf?: CallOutcome): void {
    const { clock, wheel, metrics } = this.deps;
    run.state = { name: 'ENDED' };
    if (run.timer !== undefined) wheel.disarm(run.timer);
    const outcome = outcomeOf(run, end, clock.monotonic() - run.startedAt, replayOf);
    // Its own retries are spent: the hops above it must not begin them all over again.
    if (!end.ok && run.serving !== undefined && ERRORS[end.error.code].retry !== 'NEVER') {
      run.serving.nestedExhausted = true;
    }
    this.#record(run, outcome);
    if (!run.told) metrics.count('calls', outcome.ok ? 'OK' : outcome.error.code);
    this.attempts.forget(run);
    if (run.executes !== 'NOT') {
      const bytes = end.ok ? end.bytes : 0;
      this.#open--;
      this.#answers.ended(run, outcome, bytes);
      if (run.executes === 'FIRST') this.#replays.end(run, outcome, bytes);
      run.executes = 'NOT';
    }
    run.waiters?.tell(outcome);
    if (!run.told) run.onEnd(outcome);
  }

  #record(run: CallRun, outcome: CallOutcome): void {
    try {
      this.deps.audit.record(callRecord(run, outcome, this.deps.clock.wall()));
    } catch (error) {
      // It is over all the same, and its caller and all that it holds must not wait for a repair.
      this.deps.onFault(error);
    }
  }
}

const NOTHING_TO_CANCEL: CallHandle = { cancel: () => {} };

import type { Decision } from '@agent-reach/sdk/decide';
import { type AuditRecorder, ERRORS, ReachError, type WireError } from '@agent-reach/sdk/protocol';
import { type Clock, instant } from '../perceive/clock.js';
import type { Instance } from '../perceive/instance.js';
import type { Registry } from '../perceive/registry.js';
import type { Attempt, AttemptEnd } from './attempts/attempt.js';
import { AttemptRunner } from './attempts/attempt-runner.js';
import type { Delivery } from './attempts/delivery.js';
import { attemptTimeout, defaultCallTimeout } from './attempts/timeouts.js';
import { CallbackTimer, type TimingWheel } from './attempts/timing-wheel.js';
import type { CallMetrics } from './calls/call-metrics.js';
import { type CallEnd, outcomeOf } from './calls/call-outcome.js';
import { callRecord } from './calls/call-record.js';
import { type CallRun, type CallState, createCallRun } from './calls/call-run.js';
import { atDeadline, deadlineExceeded, isUnanswered, unresolved } from './calls/ends.js';
import { attemptFailure, invalidParams, loopDetected, noneLeft, type RuleLink } from './calls/failures.js';
import { chainOf, wouldLoop } from './calls/loops.js';
import { traceContext } from './calls/trace-context.js';
import { Replays } from './idempotency/replays.js';
import type { CallerContext, CallHandle, CallOutcome, CallPort, CallRequest } from './ports.js';
import { planRetry } from './retry/retry.js';
import { RetryBudget } from './retry/retry-budget.js';
import { namespaceMissing } from './routing/route-request.js';
import type { Router } from './routing/router.js';

export interface ExecutorDeps {
  readonly clock: Clock;
  readonly random: () => number;
  readonly wheel: TimingWheel;
  readonly registry: Pick<Registry, 'table'>;
  readonly router: Router;
  readonly delivery: Delivery;
  readonly audit: AuditRecorder;
  /** A fault of the program that a call met, for the log. */
  readonly onFault: (error: unknown) => void;
  /** Brings buffered records into the journal's file before it returns. */
  readonly writeRecords: () => void;
  readonly metrics: CallMetrics;
  readonly paramsHash: (params: unknown) => string;
  readonly ruleLink: RuleLink;
}

/**
 * One call from request to outcome: decides, attempts, decides again where a failure allows it, ends exactly once.
 * The deadline covers everything; each end leaves one audit record before the caller hears of it.
 */
export class Executor implements CallPort {
  readonly attempts: AttemptRunner;
  readonly #replays: Replays;
  readonly #budget: RetryBudget;
  #open = 0;
  #stopping = false;

  constructor(private readonly deps: ExecutorDeps) {
    this.attempts = new AttemptRunner({
      clock: deps.clock,
      wheel: deps.wheel,
      delivery: deps.delivery,
      metrics: deps.metrics,
      onEnded: (attempt, end) => {
        try {
          this.#attemptEnded(attempt, end);
        } catch (error) {
          this.#broke(attempt.run, error);
        }
      },
    });
    this.#replays = new Replays(deps.clock);
    this.#budget = new RetryBudget(deps.clock);
  }

  /** Calls that have not ended. */
  get open(): number {
    return this.#open;
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
    try {
      this.#begin(run);
    } catch (error) {
      this.#broke(run, error);
    }
    return { cancel: (reason) => this.#cancel(run, reason) };
  }

  /** Refuses what comes from now on as SHUTTING_DOWN; what runs goes on. */
  stopAccepting(): void {
    this.#stopping = true;
  }

  // --- receiving -----------------------------------------------------------------------------------------------

  #receive(request: CallRequest, caller: CallerContext, onEnd: (outcome: CallOutcome) => void): CallRun {
    const startedAt = this.deps.clock.monotonic();
    const serving = request.serving === undefined ? undefined : this.attempts.servedBy(request.serving, caller.link);
    return createCallRun({
      request,
      caller,
      trace: traceContext(request.traceparent ?? serving?.run.trace.traceparent),
      chain: serving === undefined ? undefined : chainOf(serving),
      serving,
      paramsHash: this.deps.paramsHash(request.params),
      startedAt,
      onEnd,
    });
  }

  /** Frees remembered outcomes whose time is over; the composition root calls it every few seconds. */
  expire(): void {
    this.#replays.expire();
  }

  /** Runs the call, or answers it with what an earlier one of the same requestId came to. */
  #begin(run: CallRun): void {
    const replay = this.#replays.begin(run);
    switch (replay.kind) {
      case 'FIRST':
        run.executes = true;
        this.#open++;
        return this.#next(run, 0);
      case 'CONFLICT':
        return this.#finish(run, { ok: false, error: replay.error });
      case 'REPLAYED':
        return this.#replayed(run, replay.outcome);
      case 'JOINED': {
        const leave = replay.join((outcome) => {
          try {
            this.#firstEnded(run, outcome);
          } catch (error) {
            this.#broke(run, error);
          }
        });
        run.state = { name: 'JOINED', first: replay.first, leave };
        if (run.deadlineByCaller) this.#arm(run, run.deadlineAt);
        return;
      }
      default:
        return replay satisfies never;
    }
  }

  /** A fault of the program ends the one call that met it, and nothing else. */
  #broke(run: CallRun, error: unknown): void {
    this.deps.onFault(error);
    if (run.state.name === 'ENDED') return;
    const wire = new ReachError('INTERNAL', 'The server failed on this call; its log has the details.').toWire();
    this.#finish(run, { ok: false, error: wire });
  }

  #arm(run: CallRun, dueAt: number): void {
    run.timer ??= new CallbackTimer(() => {
      try {
        this.#timerFired(run);
      } catch (error) {
        this.#broke(run, error);
      }
    });
    this.deps.wheel.arm(run.timer, dueAt);
  }

  // --- deciding ------------------------------------------------------------------------------------------------

  /** Decides and starts the next attempt, or ends the call. `queueMs`: how long it waited for this. */
  #next(run: CallRun, queueMs: number): void {
    run.state = { name: 'DECIDING' };
    if (run.namespace === '') return this.#finish(run, { ok: false, error: namespaceMissing().toWire() });
    const { clock, router } = this.deps;
    const now = instant(clock);
    if (now.monotonic >= run.deadlineAt) return this.#finish(run, { ok: false, error: deadlineExceeded(run) });

    try {
      run.target = router.understand(run.target, run.caller, run.namespace);
    } catch (error) {
      if (!(error instanceof ReachError)) throw error;
      return this.#finish(run, { ok: false, error: error.toWire() });
    }
    const decision = router.route(run, now);
    run.decision = decision;
    run.policy = decision.policy;
    const error = this.#refusal(run, decision, now.monotonic);
    // Nobody else is left for a retry: the failure that led here says more than the empty route.
    if (error !== undefined) return this.#finish(run, { ok: false, error: run.lastError ?? error });
    if (decision.outcome !== 'OK') return;

    if (run.deadlineAt === Number.POSITIVE_INFINITY) {
      const { content } = decision.policy;
      const attemptMs = attemptTimeout(content, decision.choice.capability.latency.value);
      run.deadlineAt = run.startedAt + defaultCallTimeout(content, attemptMs);
    }
    router.taken(decision);
    run.tried ??= new Set();
    run.tried.add(decision.choice.instance.ref);
    run.last = decision.choice;
    const attempt = this.attempts.start(run, decision, clock.monotonic() - now.monotonic, queueMs);
    if (run.attempts.length === 0) this.#budget.first(budgetKey(attempt));
    run.state = { name: 'RUNNING', attempt };
  }

  /** What stands against sending, in the order of the design: permission, schema, loop, then the rest. */
  #refusal(run: CallRun, decision: Decision<Instance>, monotonic: number): WireError | undefined {
    const candidate = decision.outcome === 'OK' ? decision.choice : decision.permitted;
    if (candidate !== undefined) {
      const faults = candidate.capability.inputFaults(run.request.params);
      if (faults !== undefined) return invalidParams(candidate.capability.name, faults);
      if (wouldLoop(run.chain, candidate.instance)) return loopDetected(run.chain, candidate.instance.agent);
    }
    if (decision.outcome === 'OK') return undefined;
    const visible = run.caller.visible(run.namespace);
    return noneLeft(decision, run.caller.caller, visible, monotonic, this.deps.ruleLink);
  }

  // --- ends of attempts ----------------------------------------------------------------------------------------

  #attemptEnded(attempt: Attempt, end: AttemptEnd): void {
    const { run } = attempt;
    if (run.state.name === 'ENDED') return;
    if (end.ok) return this.#finish(run, end);
    const { clock, random } = this.deps;
    const { idempotent } = attempt.capability;
    const error = idempotent ? end.error : unresolved(end.error, run.request.requestId);
    const now = clock.monotonic();
    if (now >= run.deadlineAt) return this.#finish(run, { ok: false, error: atDeadline(run, error) });
    const plan = planRetry(
      {
        code: error.code,
        marked: end.marked,
        idempotent,
        attempts: run.attempts.length,
        repeatedUnanswered: run.repeatedUnanswered,
        nestedExhausted: attempt.nestedExhausted,
      },
      run.policy?.content.retry ?? NO_RETRY,
      random,
    );
    if (!plan.retry || now + plan.afterMs >= run.deadlineAt) return this.#finish(run, { ok: false, error });
    if (plan.budgeted && !this.#budget.take(budgetKey(attempt))) return this.#finish(run, { ok: false, error });
    if (isUnanswered(error)) run.repeatedUnanswered = true;
    run.lastError = error;
    run.state = { name: 'WAITING', since: now };
    if (plan.afterMs === 0) this.#next(run, 0);
    else this.#arm(run, now + plan.afterMs);
  }

  #timerFired(run: CallRun): void {
    if (run.state.name === 'WAITING') return this.#next(run, this.deps.clock.monotonic() - run.state.since);
    if (run.state.name === 'JOINED') this.#leave(run, run.state, deadlineExceeded(run));
  }

  #cancel(run: CallRun, reason: 'CALLER' | 'CALLER_GONE'): void {
    switch (run.state.name) {
      case 'JOINED':
        return this.#leave(run, run.state, attemptFailure('CANCELLED', run.request.requestId));
      case 'RUNNING':
      case 'WAITING':
        // Others wait for the same execution, so it goes on until the last of them has left too.
        run.abandoned = reason;
        if (!this.#replays.awaited(run)) this.#abandon(run, reason);
        return;
      default:
        return;
    }
  }

  #abandon(run: CallRun, reason: 'CALLER' | 'CALLER_GONE'): void {
    if (run.state.name === 'RUNNING') this.attempts.cancel(run.state.attempt, 'CANCELLED', reason);
    else if (run.state.name === 'WAITING') {
      this.#finish(run, { ok: false, error: attemptFailure('CANCELLED', run.request.requestId) });
    }
  }

  /** Stops waiting for the first run, which goes on unless nobody is left who wants it. */
  #leave(run: CallRun, { first, leave }: Extract<CallState, { name: 'JOINED' }>, error: WireError): void {
    const last = leave();
    this.#finish(run, { ok: false, error });
    if (last && first.abandoned !== undefined) this.#abandon(first, first.abandoned);
  }

  /** The run that this one waited for came to an end. */
  #firstEnded(run: CallRun, outcome: CallOutcome): void {
    if (run.state.name !== 'JOINED') return;
    // The first ran out of its own time or was given up: that is not this one's end, so it runs itself.
    if (!outcome.ok && (outcome.error.code === 'DEADLINE_EXCEEDED' || outcome.error.code === 'CANCELLED')) {
      if (run.timer !== undefined) this.deps.wheel.disarm(run.timer);
      run.state = { name: 'DECIDING' };
      return this.#begin(run);
    }
    this.#replayed(run, outcome);
  }

  // --- ends of calls -------------------------------------------------------------------------------------------

  /** Answers a repetition with the first outcome; it needs permission for the agent that gave it. */
  #replayed(run: CallRun, outcome: CallOutcome): void {
    const { agent, capability } = outcome;
    if (agent !== undefined && capability !== undefined) {
      const { caller, roles } = run.caller;
      const { permissions } = this.deps.registry.table;
      if (!permissions.check(caller, roles, agent, capability, this.deps.clock.wall()).allowed) {
        const error = new ReachError('DENIED', `${caller} may not call ${agent}:${capability} any more.`).toWire();
        return this.#finish(run, { ok: false, error });
      }
    }
    this.#finish(run, outcome.ok ? { ...outcome, bytes: 0 } : outcome, outcome);
  }

  #finish(run: CallRun, end: CallEnd, replayOf?: CallOutcome): void {
    const { clock, wheel, audit, metrics } = this.deps;
    run.state = { name: 'ENDED' };
    if (run.timer !== undefined) wheel.disarm(run.timer);
    const outcome = outcomeOf(run, end, clock.monotonic() - run.startedAt, replayOf);
    // Its own retries are spent: the hops above it must not begin them all over again.
    if (!end.ok && run.serving !== undefined && ERRORS[end.error.code].retry !== 'NEVER') {
      run.serving.nestedExhausted = true;
    }
    audit.record(callRecord(run, outcome, clock.wall()));
    metrics.count('calls', outcome.ok ? 'OK' : outcome.error.code);
    if (run.executes) {
      run.executes = false;
      this.#open--;
      this.#replays.end(run, outcome, end.ok ? end.bytes : 0);
    }
    run.onEnd(outcome);
  }
}

const NOTHING_TO_CANCEL: CallHandle = { cancel: () => {} };

const NO_RETRY = { maxRetries: 0, baseMs: 0, factor: 1, capMs: 0 };

/** Retries are counted by capability, within its namespace. */
function budgetKey({ instance, capability }: Attempt): string {
  return `${instance.namespace} ${capability.name}`;
}

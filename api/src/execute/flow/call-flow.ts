import type { Choice, Decision, Instant, NoneLeft } from '@agent-reach/sdk/decide';
import { ReachError, type WireError } from '@agent-reach/sdk/protocol';
import { instant } from '../../perceive/clock.js';
import type { Instance } from '../../perceive/instance.js';
import type { Attempt, AttemptEnd } from '../attempts/attempt.js';
import type { CallEnd } from '../calls/call-outcome.js';
import type { CallRun, CallState } from '../calls/call-run.js';
import { atDeadline, cancelled, deadlineExceeded, isResolved, isUnanswered, unresolved } from '../calls/ends.js';
import { attemptFailure, cancelledTask, noneLeft, queueFull, tookTooLongInQueue } from '../calls/failures.js';
import { reenters } from '../calls/loops.js';
import { LOOK_ELSEWHERE_MS, Rests } from '../retry/rests.js';
import { planRetry } from '../retry/retry.js';
import { namespaceMissing } from '../routing/route-request.js';
import { CallEnding } from './call-ending.js';
import { faultAt } from './call-faults.js';
import { CallLookUp } from './call-look-up.js';
import { CallQueue, waitsIn } from './call-queue.js';
import { budgetKey, CallSending, limitDeadline } from './call-sending.js';
import { answered, arm, type CallFlowDeps, DECIDING, failed } from './flow-deps.js';

/**
 * The way of one call that executes: decide, check, hold, send; after each attempt decide again, fall back or end. What
 * happens to a call before that (repetitions) and after it (audit, reply) is the executor's.
 */
export class CallFlow {
  readonly #queue: CallQueue;
  readonly #sending: CallSending;
  readonly #ending: CallEnding;

  constructor(private readonly deps: CallFlowDeps) {
    this.#queue = new CallQueue(deps, (run, state) => this.#tryAgain(run, state));
    const lookUp = new CallLookUp(deps, {
      giveUp: (run, error) => this.#ending.giveUp(run, error),
      known: (run, held) => this.#sending.notHeld(run, held),
    });
    this.#ending = new CallEnding(deps, this.#queue, lookUp, (run, queueMs) => this.next(run, queueMs));
    this.#sending = new CallSending(deps, {
      next: (run, queueMs) => this.next(run, queueMs),
      giveUp: (run, error) => this.#ending.giveUp(run, error),
      end: (run, end) => this.#ending.end(run, end),
      roomAt: (instance) => this.#queue.roomAt(instance),
    });
  }

  /** Decides where the call goes next, and sees to it. `queueMs`: how long it waited for this. */
  next(run: CallRun, queueMs: number): void {
    run.state = DECIDING;
    if (run.namespace === '') return this.#ending.end(run, failed(namespaceMissing().toWire()));
    const now = instant(this.deps.clock);
    if (now.monotonic >= run.deadlineAt) return this.#ending.giveUp(run, deadlineExceeded(run));
    try {
      run.target = this.deps.router.understand(run.target, run.caller, run.namespace);
    } catch (error) {
      if (!(error instanceof ReachError)) throw error;
      return this.#ending.end(run, failed(error.toWire()));
    }
    this.#act(run, this.#decide(run, now), now, queueMs);
  }

  #decide(run: CallRun, now: Instant): Decision<Instance> {
    const resting = run.rests?.at(now.monotonic);
    let decision = this.deps.router.route(run, now);
    if (decision.outcome === 'OK' && resting?.has(decision.choice.instance.ref)) {
      // Everybody was tried: of those, it goes to one who didn't ask for time.
      decision = this.deps.router.route(run, now, resting);
    }
    run.decision = decision;
    run.policy = decision.policy;
    return decision;
  }

  /** In the order of the design: permission (decided), schema, loop, rate, cache, capacity. */
  #act(run: CallRun, decision: Decision<Instance>, now: Instant, queueMs: number): void {
    const candidate = decision.outcome === 'OK' ? decision.choice : decision.permitted;
    if (candidate !== undefined) {
      const fault = faultAt(run, decision, candidate);
      if (fault !== undefined) return this.#ending.giveUp(run, fault);
      const limited = this.deps.limiter.chargeOnce(run, decision.policy);
      if (limited !== undefined) return this.#ending.giveUp(run, limited);
      const answer = this.deps.answers.of(run, decision.policy, candidate.capability);
      if (answer?.kind === 'CACHED') {
        run.cached = true;
        return this.#ending.end(run, answered(answer, answer.bytes));
      }
      if (answer?.kind === 'EQUAL') return this.deps.join(run, answer.equal);
    }
    if (decision.outcome !== 'OK') return this.#nobody(run, decision, now.monotonic);
    if (this.#rests(run, decision, now, queueMs)) return;
    const { queue } = decision.policy.content;
    if (queue !== null) {
      const { capability, instance } = decision.choice;
      // Whoever came before and waits for room goes first; a place at an agent further up the chain is no room.
      if (reenters(run.chain, instance) || this.deps.waiting.precede(run, capability.name)) {
        limitDeadline(run, decision.policy.content, capability.latency.value);
        const late = tookTooLongInQueue(queue.maxWaitMs);
        if (this.#queue.enter(run, capability.name, queue, now.monotonic, late)) return this.#queue.roomAt(instance);
        if (reenters(run.chain, instance)) return this.#ending.giveUp(run, queueFull(queue.maxLength));
      }
    }
    this.#sending.reserve(run, decision, now, queueMs);
  }

  /** Whether only those are left who refused it and said for how long. The first of them is waited for, if time is left. */
  #rests(run: CallRun, { choice, policy }: Choice<Instance>, { monotonic }: Instant, queueMs: number): boolean {
    const first = run.rests?.has(choice.instance.ref) ? run.rests.first() : undefined;
    if (first === undefined) return false;
    const [instance, until] = first;
    const { retry, fallback } = policy.content;
    // A fallback doesn't have to wait longer than for any other retry.
    const more = (run.steps ?? fallback).length > run.fallbackStep;
    const latest = more ? Math.min(run.deadlineAt, monotonic + retry.capMs) : run.deadlineAt;
    if (until >= latest) this.#ending.giveUp(run, attemptFailure('REFUSED', instance, Math.ceil(until - monotonic)));
    else {
      run.state = { name: 'WAITING', since: monotonic - queueMs };
      arm(this.deps, run, Math.min(until, monotonic + LOOK_ELSEWHERE_MS));
    }
    return true;
  }

  #nobody(run: CallRun, decision: NoneLeft<Instance>, monotonic: number): void {
    const { permitted, policy } = decision;
    const error = this.#noneLeft(run, decision, monotonic);
    const queue = waitsIn(decision);
    // Nobody else is left for a retry: the failure that led here says more than the empty route.
    if (queue === undefined || permitted === undefined) return this.#ending.giveUp(run, run.lastError ?? error);
    limitDeadline(run, policy.content, permitted.capability.latency.value);
    const full = decision.outcome === 'OVERLOADED';
    const late = full ? tookTooLongInQueue(queue.maxWaitMs) : error;
    if (this.#queue.enter(run, permitted.capability.name, queue, monotonic, late)) return;
    this.#ending.giveUp(run, run.lastError ?? (full ? queueFull(queue.maxLength) : error));
  }

  #noneLeft({ caller, target, namespace }: CallRun, decision: NoneLeft<Instance>, monotonic: number): WireError {
    const asked = { caller: caller.caller, target, namespace, visible: caller.visible(namespace) };
    return noneLeft(decision, asked, monotonic, this.deps.ruleLink);
  }

  /** For a call that waits for room; false when there still is none. */
  #tryAgain(run: CallRun, state: Extract<CallState, { name: 'QUEUED' }>): boolean {
    const now = instant(this.deps.clock);
    // Its timer is late, and ends it.
    if (now.monotonic >= state.until) return false;
    const decision = this.#decide(run, now);
    const { outcome } = decision;
    if (outcome === 'OK' ? reenters(run.chain, decision.choice.instance) : waitsIn(decision) !== undefined)
      return false;
    this.#queue.leave(run, state);
    if (outcome !== 'OK') this.#nobody(run, decision, now.monotonic);
    else {
      // Who has room may be of another version than those who were full.
      const fault = faultAt(run, decision, decision.choice);
      if (fault !== undefined) this.#ending.giveUp(run, fault);
      else if (!this.#rests(run, decision, now, now.monotonic - state.since)) {
        this.#sending.reserve(run, decision, now, now.monotonic - state.since);
      }
    }
    return true;
  }

  // --- ends of attempts ----------------------------------------------------------------------------------------

  attemptEnded(attempt: Attempt, end: AttemptEnd): void {
    const { run } = attempt;
    if (run.state.name === 'RUNNING' && run.state.attempt === attempt) {
      if (!end.ok) this.#attemptFailed(run, attempt, end);
      else if (end.accepted) this.#accepted(run, attempt);
      else this.#ending.end(run, { ok: true, result: end.result, bytes: end.bytes });
    }
    this.#queue.roomAt(attempt.instance);
  }

  #accepted(run: CallRun, attempt: Attempt): void {
    const { holds, awaited } = this.deps;
    const taskId = holds.accepted(run, attempt);
    if (run.abandoned !== 'CALLER' || awaited(run) || taskId === undefined) {
      return this.#ending.end(run, { ok: true, result: undefined, bytes: 0, taskId });
    }
    // Its caller cancelled it before there was a task to cancel.
    holds.cancel(run, taskId);
    this.#ending.end(run, failed(cancelledTask(run, taskId)));
  }

  /** An attempt that had been given up for lost has succeeded after all: the first success wins. */
  succeededLate(attempt: Attempt, end: Extract<CallEnd, { ok: true }>): void {
    const { run } = attempt;
    const { state } = run;
    if (state.name === 'QUEUED') this.#queue.leave(run, state);
    else if (state.name === 'RUNNING') this.#ending.supersede(run, state.attempt);
    else if (state.name === 'HOLDING') this.#ending.release(run, state.attempt);
    else if (state.name !== 'WAITING') return;
    const { instance, capability } = attempt;
    // It was made before the call went to a backup agent.
    if (attempt.number <= run.earlierAttempts) {
      run.fallback = undefined;
      run.namespace = instance.namespace;
    }
    const from = { instance: instance.ref, agent: instance.agent, capability: capability.name };
    this.#ending.end(run, { ...end, from });
    if (state.name === 'HOLDING') this.#queue.roomAt(state.attempt.instance);
  }

  #attemptFailed(run: CallRun, attempt: Attempt, end: Extract<AttemptEnd, { ok: false }>): void {
    const { clock, random, budget } = this.deps;
    const { idempotent } = attempt.capability;
    const error = idempotent ? end.error : unresolved(end.error, run.request.requestId);
    // Its caller gave it up while it was claimed: it is not sent again, and only what was executed is kept.
    if (run.abandoned !== undefined && !this.deps.awaited(run)) {
      return this.#ending.end(run, failed(isResolved(error) ? error : cancelled(run)));
    }
    const now = clock.monotonic();
    if (now >= run.deadlineAt) return this.#ending.giveUp(run, atDeadline(run, error));
    if (error.code === 'REFUSED' && error.retryAfterMs !== undefined) {
      run.rests ??= new Rests();
      run.rests.refused(attempt.instance.ref, now + error.retryAfterMs);
    }
    const plan = planRetry(
      {
        code: error.code,
        marked: end.marked,
        idempotent,
        attempts: run.attempts.length - run.earlierAttempts,
        repeatedUnanswered: run.repeatedUnanswered,
        nestedExhausted: attempt.nestedExhausted,
      },
      run.policy?.content.retry ?? NO_RETRY,
      random,
    );
    if (!plan.retry || now + plan.afterMs >= run.deadlineAt) return this.#ending.giveUp(run, error);
    if (plan.budgeted && !budget.take(budgetKey(attempt))) return this.#ending.giveUp(run, error);
    if (isUnanswered(error)) run.repeatedUnanswered = true;
    run.lastError = error;
    run.state = { name: 'WAITING', since: now };
    if (plan.afterMs === 0) this.next(run, 0);
    else arm(this.deps, run, now + plan.afterMs);
  }

  // --- what comes from outside ---------------------------------------------------------------------------------

  abandon(run: CallRun, reason: NonNullable<CallRun['abandoned']>): void {
    this.#ending.abandon(run, reason);
  }

  drop(run: CallRun, error: WireError): void {
    this.#ending.drop(run, error);
  }

  timerFired(run: CallRun): void {
    this.#ending.timerFired(run);
  }

  roomAt(instance: Instance): void {
    this.#queue.roomAt(instance);
  }
}

const NO_RETRY = { maxRetries: 0, baseMs: 0, factor: 1, capMs: 0 };

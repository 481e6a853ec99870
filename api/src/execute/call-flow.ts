import type { Choice, Decision, Instant, NoneLeft, PolicyContent, QueueSettings } from '@agent-reach/sdk/decide';
import { ReachError, type WireError } from '@agent-reach/sdk/protocol';
import { type Clock, instant } from '../perceive/clock.js';
import type { Instance } from '../perceive/instance.js';
import type { Attempt, AttemptEnd } from './attempts/attempt.js';
import type { AttemptRunner } from './attempts/attempt-runner.js';
import { attemptTimeout, defaultCallTimeout } from './attempts/timeouts.js';
import { CallbackTimer, type Timer, type TimingWheel } from './attempts/timing-wheel.js';
import type { Answers } from './cache/answers.js';
import type { EqualCall } from './cache/equal-calls.js';
import type { AnswerSource, CallEnd } from './calls/call-outcome.js';
import type { CallRun, CallState } from './calls/call-run.js';
import { atDeadline, deadlineExceeded, isResolved, isUnanswered, unresolved } from './calls/ends.js';
import {
  attemptFailure,
  executedButNotStored,
  faultOfServer,
  invalidParams,
  loopDetected,
  noLongerATask,
  noneLeft,
  type RuleLink,
  requestIdTaken,
  storageUnavailable,
  tookTooLongInQueue,
} from './calls/failures.js';
import { wouldLoop } from './calls/loops.js';
import type { RateLimiter } from './capacity/rate-limiter.js';
import type { WaitingRoom } from './capacity/waiting-room.js';
import { nextFallback } from './fallback/next-fallback.js';
import { claimedOutcome, type Held, Holds } from './idempotency/hold.js';
import type { CallOutcome } from './ports.js';
import { planRetry } from './retry/retry.js';
import type { RetryBudget } from './retry/retry-budget.js';
import { namespaceMissing } from './routing/route-request.js';
import type { Router } from './routing/router.js';

/** How often those who wait for room look whether something changed that nobody told of, ms. */
const LOOK_MS = 100;

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
  /** The call is over, told exactly once. */
  readonly over: (run: CallRun, end: CallEnd) => void;
  /** The call's own timer, which leads back to `timerFired`. */
  readonly timerOf: (run: CallRun) => Timer;
  /** Told of a fault of the program that a call met. */
  readonly onBroke: (run: CallRun, error: unknown) => void;
}

/**
 * The way of one call that executes: decide, check, hold, send; after each attempt decide again, fall back or end. What
 * happens to a call before that (repetitions) and after it (audit, reply) is the executor's.
 */
export class CallFlow {
  readonly #look: CallbackTimer;

  constructor(private readonly deps: CallFlowDeps) {
    this.#look = new CallbackTimer(() => this.#lookForRoom());
  }

  // --- deciding ------------------------------------------------------------------------------------------------

  /** Decides where the call goes next, and sees to it. `queueMs`: how long it waited for this. */
  next(run: CallRun, queueMs: number): void {
    run.state = DECIDING;
    if (run.namespace === '') return this.#end(run, failed(namespaceMissing().toWire()));
    const now = instant(this.deps.clock);
    if (now.monotonic >= run.deadlineAt) return this.#giveUp(run, deadlineExceeded(run));
    try {
      run.target = this.deps.router.understand(run.target, run.caller, run.namespace);
    } catch (error) {
      if (!(error instanceof ReachError)) throw error;
      return this.#end(run, failed(error.toWire()));
    }
    this.#act(run, this.#decide(run, now), now, queueMs);
  }

  #decide(run: CallRun, now: Instant): Decision<Instance> {
    const decision = this.deps.router.route(run, now);
    run.decision = decision;
    run.policy = decision.policy;
    return decision;
  }

  /** In the order of the design: permission (decided), schema, loop, rate, cache, capacity. */
  #act(run: CallRun, decision: Decision<Instance>, now: Instant, queueMs: number): void {
    const candidate = decision.outcome === 'OK' ? decision.choice : decision.permitted;
    if (candidate !== undefined) {
      const faults = candidate.capability.inputFaults(run.request.params);
      if (faults !== undefined) return this.#giveUp(run, invalidParams(candidate.capability.name, faults));
      if (wouldLoop(run.chain, candidate.instance)) {
        return this.#giveUp(run, loopDetected(run.chain, candidate.instance.agent));
      }
      const limited = this.deps.limiter.chargeOnce(run, decision.policy);
      if (limited !== undefined) return this.#giveUp(run, limited);
      const answer = this.deps.answers.of(run, decision.policy, candidate.capability);
      if (answer?.kind === 'CACHED') {
        run.cached = true;
        return this.#end(run, answered(answer));
      }
      if (answer?.kind === 'EQUAL') return this.deps.join(run, answer.equal);
    }
    if (decision.outcome !== 'OK') return this.#nobody(run, decision, now.monotonic);
    const { queue } = decision.policy.content;
    // Whoever came before and waits for room goes first.
    if (queue !== null && this.deps.waiting.precede(run, decision.choice.capability.name)) {
      const { capability, instance } = decision.choice;
      const late = tookTooLongInQueue(queue.maxWaitMs);
      if (this.#enqueue(run, capability.name, queue, now.monotonic, late)) return this.roomAt(instance);
    }
    this.#reserve(run, decision, now, queueMs);
  }

  #nobody(run: CallRun, decision: NoneLeft<Instance>, monotonic: number): void {
    const visible = run.caller.visible(run.namespace);
    const error = noneLeft(decision, run.caller.caller, visible, monotonic, this.deps.ruleLink);
    const queue = waitsIn(decision);
    const capability = decision.permitted?.capability.name;
    if (queue !== undefined && capability !== undefined) {
      if (this.#enqueue(run, capability, queue, monotonic, error)) return;
    }
    // Nobody else is left for a retry: the failure that led here says more than the empty route.
    this.#giveUp(run, run.lastError ?? error);
  }

  // --- waiting for room ----------------------------------------------------------------------------------------

  /** `late`: how it ends when its wait was in vain. */
  #enqueue(run: CallRun, capability: string, queue: QueueSettings, monotonic: number, late: WireError): boolean {
    const ticket = this.deps.waiting.enter(run, capability, queue);
    if (ticket === undefined) return false;
    this.#limitDeadline(run, run.policy?.content, undefined);
    const until = Math.min(run.deadlineAt, monotonic + queue.maxWaitMs);
    run.state = { name: 'QUEUED', since: monotonic, until, ticket, late };
    this.#arm(run, until);
    if (this.deps.waiting.total === 1) this.deps.wheel.arm(this.#look, monotonic + LOOK_MS);
    return true;
  }

  /** A place became free at an instance: who waits for it may try, in turn, until one finds none. */
  roomAt(instance: Instance): void {
    if (this.deps.waiting.total === 0) return;
    for (const { name } of instance.capabilities) this.#admit(`${instance.namespace} ${name}`);
  }

  /** While somebody waits: not everything that makes room is told of, such as a new instance. */
  #lookForRoom(): void {
    const { waiting, wheel, clock } = this.deps;
    for (const queue of [...waiting.queues()]) this.#admit(queue);
    if (waiting.total > 0) wheel.arm(this.#look, clock.monotonic() + LOOK_MS);
  }

  #admit(queue: string): void {
    for (const run of this.deps.waiting.inTurn(queue)) {
      const { state } = run;
      if (state.name !== 'QUEUED') continue;
      try {
        const now = instant(this.deps.clock);
        const decision = this.#decide(run, now);
        if (decision.outcome !== 'OK' && waitsIn(decision) !== undefined) {
          // Whoever takes anybody found nobody; only those who want one agent may still be luckier.
          if (run.target.agent === undefined) return;
          continue;
        }
        this.#leaveQueue(run, state);
        if (decision.outcome === 'OK') this.#reserve(run, decision, now, now.monotonic - state.since);
        else this.#nobody(run, decision, now.monotonic);
      } catch (error) {
        this.deps.onBroke(run, error);
      }
    }
  }

  #leaveQueue(run: CallRun, { ticket }: Extract<CallState, { name: 'QUEUED' }>): void {
    this.deps.waiting.leave(ticket);
    this.#disarm(run);
    run.state = DECIDING;
  }

  // --- sending -------------------------------------------------------------------------------------------------

  #reserve(run: CallRun, decision: Choice<Instance>, now: Instant, queueMs: number): void {
    const { attempts, router, clock } = this.deps;
    const { choice, policy } = decision;
    if (isResumedTask(run) && choice.capability.mode !== 'TASK') return this.#giveUp(run, noLongerATask(choice));
    this.#limitDeadline(run, policy.content, choice.capability.latency.value);
    router.taken(decision);
    run.tried ??= new Set();
    run.tried.add(choice.instance.ref);
    run.last = choice;
    const attempt = attempts.reserve(run, decision, clock.monotonic() - now.monotonic, queueMs);
    if (!Holds.needed(attempt) && run.hold === undefined) return this.#send(run, attempt);
    run.state = { name: 'HOLDING', attempt };
    this.#arm(run, run.deadlineAt);
    this.deps.holds.hold(run, attempt, (held) => {
      try {
        this.#held(run, attempt, held);
      } catch (error) {
        this.deps.onBroke(run, error);
      }
    });
  }

  /** The time for a call whose caller names none depends on its policy. */
  #limitDeadline(run: CallRun, content: PolicyContent | undefined, mean: number | undefined): void {
    if (run.deadlineAt !== Number.POSITIVE_INFINITY || content === undefined) return;
    run.deadlineAt = run.startedAt + defaultCallTimeout(content, attemptTimeout(content, mean));
  }

  #held(run: CallRun, attempt: Attempt, held: Held): void {
    if (run.state.name !== 'HOLDING' || run.state.attempt !== attempt) return;
    this.#disarm(run);
    if (held.kind === 'HELD') {
      // Chosen but not sent: where things changed meanwhile it goes elsewhere, at no cost.
      if (stillGood(attempt)) return this.#send(run, attempt);
      this.deps.attempts.release(attempt);
      return this.next(run, 0);
    }
    this.deps.attempts.release(attempt);
    run.state = DECIDING;
    switch (held.kind) {
      case 'KNOWN':
      case 'ACCEPTED':
        this.deps.replay(run, held);
        break;
      case 'RECALL':
        this.#arm(run, run.deadlineAt);
        this.deps.recall(run, held);
        break;
      case 'CONFLICT':
        this.#end(run, failed(requestIdTaken(run)));
        break;
      case 'OVER':
        this.#end(run, failed(attemptFailure('CANCELLED', run.request.requestId)));
        break;
      case 'FENCED':
        this.#end(run, failed(storageUnavailable()));
        break;
      default:
        held satisfies never;
    }
    this.roomAt(attempt.instance);
  }

  #send(run: CallRun, attempt: Attempt): void {
    run.state = { name: 'RUNNING', attempt };
    if (run.attempts.length === 0) this.deps.budget.first(budgetKey(attempt));
    this.deps.attempts.send(attempt);
  }

  // --- ends of attempts ----------------------------------------------------------------------------------------

  attemptEnded(attempt: Attempt, end: AttemptEnd): void {
    const { run } = attempt;
    if (run.state.name === 'RUNNING' && run.state.attempt === attempt) {
      if (!end.ok) this.#attemptFailed(run, attempt, end);
      else if (end.accepted) this.#accepted(run, attempt);
      else this.#end(run, { ok: true, result: end.result, bytes: end.bytes });
    }
    this.roomAt(attempt.instance);
  }

  #accepted(run: CallRun, attempt: Attempt): void {
    const taskId = this.deps.holds.accepted(run, attempt);
    this.#end(run, { ok: true, result: undefined, bytes: 0, taskId });
  }

  /** An attempt that had been given up for lost has succeeded after all: the first success wins. */
  succeededLate(attempt: Attempt, end: Extract<CallEnd, { ok: true }>): void {
    const { run } = attempt;
    const { state } = run;
    if (state.name === 'QUEUED') this.#leaveQueue(run, state);
    else if (state.name === 'RUNNING') this.#supersede(run, state.attempt);
    else if (state.name !== 'WAITING') return;
    const { instance, capability } = attempt;
    this.#end(run, { ...end, from: { instance: instance.ref, agent: instance.agent, capability: capability.name } });
  }

  #attemptFailed(run: CallRun, attempt: Attempt, end: Extract<AttemptEnd, { ok: false }>): void {
    const { clock, random, budget } = this.deps;
    const { idempotent } = attempt.capability;
    const error = idempotent ? end.error : unresolved(end.error, run.request.requestId);
    const now = clock.monotonic();
    if (now >= run.deadlineAt) return this.#giveUp(run, atDeadline(run, error));
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
    if (!plan.retry || now + plan.afterMs >= run.deadlineAt) return this.#giveUp(run, error);
    if (plan.budgeted && !budget.take(budgetKey(attempt))) return this.#giveUp(run, error);
    if (isUnanswered(error)) run.repeatedUnanswered = true;
    run.lastError = error;
    run.state = { name: 'WAITING', since: now };
    if (plan.afterMs === 0) this.next(run, 0);
    else this.#arm(run, now + plan.afterMs);
  }

  // --- ends ----------------------------------------------------------------------------------------------------

  /** It failed for good; the policy's fallback may have an answer all the same. */
  #giveUp(run: CallRun, error: WireError): void {
    // What was executed, or may have been, is the call's own end, whatever came before it.
    if (run.hold !== undefined && isResolved(error)) return this.#end(run, failed(error));
    run.failure ??= error;
    // Whoever asked for it has its id already: only an instance that accepts it helps, now or later.
    if (isResumedTask(run)) return this.#end(run, failed(error));
    const next = nextFallback(run, error, this.deps.clock.monotonic(), this.deps.answers);
    if (next === undefined) {
      run.fallback = undefined;
      return this.#end(run, failed(run.failure));
    }
    run.fallback = next.kind;
    if (next.kind === 'AGENT') return this.next(run, 0);
    // A makeshift: whoever repeats the request asks for the real thing.
    run.forgotten = true;
    this.#end(run, answered(next));
  }

  /** Ends a call; what must be durable first is made so. */
  #end(run: CallRun, ended: CallEnd): void {
    let end = ended;
    const { hold } = run;
    if (hold === undefined) return this.deps.over(run, end);
    const executed = end.ok ? run.fallback === undefined || run.fallback === 'AGENT' : isResolved(end.error);
    if (!executed) {
      this.deps.holds.giveBack(run);
      return this.deps.over(run, end);
    }
    if (!end.ok && hold.kind === 'TASK') {
      const { error } = end;
      end = failed({ ...error, details: { ...error.details, taskId: hold.task.taskId } });
    }
    const last = run.state.name === 'RUNNING' ? run.state.attempt : undefined;
    const unknown = !end.ok && end.error.code === 'OUTCOME_UNKNOWN';
    // A later result replaces it where it is stored.
    run.forgotten = unknown;
    const mayAnswer = unknown ? last : undefined;
    const state: CallState = { name: 'STORING', end };
    run.state = state;
    this.#arm(run, run.deadlineAt);
    this.deps.holds.keep(run, hold, claimedOutcome(run, end), mayAnswer, () => {
      if (run.state !== state) return;
      this.#disarm(run);
      this.deps.over(run, end);
    });
  }

  /** Stops an attempt whose end is of no interest any more. */
  #supersede(run: CallRun, attempt: Attempt): void {
    run.state = DECIDING;
    this.deps.attempts.cancel(attempt, 'CANCELLED', 'SUPERSEDED');
  }

  /** Nobody waits for it any more. What may not be executed twice goes on when it was sent: its outcome is wanted later. */
  abandon(run: CallRun, reason: 'CALLER' | 'CALLER_GONE'): void {
    const { state } = run;
    const cancelled = failed(attemptFailure('CANCELLED', run.request.requestId));
    switch (state.name) {
      case 'RUNNING':
        if (run.hold === undefined) this.deps.attempts.cancel(state.attempt, 'CANCELLED', reason);
        return;
      case 'QUEUED':
        this.#leaveQueue(run, state);
        return this.#end(run, cancelled);
      case 'HOLDING':
        this.deps.attempts.release(state.attempt);
        return this.#end(run, cancelled);
      case 'RECALLING':
        state.leave();
        return this.#end(run, cancelled);
      case 'WAITING':
        return this.#end(run, cancelled);
      default:
        return;
    }
  }

  /** A fault of the program: what was held is given back, or kept as unknown when it was sent. */
  drop(run: CallRun, error: WireError): void {
    const { state } = run;
    if (state.name === 'QUEUED') this.#leaveQueue(run, state);
    if (state.name === 'HOLDING') this.deps.attempts.release(state.attempt);
    if (state.name === 'RUNNING') this.#supersede(run, state.attempt);
    const { hold } = run;
    if (hold !== undefined && (state.name === 'RUNNING' || run.attempts.length > 0)) {
      this.deps.holds.keep(
        run,
        hold,
        claimedOutcome(run, failed(faultOfServer(error, run.request.requestId))),
        undefined,
        () => {},
      );
    } else this.deps.holds.giveBack(run);
    this.deps.over(run, failed(error));
  }

  timerFired(run: CallRun): void {
    const { state } = run;
    switch (state.name) {
      case 'WAITING':
        return this.next(run, this.deps.clock.monotonic() - state.since);
      case 'QUEUED': {
        this.#leaveQueue(run, state);
        return this.#giveUp(run, state.until >= run.deadlineAt ? deadlineExceeded(run) : state.late);
      }
      case 'HOLDING':
        this.deps.attempts.release(state.attempt);
        run.state = DECIDING;
        this.roomAt(state.attempt.instance);
        return this.#giveUp(run, storageUnavailable());
      case 'RECALLING':
        state.leave();
        return this.#end(run, failed(deadlineExceeded(run)));
      case 'STORING':
        // Stored it will be, and whoever repeats the request gets it.
        run.forgotten = true;
        return this.deps.over(run, failed(executedButNotStored(run.request.requestId)));
      default:
        return;
    }
  }

  #arm(run: CallRun, dueAt: number): void {
    if (dueAt === Number.POSITIVE_INFINITY) return;
    this.deps.wheel.arm(this.deps.timerOf(run), dueAt);
  }

  #disarm(run: CallRun): void {
    if (run.timer !== undefined) this.deps.wheel.disarm(run.timer);
  }
}

const DECIDING: CallState = { name: 'DECIDING' };

const NO_RETRY = { maxRetries: 0, baseMs: 0, factor: 1, capMs: 0 };

function failed(error: WireError): CallEnd {
  return { ok: false, error };
}

/** The answer of somebody else, or of another time. */
function answered({ result, from }: { readonly result: unknown; readonly from: AnswerSource }): CallEnd {
  return { ok: true, result, bytes: 0, from };
}

/** Where a call waits that found nobody; undefined when it has to end. */
function waitsIn({ outcome, policy, permitted }: NoneLeft<Instance>): QueueSettings | undefined {
  if (outcome === 'OVERLOADED') return policy.content.queue ?? undefined;
  // After a restart of the server: who was here before has not been heard yet, and mostly is back in a moment.
  return outcome === 'NO_ROUTE' && permitted?.instance.live.health === 'UNKNOWN' ? RETURNING : undefined;
}

/** As long as an instance of the usual lease has to come back; who has not by then is OFFLINE. */
const RETURNING: QueueSettings = { maxLength: 10_000, maxWaitMs: 15_000 };

/** A task that was accepted before and is dispatched again. */
function isResumedTask({ hold }: CallRun): boolean {
  return hold?.kind === 'TASK' && hold.resumed;
}

/** Whether an attempt whose place was reserved a moment ago may still be sent. */
function stillGood({ ended, probe, instance }: Attempt): boolean {
  const { live, link, weight } = instance;
  return (
    !ended &&
    live.lifecycle === 'READY' &&
    live.health !== 'OFFLINE' &&
    weight > 0 &&
    link?.isOpen === true &&
    (probe || live.breaker.state === 'CLOSED')
  );
}

/** Retries are counted by capability, within its namespace. */
function budgetKey({ instance, capability }: Attempt): string {
  return `${instance.namespace} ${capability.name}`;
}

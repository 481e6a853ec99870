import { type Choice, DEFAULT_POLICY_CONTENT } from '@agent-reach/sdk/decide';
import {
  type AckFrame,
  type CancelReason,
  ERRORS,
  type ErrorCode,
  type InstanceRef,
  type ProgressFrame,
  type RecalledFrame,
  type ResultFrame,
  type WireError,
} from '@agent-reach/sdk/protocol';
import type { Clock } from '../../perceive/clock.js';
import type { Instance, Link } from '../../perceive/instance.js';
import type { CallMetrics } from '../calls/call-metrics.js';
import type { CallRun } from '../calls/call-run.js';
import { deadlineExceeded, isUnanswered, unresolved } from '../calls/ends.js';
import { agentFailure, attemptFailure, invalidResult, unusableResult } from '../calls/failures.js';
import { deepest } from '../calls/loops.js';
import { randomId } from '../calls/random-id.js';
import { roundedMs } from '../calls/rounding.js';
import type { AttemptOutcomes } from '../ports.js';
import { Attempt, type AttemptEnd } from './attempt.js';
import type { BreakerCharge } from './breaker.js';
import type { AttemptEvents, Delivery, LaterFrames } from './delivery.js';
import type { InFlightReport } from './in-flight-drift.js';
import { Lane } from './lane.js';
import { ackTimeout, attemptTimeout } from './timeouts.js';
import type { TimingWheel } from './timing-wheel.js';

/** How long a caller's failures with an instance are remembered, as the share that one outcome moves the memory. */
const HISTORY_STEP = 0.3;
/** Back to this, a caller's memory of an instance is as good as new and forgotten. */
const FORGIVEN = 0.98;
const MAX_HISTORIES = 1_000;

export interface AttemptRunnerDeps {
  readonly clock: Clock;
  readonly wheel: TimingWheel;
  readonly delivery: Delivery;
  readonly metrics: CallMetrics;
  /** Whom frames are for that no running attempt knows. */
  readonly later: LaterFrames;
  /** The caller's time is over; true when its call goes on for others, within `deadlineAt` as it is then. */
  readonly outlives: (run: CallRun, error: WireError) => boolean;
  readonly outcomes: AttemptOutcomes;
  /** Told exactly once per attempt that was sent. */
  readonly onEnded: (attempt: Attempt, end: AttemptEnd) => void;
  /** An attempt of an idempotent call that had ended unanswered has succeeded after all, while its call goes on. */
  readonly onLateSuccess: (attempt: Attempt, end: LateSuccess) => void;
}

export interface LateSuccess {
  readonly ok: true;
  readonly result: unknown;
  readonly bytes: number;
}

/**
 * Runs single attempts: sends, waits for ack and result, ends each exactly once. Everything that an attempt holds
 * (the in-flight count, the probe slot, its timer, its id) is given back in one place.
 */
export class AttemptRunner implements AttemptEvents {
  readonly #attempts = new Map<string, Attempt>();
  /** Attempts of idempotent calls that got no answer, while their calls go on. */
  readonly #unanswered = new Map<string, Attempt>();
  /** Attempts whose task was accepted, until it ends: calls may be made in their service. */
  readonly #tasks = new Map<string, Attempt>();
  readonly #lanes = new WeakMap<Instance, Lane>();

  constructor(private readonly deps: AttemptRunnerDeps) {}

  /** Attempts running now. */
  get running(): number {
    return this.#attempts.size;
  }

  /** The attempt of this id, if it runs there. */
  servedBy(dispatchId: string, link: Link | undefined): Attempt | undefined {
    const attempt = this.#attempts.get(dispatchId) ?? this.#tasks.get(dispatchId);
    return attempt !== undefined && attempt.instance.link === link ? attempt : undefined;
  }

  /** Of the attempts that run on these instances over this connection, the one furthest down its chain of calls. */
  deepestServedBy(
    refs: ReadonlySet<InstanceRef>,
    table: { instance(ref: InstanceRef): Instance | undefined },
    link: Link | undefined,
  ): Attempt | undefined {
    let found: Attempt | undefined;
    for (const ref of refs) {
      const instance = table.instance(ref);
      const lane = instance !== undefined && instance.link === link ? this.#lanes.get(instance) : undefined;
      if (lane !== undefined) found = deepest(lane.running, found);
    }
    return found;
  }

  /** A call is over: what comes for its earlier attempts is late. */
  forget(run: CallRun): void {
    if (run.unanswered === undefined) return;
    for (const dispatchId of run.unanswered) this.#unanswered.delete(dispatchId);
    run.unanswered = undefined;
  }

  /** Takes a place on the chosen instance: in its count, in the slot of a probe. Nothing is sent yet. */
  reserve(run: CallRun, decision: Choice<Instance>, decideMs: number, queueMs: number): Attempt {
    const { instance, capability } = decision.choice;
    const lane = this.#lane(instance);
    const attempt = new Attempt(
      run,
      randomId(),
      run.attempts.length + 1,
      instance,
      lane,
      capability,
      decision.takesProbe,
      this.deps.clock.monotonic(),
      decideMs,
      queueMs,
      this.#timedOut,
    );
    if (attempt.isTask) instance.live.tasks++;
    else instance.live.inFlight++;
    if (attempt.probe) {
      lane.breaker.beginProbe();
      instance.live.breaker = lane.breaker.state;
    }
    lane.running.add(attempt);
    this.#attempts.set(attempt.dispatchId, attempt);
    return attempt;
  }

  /** Hands a reserved attempt over, and begins to wait. */
  send(attempt: Attempt): void {
    const { clock, wheel, delivery, metrics } = this.deps;
    const { run, instance, capability, number, task } = attempt;
    const now = clock.monotonic();
    const zone = run.request.zone ?? run.caller.zone;
    attempt.sent = true;
    attempt.startedAt = now;
    const timeoutMs = timeoutOf(attempt);
    attempt.ackDueAt = now + ackTimeout(zone === undefined || zone === instance.zone, number);
    attempt.resultDueAt = now + timeoutMs;
    wheel.arm(attempt, Math.min(attempt.ackDueAt, attempt.resultDueAt));
    metrics.dispatchTotal++;
    if (number === 1) metrics.firstAttempts++;
    delivery.offer(instance, {
      type: 'dispatch',
      dispatchId: attempt.dispatchId,
      instance: instance.ref,
      requestId: run.request.requestId,
      caller: run.caller.caller,
      capability: capability.name,
      params: run.request.params,
      timeoutMs: Math.ceil(task?.timeoutMs ?? timeoutMs),
      attempt: number,
      traceparent: run.trace.traceparent,
      headers: passedHeaders(run.request.headers, capability.record.headers),
      task: task === undefined ? undefined : { taskId: task.taskId, epoch: task.epoch },
    });
  }

  /** Gives back a reserved attempt that was not sent; it never was. */
  release(attempt: Attempt): void {
    if (attempt.ended) return;
    this.#giveBack(attempt, false);
    if (attempt.probe) this.#charge(attempt, 'NEITHER', this.deps.clock.monotonic());
  }

  /** Ends an attempt from this side and asks the instance to stop. */
  cancel(attempt: Attempt, code: ErrorCode, reason: CancelReason): void {
    if (attempt.ended) return;
    this.deps.delivery.cancel(attempt.instance, attempt.dispatchId, reason);
    this.#fail(attempt, code);
  }

  /** Ends an attempt from this side alone: its instance goes on, and what it answers is for others (`later`). */
  letGo(attempt: Attempt, code: ErrorCode): void {
    this.#fail(attempt, code);
  }

  undeliverable(dispatchId: string): void {
    const attempt = this.#attempts.get(dispatchId);
    if (attempt?.sent !== true) return;
    this.#fail(attempt, 'CONNECT_FAILED');
  }

  acked(frame: AckFrame, link: Link): void {
    const attempt = this.#own(frame.dispatchId, link);
    if (attempt === undefined) return;
    if (!frame.accepted) {
      // What was accepted may have been executed; refusing it afterwards must not send it elsewhere.
      if (attempt.acknowledged) this.deps.metrics.lateFrames++;
      else this.#fail(attempt, 'REFUSED', frame.retryAfterMs);
      return;
    }
    this.#acknowledge(attempt, true);
    if (attempt.isTask) this.#end(attempt, ACCEPTED);
    else this.deps.wheel.arm(attempt, attempt.resultDueAt);
  }

  handedOver(dispatchId: string, link: Link): void {
    const attempt = this.#own(dispatchId, link);
    if (attempt === undefined) return;
    attempt.overdue = false;
    attempt.instance.live.ackOverdue = false;
    // None comes any more.
    attempt.ackDueAt = 0;
    this.deps.wheel.arm(attempt, attempt.resultDueAt);
  }

  completed(frame: ResultFrame, link: Link, bytes: number): void {
    const { later, metrics } = this.deps;
    const attempt = this.#attempts.get(frame.dispatchId);
    if (attempt === undefined) {
      if (!this.#succeededLate(frame, link, bytes) && !later.completed(frame, link, bytes)) metrics.lateFrames++;
      return;
    }
    if (attempt.instance.link !== link) {
      metrics.foreignFrames++;
      return;
    }
    this.#acknowledge(attempt, false);
    if (attempt.isTask) {
      // Done at once: it is accepted first, so that its result has somebody who keeps it.
      this.#end(attempt, ACCEPTED);
      later.completed(frame, link, bytes);
      return;
    }
    if (!frame.ok) {
      const error = agentFailure(frame.error);
      this.#end(attempt, { ok: false, error, marked: frame.error.retryable === true });
      return;
    }
    const faults = attempt.capability.outputFaults(frame.result);
    if (faults === undefined) this.#end(attempt, { ok: true, accepted: false, result: frame.result, bytes });
    else {
      this.deps.metrics.countInvalidResult(attempt.instance, attempt.capability.name);
      this.#end(attempt, { ok: false, error: invalidResult(attempt.capability.name, faults), marked: false });
    }
  }

  #succeededLate(frame: ResultFrame, link: Link, bytes: number): boolean {
    const attempt = this.#unanswered.get(frame.dispatchId);
    if (attempt === undefined || attempt.instance.link !== link || !frame.ok) return false;
    if (attempt.capability.outputFaults(frame.result) !== undefined) return false;
    this.#unanswered.delete(frame.dispatchId);
    this.deps.onLateSuccess(attempt, { ok: true, result: frame.result, bytes });
    return true;
  }

  faulty(dispatchId: string, link: Link, error: WireError): void {
    if (!this.#attempts.has(dispatchId) && this.deps.later.faulty(dispatchId, link, error)) return;
    const attempt = this.#own(dispatchId, link);
    if (attempt === undefined) return;
    if (attempt.isTask) {
      this.#acknowledge(attempt, false);
      this.#end(attempt, ACCEPTED);
      this.deps.later.faulty(dispatchId, link, error);
      return;
    }
    const invalid = unusableResult(error);
    this.deps.metrics.countInvalidResult(attempt.instance, attempt.capability.name);
    this.#end(attempt, { ok: false, error: invalid, marked: false });
  }

  broken(dispatchId: string, link: Link): void {
    const attempt = this.#own(dispatchId, link);
    if (attempt !== undefined) this.#fail(attempt, 'CONNECTION_LOST');
  }

  progressed(frame: ProgressFrame, link: Link): void {
    // Before its acceptance, or of a call that is no task, it has nobody to show it to.
    if (!this.deps.later.progressed(frame, link)) this.#own(frame.dispatchId, link);
  }

  recalled(frame: RecalledFrame, link: Link): void {
    if (!this.deps.later.recalled(frame, link)) this.deps.metrics.lateFrames++;
  }

  lost(instance: Instance): void {
    const lane = this.#lanes.get(instance);
    if (lane === undefined) return;
    for (const attempt of [...lane.running]) {
      if (attempt.sent) this.#fail(attempt, 'CONNECTION_LOST');
      else this.release(attempt);
    }
    lane.drift.forget(instance);
  }

  /** An instance tells how many calls it has. */
  reported(instance: Instance, report: InFlightReport): void {
    const { clock, metrics } = this.deps;
    const lane = report.inFlight > 0 ? this.#lane(instance) : this.#lanes.get(instance);
    if (lane !== undefined) {
      metrics.inFlightDrift += lane.drift.observe(instance, lane.running, report, clock.monotonic());
    }
  }

  /** A task that was accepted is over. Its attempt was charged when it was accepted; what came of it shows in the quality. */
  taskOver(dispatchId: string, instance: Instance | undefined, succeeded: boolean | undefined): void {
    const startedAt = this.#tasks.get(dispatchId)?.startedAt ?? 0;
    this.#tasks.delete(dispatchId);
    if (instance === undefined || succeeded === undefined) return;
    const { outcomes } = this.#lane(instance);
    const now = this.deps.clock.monotonic();
    outcomes.add(succeeded, now);
    instance.live.successRate = outcomes.successRate(now);
    this.deps.outcomes.ended(instance, !succeeded, startedAt);
  }

  /**
   * Brings success rate and latency of instances up to date: one that fails or is slow gets fewer calls or none, and
   * without calls only time forgives it.
   */
  refreshQuality(instances: Iterable<Instance>): void {
    const now = this.deps.clock.monotonic();
    for (const instance of instances) {
      const lane = this.#lanes.get(instance);
      if (lane === undefined) continue;
      instance.live.successRate = lane.outcomes.successRate(now);
      if (instance.live.successRate !== null) continue;
      lane.latency.forget();
      instance.live.meanLatencyMs = null;
    }
  }

  readonly #timedOut = (attempt: Attempt): void => {
    const now = this.deps.clock.monotonic();
    if (now >= attempt.resultDueAt) {
      if (now >= attempt.run.deadlineAt && this.#goesOn(attempt, now)) return;
      // Of what is claimed the result is wanted also when it is late.
      if (mayAnswerLate(attempt)) this.#fail(attempt, 'RESPONSE_TIMEOUT');
      else this.cancel(attempt, 'RESPONSE_TIMEOUT', 'DEADLINE');
      return;
    }
    // Only the ack is overdue.
    this.deps.metrics.ackTimeout++;
    if (attempt.capability.idempotent) {
      this.cancel(attempt, 'ACK_TIMEOUT', 'SUPERSEDED');
    } else {
      attempt.overdue = true;
      attempt.instance.live.ackOverdue = true;
      this.deps.wheel.arm(attempt, attempt.resultDueAt);
    }
  };

  /** The time of its caller is over, and not that of others who wait for it. */
  #goesOn(attempt: Attempt, now: number): boolean {
    const { run, capability, instance } = attempt;
    const timeout = unresolved(attemptFailure('RESPONSE_TIMEOUT', instance.ref), run.request.requestId);
    if (!this.deps.outlives(run, capability.idempotent ? deadlineExceeded(run) : timeout)) return false;
    attempt.resultDueAt = attempt.startedAt + timeoutOf(attempt);
    if (attempt.resultDueAt <= now) return false;
    const awaitsAck = !attempt.acknowledged && attempt.ackDueAt > now;
    this.deps.wheel.arm(attempt, awaitsAck ? Math.min(attempt.ackDueAt, attempt.resultDueAt) : attempt.resultDueAt);
    return true;
  }

  /** `own`: an ack of its own came; else a result counts as one, and the attempt's record shows no time for it. */
  #acknowledge(attempt: Attempt, own: boolean): void {
    if (attempt.acknowledged) return;
    attempt.acknowledged = true;
    const { clock, metrics } = this.deps;
    const now = clock.monotonic();
    attempt.overdue = false;
    attempt.instance.live.ackOverdue = false;
    metrics.ackOk++;
    metrics.ackLatency.observe(now - attempt.startedAt);
    if (own) attempt.ackedAt = now;
  }

  /** The running attempt of a frame; late and foreign frames are counted and change nothing else. */
  #own(dispatchId: string, link: Link): Attempt | undefined {
    const attempt = this.#attempts.get(dispatchId);
    if (attempt === undefined) this.deps.metrics.lateFrames++;
    else if (attempt.instance.link === link) return attempt;
    else this.deps.metrics.foreignFrames++;
    return undefined;
  }

  #fail(attempt: Attempt, code: ErrorCode, retryAfterMs?: number): void {
    const error = attemptFailure(code, attempt.instance.ref, retryAfterMs);
    this.#end(attempt, { ok: false, error, marked: false });
  }

  #end(attempt: Attempt, end: AttemptEnd): void {
    if (attempt.ended) return;
    const { clock, metrics } = this.deps;
    const { instance, lane, run } = attempt;
    const now = clock.monotonic();
    const outcome = end.ok ? 'OK' : end.error.code;
    this.#giveBack(attempt, end.ok && end.accepted);

    const charge = chargeOf(attempt, end, now);
    this.#charge(attempt, charge, now);
    if (charge !== 'NEITHER') {
      lane.outcomes.add(charge === 'SUCCESS', now);
      instance.live.successRate = lane.outcomes.successRate(now);
      if (!end.ok || !end.accepted) this.deps.outcomes.ended(instance, charge === 'FAILURE', attempt.startedAt);
    }
    if ((end.ok && !end.accepted) || (!end.ok && end.error.code === 'BUSINESS_ERROR')) {
      instance.live.meanLatencyMs = lane.latency.add(now - attempt.startedAt);
      attempt.capability.latency.add(now - attempt.startedAt);
    }
    remember(attempt, charge);
    metrics.count('dispatches', outcome);
    run.attempts.push({
      instance: instance.ref,
      outcome,
      startedMs: roundedMs(attempt.startedAt - run.startedAt),
      decideMs: roundedMs(attempt.decideMs),
      queueMs: roundedMs(attempt.queueMs + attempt.startedAt - attempt.reservedAt),
      ackMs: attempt.ackedAt === undefined ? null : roundedMs(attempt.ackedAt - attempt.startedAt),
      durationMs: roundedMs(now - attempt.startedAt),
    });
    if (end.ok && end.accepted) this.#tasks.set(attempt.dispatchId, attempt);
    // Before its call goes on, which may be at once, and to where it counts no more.
    if (!end.ok && attempt.capability.idempotent && !attempt.isTask && isUnanswered(end.error))
      this.#mayAnswer(attempt);
    this.deps.onEnded(attempt, end);
  }

  /** While its call goes on, its answer still counts. */
  #mayAnswer(attempt: Attempt): void {
    const { run, dispatchId } = attempt;
    if (run.state.name === 'ENDED') return;
    this.#unanswered.set(dispatchId, attempt);
    run.unanswered ??= [];
    run.unanswered.push(dispatchId);
  }

  /** Everything that an attempt holds, whatever ended it. `keepsPlace`: somebody else answers for its place from now on. */
  #giveBack(attempt: Attempt, keepsPlace: boolean): void {
    const { instance, lane } = attempt;
    attempt.ended = true;
    this.#attempts.delete(attempt.dispatchId);
    lane.running.delete(attempt);
    this.deps.wheel.disarm(attempt);
    // Its ack won't come any more: that its instance owes one can only be said of others.
    if (attempt.overdue && instance.live.ackOverdue) instance.live.ackOverdue = lane.overdue;
    if (attempt.isTask) {
      if (!keepsPlace) instance.live.tasks--;
    } else if (attempt.takesPlace) instance.live.inFlight--;
  }

  #charge(attempt: Attempt, charge: BreakerCharge, now: number): void {
    const { instance, lane, run, probe } = attempt;
    const settings = run.policy?.content.breaker ?? DEFAULT_POLICY_CONTENT.breaker;
    const health = instance.record.endpoint === undefined ? undefined : instance.probes.good;
    const closed = lane.breaker.charge(charge, probe, settings, now, now - attempt.startedAt, health) === 'CLOSED';
    instance.live.breaker = lane.breaker.state;
    if (closed) {
      instance.live.rampMs = settings.slowStartMs;
      instance.live.rampUntil = now + settings.slowStartMs;
    }
  }

  #lane(instance: Instance): Lane {
    let lane = this.#lanes.get(instance);
    if (lane === undefined) {
      lane = new Lane();
      this.#lanes.set(instance, lane);
    }
    return lane;
  }
}

const ACCEPTED: AttemptEnd = { ok: true, accepted: true };

/** What an attempt may take from its beginning, ms. A task's result comes later; its call waits for the acceptance only. */
function timeoutOf({ run, capability, task, startedAt }: Attempt): number {
  const leftMs = Math.max(0, run.deadlineAt - startedAt);
  if (task !== undefined) return leftMs;
  return Math.min(attemptTimeout(run.policy?.content ?? DEFAULT_POLICY_CONTENT, capability.latency.value), leftMs);
}

/** The connection to an endpoint is the attempt's own; left open it would take the place of others. */
function mayAnswerLate({ capability, isTask, instance }: Attempt): boolean {
  return !capability.idempotent && !isTask && instance.record.endpoint === undefined;
}

function chargeOf(attempt: Attempt, end: AttemptEnd, now: number): BreakerCharge {
  if (end.ok) return 'SUCCESS';
  // A caller in a hurry says nothing about the instance.
  const { run } = attempt;
  if (end.error.code === 'RESPONSE_TIMEOUT' && run.deadlineByCaller && now >= run.deadlineAt) return 'NEITHER';
  return ERRORS[end.error.code].breaker;
}

/** Keeps, per caller, how its recent calls to the instance went; good memories are not stored. */
function remember(attempt: Attempt, charge: BreakerCharge): void {
  const history = attempt.instance.live.callerHistory;
  if (charge === 'NEITHER' || (charge === 'SUCCESS' && history.size === 0)) return;
  const { caller } = attempt.run.caller;
  const before = history.get(caller) ?? 1;
  const after = before + HISTORY_STEP * ((charge === 'SUCCESS' ? 1 : 0) - before);
  if (after > FORGIVEN) history.delete(caller);
  else if (history.has(caller) || history.size < MAX_HISTORIES) history.set(caller, after);
}

function passedHeaders(
  sent: Readonly<Record<string, string>> | undefined,
  allowed: readonly string[],
): Readonly<Record<string, string>> | undefined {
  if (sent === undefined || allowed.length === 0) return undefined;
  return Object.fromEntries(Object.entries(sent).filter(([name]) => allowed.includes(name.toLowerCase())));
}

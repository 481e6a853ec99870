import type { Choice } from '@agent-reach/sdk/decide';
import {
  type AckFrame,
  type CancelReason,
  ERRORS,
  type ErrorCode,
  type ProgressFrame,
  ReachError,
  type RecalledFrame,
  type ResultFrame,
  type WireError,
} from '@agent-reach/sdk/protocol';
import type { Clock } from '../../perceive/clock.js';
import type { Instance, Link } from '../../perceive/instance.js';
import type { CallMetrics } from '../calls/call-metrics.js';
import type { CallRun } from '../calls/call-run.js';
import { agentFailure, attemptFailure, invalidResult } from '../calls/failures.js';
import { randomId } from '../calls/random-id.js';
import { roundedMs } from '../calls/rounding.js';
import { Attempt, type AttemptEnd } from './attempt.js';
import type { AttemptEvents, Delivery } from './delivery.js';
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
  /** Told exactly once per attempt. */
  readonly onEnded: (attempt: Attempt, end: AttemptEnd) => void;
}

/**
 * Runs single attempts: sends, waits for ack and result, ends each exactly once. Everything that an attempt holds
 * (the in-flight count, the probe slot, its timer, its id) is given back in one place.
 */
export class AttemptRunner implements AttemptEvents {
  readonly #attempts = new Map<string, Attempt>();
  readonly #lanes = new WeakMap<Instance, Lane>();

  constructor(private readonly deps: AttemptRunnerDeps) {}

  /** Attempts running now. */
  get running(): number {
    return this.#attempts.size;
  }

  /** The attempt of this id, if it runs and was sent over this connection. */
  servedBy(dispatchId: string, link: Link | undefined): Attempt | undefined {
    const attempt = this.#attempts.get(dispatchId);
    return attempt !== undefined && attempt.instance.link === link ? attempt : undefined;
  }

  start(run: CallRun, decision: Choice<Instance>, decideMs: number, queueMs: number): Attempt {
    const { clock, wheel, delivery, metrics } = this.deps;
    const { instance, capability } = decision.choice;
    const now = clock.monotonic();
    const number = run.attempts.length + 1;
    const timeoutMs = Math.min(
      attemptTimeout(decision.policy.content, capability.latency.value),
      Math.max(0, run.deadlineAt - now),
    );
    const zone = run.request.zone ?? run.caller.zone;
    const lane = this.#lane(instance);
    const attempt = new Attempt(
      run,
      randomId(),
      number,
      instance,
      lane,
      capability,
      decision.takesProbe,
      now,
      decideMs,
      queueMs,
      now + ackTimeout(zone === undefined || zone === instance.zone, number),
      now + timeoutMs,
      this.#timedOut,
    );
    instance.live.inFlight++;
    if (attempt.probe) {
      lane.breaker.beginProbe();
      instance.live.breaker = lane.breaker.state;
    }
    lane.running.add(attempt);
    this.#attempts.set(attempt.dispatchId, attempt);
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
      timeoutMs: Math.ceil(timeoutMs),
      attempt: number,
      traceparent: run.trace.traceparent,
      headers: passedHeaders(run.request.headers, capability.record.headers),
    });
    return attempt;
  }

  /** Ends an attempt from this side and asks the instance to stop. */
  cancel(attempt: Attempt, code: ErrorCode, reason: CancelReason): void {
    if (attempt.ended) return;
    this.deps.delivery.cancel(attempt.instance, attempt.dispatchId, reason);
    this.#fail(attempt, code);
  }

  undeliverable(dispatchId: string): void {
    const attempt = this.#attempts.get(dispatchId);
    if (attempt !== undefined) this.#fail(attempt, 'CONNECT_FAILED');
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
    this.deps.wheel.arm(attempt, attempt.resultDueAt);
  }

  completed(frame: ResultFrame, link: Link, bytes: number): void {
    const attempt = this.#own(frame.dispatchId, link);
    if (attempt === undefined) return;
    this.#acknowledge(attempt, false);
    if (!frame.ok) {
      const error = agentFailure(frame.error);
      this.#end(attempt, { ok: false, error, marked: frame.error.retryable === true });
      return;
    }
    const faults = attempt.capability.outputFaults(frame.result);
    if (faults === undefined) this.#end(attempt, { ok: true, result: frame.result, bytes });
    else this.#end(attempt, { ok: false, error: invalidResult(attempt.capability.name, faults), marked: false });
  }

  faulty(dispatchId: string, link: Link, error: WireError): void {
    const attempt = this.#own(dispatchId, link);
    if (attempt === undefined) return;
    const { message, fields = [] } = error;
    const invalid = new ReachError('INVALID_RESULT', `The result can't be passed on: ${message}`, { fields });
    this.#end(attempt, { ok: false, error: invalid.toWire(), marked: false });
  }

  progressed(_frame: ProgressFrame, _link: Link): void {
    this.deps.metrics.lateFrames++;
  }

  recalled(_frame: RecalledFrame, _link: Link): void {
    this.deps.metrics.lateFrames++;
  }

  lost(instance: Instance): void {
    const lane = this.#lanes.get(instance);
    if (lane === undefined) return;
    for (const attempt of [...lane.running]) this.#fail(attempt, 'CONNECTION_LOST');
  }

  /**
   * Brings the success rates of instances up to date: one that fails gets fewer calls or none, and without calls only
   * time forgives it.
   */
  refreshQuality(instances: Iterable<Instance>): void {
    const now = this.deps.clock.monotonic();
    for (const instance of instances) {
      const lane = this.#lanes.get(instance);
      if (lane !== undefined) instance.live.successRate = lane.outcomes.successRate(now);
    }
  }

  readonly #timedOut = (attempt: Attempt): void => {
    const now = this.deps.clock.monotonic();
    if (now >= attempt.resultDueAt) {
      this.cancel(attempt, 'RESPONSE_TIMEOUT', 'DEADLINE');
      return;
    }
    // Only the ack is overdue.
    this.deps.metrics.ackTimeout++;
    if (attempt.capability.idempotent) {
      this.cancel(attempt, 'ACK_TIMEOUT', 'SUPERSEDED');
    } else {
      attempt.instance.live.ackOverdue = true;
      this.deps.wheel.arm(attempt, attempt.resultDueAt);
    }
  };

  /** `own`: an ack of its own came; else a result counts as one, and the attempt's record shows no time for it. */
  #acknowledge(attempt: Attempt, own: boolean): void {
    if (attempt.acknowledged) return;
    attempt.acknowledged = true;
    const { clock, metrics } = this.deps;
    const now = clock.monotonic();
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
    attempt.ended = true;
    const { clock, wheel, metrics } = this.deps;
    const { instance, lane, run } = attempt;
    const now = clock.monotonic();
    const outcome = end.ok ? 'OK' : end.error.code;
    this.#attempts.delete(attempt.dispatchId);
    lane.running.delete(attempt);
    wheel.disarm(attempt);
    instance.live.inFlight--;

    const charge = chargeOf(attempt, end, now);
    lane.breaker.charge(charge, attempt.probe, run.policy?.content.breaker ?? NO_BREAKER, now);
    instance.live.breaker = lane.breaker.state;
    if (charge !== 'NEITHER') {
      lane.outcomes.add(charge === 'SUCCESS', now);
      instance.live.successRate = lane.outcomes.successRate(now);
    }
    if (end.ok || end.error.code === 'BUSINESS_ERROR') {
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
      queueMs: roundedMs(attempt.queueMs),
      ackMs: attempt.ackedAt === undefined ? null : roundedMs(attempt.ackedAt - attempt.startedAt),
      durationMs: roundedMs(now - attempt.startedAt),
    });
    this.deps.onEnded(attempt, end);
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

const NO_BREAKER = {
  consecutiveFailures: Number.POSITIVE_INFINITY,
  consecutiveWindowMs: 0,
  errorRate: 1,
  rateWindowMs: 0,
  minimumCalls: Number.POSITIVE_INFINITY,
  openMs: 0,
  closeAfter: 1,
  maxMeanLatencyMs: null,
  slowStartMs: 0,
};

function chargeOf(attempt: Attempt, end: AttemptEnd, now: number): 'SUCCESS' | 'FAILURE' | 'NEITHER' {
  if (end.ok) return 'SUCCESS';
  // A caller in a hurry says nothing about the instance.
  const { run } = attempt;
  if (end.error.code === 'RESPONSE_TIMEOUT' && run.deadlineByCaller && now >= run.deadlineAt) return 'NEITHER';
  return ERRORS[end.error.code].breaker;
}

/** Keeps, per caller, how its recent calls to the instance went; good memories are not stored. */
function remember(attempt: Attempt, charge: 'SUCCESS' | 'FAILURE' | 'NEITHER'): void {
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

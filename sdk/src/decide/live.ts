import type { Health, Lifecycle } from '../protocol/index.js';
import { CallerHistory } from './caller-history.js';

/** A breaker's state; an illegal one can't be written. Times are of the clock that decide gets as `now`, in ms. */
export type BreakerState =
  | { readonly state: 'CLOSED' }
  | { readonly state: 'OPEN'; readonly until: number; readonly reason: string }
  | {
      readonly state: 'HALF_OPEN';
      readonly probing: boolean;
      /** How its probe calls ended so far. */
      readonly successes: number;
      readonly failures: number;
      readonly reason: string;
    };

/** One object for all closed breakers: a decision that looks at many instances then finds it in the processor's cache. */
export const CLOSED_BREAKER: BreakerState = { state: 'CLOSED' };

/** What changes from moment to moment about an instance. Written by perceive and execute, read by decide. */
export interface LiveState {
  lifecycle: Lifecycle;
  health: Health;
  /** Why it is in this state, for a person. */
  reason: string;
  /** Attempts that this server has running on it. */
  inFlight: number;
  /** Tasks that it has accepted and not ended; a pool of its own beside `inFlight`. */
  tasks: number;
  /** Until then it gets less than its share (slow start); monotonic ms, 0 when it is over. */
  rampUntil: number;
  /** How long the slow start lasts as a whole, ms. */
  rampMs: number;
  /** As the instance reports it. */
  queueDepth: number;
  /** 0 to 1; null while nothing was reported. */
  utilisation: number | null;
  /** Mean over recent calls; null without any. */
  meanLatencyMs: number | null;
  /** Share of its calls in the last five minutes that it answered, 0 to 1; null without any, which counts as 1. */
  successRate: number | null;
  /** An ack that should have come is missing; counts like DEGRADED until the next ack. */
  ackOverdue: boolean;
  breaker: BreakerState;
  /** Callers whose recent calls to it failed, with the share that succeeded; absent means 1. */
  readonly callerHistory: CallerHistory;
}

/** A fresh incarnation's state. */
export function createLiveState(lifecycle: Lifecycle, health: Health, reason: string): LiveState {
  // In this order in memory too: what most decisions read stands together.
  return {
    lifecycle,
    health,
    inFlight: 0,
    rampUntil: 0,
    rampMs: 0,
    tasks: 0,
    utilisation: null,
    meanLatencyMs: null,
    ackOverdue: false,
    breaker: CLOSED_BREAKER,
    callerHistory: new CallerHistory(),
    successRate: null,
    reason,
    queueDepth: 0,
  };
}

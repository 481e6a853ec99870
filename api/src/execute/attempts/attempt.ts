import type { WireError } from '@agent-reach/sdk/protocol';
import type { LiveCapability } from '../../perceive/capability.js';
import type { Instance } from '../../perceive/instance.js';
import type { CallRun } from '../calls/call-run.js';
import type { Lane } from './lane.js';
import { Timer } from './timing-wheel.js';

/** One try on one instance, from the moment that its place there is reserved. Its own timer: for its ack first, then for its result. */
export class Attempt extends Timer {
  /** The one way out: an ended attempt has given back all it held. */
  ended = false;
  /** It was handed over; before that nothing can have been executed. */
  sent = false;
  /** It was accepted, by an ack or by its result. */
  acknowledged = false;
  /** Its ack did not come in time, and has not come since; only for what is not idempotent, which goes on all the same. */
  overdue = false;
  /** It counts in its instance; false once the instance was found to have lost it. */
  takesPlace = true;
  ackedAt: number | undefined;
  /** Monotonic ms; set when it is sent. */
  startedAt = 0;
  ackDueAt = 0;
  resultDueAt = 0;
  /** Which dispatch of which task it is. */
  task: { readonly taskId: string; readonly epoch: number; readonly timeoutMs: number } | undefined;
  /** A call that the agent made while serving it has failed in spite of its own retries. */
  nestedExhausted = false;

  constructor(
    readonly run: CallRun,
    readonly dispatchId: string,
    readonly number: number,
    readonly instance: Instance,
    readonly lane: Lane,
    readonly capability: LiveCapability,
    /** Whether it holds the probe slot of its instance's breaker. */
    readonly probe: boolean,
    /** Monotonic ms of the reservation. */
    readonly reservedAt: number,
    readonly decideMs: number,
    /** Waiting before it was reserved: backoff, or a queue. */
    readonly queueMs: number,
    private readonly onTimer: (attempt: Attempt) => void,
  ) {
    super();
  }

  /** Tasks have a pool of their own. */
  get isTask(): boolean {
    return this.capability.mode === 'TASK';
  }

  fire(): void {
    this.onTimer(this);
  }
}

/** How an attempt ended. */
export type AttemptEnd =
  | { readonly ok: true; readonly accepted: false; readonly result: unknown; readonly bytes: number }
  /** The instance accepted a task: the attempt is over, its place in the pool of tasks stays taken. */
  | { readonly ok: true; readonly accepted: true }
  | {
      readonly ok: false;
      readonly error: WireError;
      /** The agent marked its failure retryable. */
      readonly marked: boolean;
    };

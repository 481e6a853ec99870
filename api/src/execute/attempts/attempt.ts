import type { WireError } from '@agent-reach/sdk/protocol';
import type { LiveCapability } from '../../perceive/capability.js';
import type { Instance } from '../../perceive/instance.js';
import type { CallRun } from '../calls/call-run.js';
import type { Lane } from './lane.js';
import { Timer } from './timing-wheel.js';

/** One try on one instance, while it runs. It is its own timer: for its ack first, then for its result. */
export class Attempt extends Timer {
  /** The one way out: an ended attempt has given back all it held. */
  ended = false;
  /** It was accepted, by an ack or by its result. */
  acknowledged = false;
  ackedAt: number | undefined;
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
    readonly startedAt: number,
    readonly decideMs: number,
    readonly queueMs: number,
    readonly ackDueAt: number,
    readonly resultDueAt: number,
    private readonly onTimer: (attempt: Attempt) => void,
  ) {
    super();
  }

  fire(): void {
    this.onTimer(this);
  }
}

/** How an attempt ended. */
export type AttemptEnd =
  | { readonly ok: true; readonly result: unknown; readonly bytes: number }
  | {
      readonly ok: false;
      readonly error: WireError;
      /** The agent marked its failure retryable. */
      readonly marked: boolean;
    };

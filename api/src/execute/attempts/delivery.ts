import type { AckFrame, CancelReason, DispatchFrame, ResultFrame, WireError } from '@agent-reach/sdk/protocol';
import type { Instance, Link } from '../../perceive/instance.js';

/** How an attempt reaches an instance. One adapter per kind of connection; execute knows none of them. */
export interface Delivery {
  /** Hands the frame over. What can't be delivered comes back through `AttemptEvents.undeliverable`, never as a throw. */
  offer(instance: Instance, frame: DispatchFrame): void;
  /** Asks the instance to stop an attempt; best effort. */
  cancel(instance: Instance, dispatchId: string, reason: CancelReason): void;
}

/** What comes back from instances. `link` is the connection it came over; a frame of a foreign one changes nothing. */
export interface AttemptEvents {
  undeliverable(dispatchId: string): void;
  acked(frame: AckFrame, link: Link): void;
  /** `bytes`: size of the frame on the wire. */
  completed(frame: ResultFrame, link: Link, bytes: number): void;
  /** A result came whose frame can't be taken, such as one with a number that would be changed. */
  faulty(dispatchId: string, link: Link, error: WireError): void;
  /** The incarnation is gone: each of its running attempts ends as CONNECTION_LOST. */
  lost(instance: Instance): void;
}

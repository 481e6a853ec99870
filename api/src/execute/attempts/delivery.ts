import type {
  AckFrame,
  CancelReason,
  DispatchFrame,
  ProgressFrame,
  RecalledFrame,
  RecallFrame,
  ResultFrame,
  WireError,
} from '@agent-reach/sdk/protocol';
import type { Instance, Link } from '../../perceive/instance.js';

/** How an attempt reaches an instance. One adapter per kind of connection; execute knows none of them. */
export interface Delivery {
  /** Hands the frame over. What can't be delivered comes back through `AttemptEvents.undeliverable`, never as a throw. */
  offer(instance: Instance, frame: DispatchFrame): void;
  /** Asks the instance to stop an attempt; best effort. */
  cancel(instance: Instance, dispatchId: string, reason: CancelReason): void;
  /** Asks the instance what became of a dispatch of an earlier server; the answer comes as `recalled`. */
  recall(instance: Instance, frame: RecallFrame): void;
  /** Tells the instance that the result of a task is stored. */
  confirm(instance: Instance, dispatchId: string): void;
}

/** What comes back from instances. `link` is the connection it came over; a frame of a foreign one changes nothing. */
export interface AttemptEvents {
  undeliverable(dispatchId: string): void;
  acked(frame: AckFrame, link: Link): void;
  /** The request is written, where there are no acks: only its result is waited for now, and a refusal may still come. */
  handedOver(dispatchId: string, link: Link): void;
  /** `bytes`: size of the frame on the wire. */
  completed(frame: ResultFrame, link: Link, bytes: number): void;
  /** A result came whose frame can't be taken, such as one with a number that would be changed. */
  faulty(dispatchId: string, link: Link, error: WireError): void;
  /** The connection of this one attempt broke after it was handed over, where an instance has one for each. */
  broken(dispatchId: string, link: Link): void;
  /** How far a task is. */
  progressed(frame: ProgressFrame, link: Link): void;
  /** The answer to a recall. */
  recalled(frame: RecalledFrame, link: Link): void;
  /** The incarnation is gone: each of its running attempts ends as CONNECTION_LOST. */
  lost(instance: Instance): void;
}

/** Frames for what is no attempt any more: accepted tasks, and claims whose outcome is not known. True: it was theirs. */
export interface LaterFrames {
  completed(frame: ResultFrame, link: Link, bytes: number): boolean;
  faulty(dispatchId: string, link: Link, error: WireError): boolean;
  progressed(frame: ProgressFrame, link: Link): boolean;
  recalled(frame: RecalledFrame, link: Link): boolean;
}

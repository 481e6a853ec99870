import {
  type AcceptedFrame,
  type BroadcastAnswer,
  type GatheredFrame,
  ReachError,
  type ReplyFrame,
  type WelcomeFrame,
  type WireError,
} from '../protocol/index.js';
import { cancelled, connectionLost, notConnected, overdue } from './call-errors.js';
import { broadcastFrame, callFrame, outcomeOf, type SentFrame } from './call-frames.js';
import {
  type BroadcastRequest,
  type CallOutcome,
  type CallRequest,
  checkCallRequest,
  type TaskRequest,
} from './call-request.js';
import type { Clock } from './clock.js';
import { CallError } from './failures.js';
import { isOver, tooLarge } from './frame-size.js';
import type { TimingWheel, WheelEntry } from './wheel.js';

/** What the calls need of the connection. */
export interface CallLink {
  readonly welcome: WelcomeFrame | undefined;
  send(text: string): boolean;
}

/** What everybody answered to a broadcast. */
export interface BroadcastOutcome {
  /** One for each instance that was asked: `ok` with its `result`, or its `error`. */
  readonly answers: readonly BroadcastAnswer[];
  readonly requestId: string;
  readonly traceId: string;
}

type CallAnswer = ReplyFrame | AcceptedFrame | GatheredFrame;

interface PendingCall {
  readonly frame: SentFrame;
  /** On the monotonic clock; undefined when the policy decides. */
  readonly deadline: number | undefined;
  readonly answer: (frame: CallAnswer) => void;
  readonly reject: (error: ReachError) => void;
  timer: WheelEntry | undefined;
  /** NOT_SENT: nobody can have executed it. LOST: it was sent on a connection that broke. */
  state: 'NOT_SENT' | 'SENT' | 'LOST';
  release: (() => void) | undefined;
}

/** What the server may take beyond `timeoutMs` to say so itself, in ms. After that the client ends the call alone. */
const DEADLINE_GRACE_MS = 250;

/**
 * The calls of one connection that have no answer yet, by requestId. A call that was sent when the connection broke is
 * sent again on the next one, under its requestId and with the time that is left: the server goes on waiting for the
 * first execution or answers with its outcome, and executes it anew only when that is harmless.
 */
export class Calls {
  private readonly pending = new Map<string, PendingCall>();
  private ended: ReachError | undefined;

  constructor(
    private readonly link: CallLink,
    private readonly clock: Clock,
    private readonly wheel: TimingWheel,
    private readonly waitForConnectionMs: number,
  ) {}

  get size(): number {
    return this.pending.size;
  }

  /**
   * Makes one call. `serving` names the dispatch in whose handler it is made. When a task was accepted, the outcome has
   * its `taskId` and no result yet.
   */
  start(request: TaskRequest, serving?: string): Promise<CallOutcome> {
    return new Promise((resolve, reject) => {
      checkCallRequest(request);
      const answer = (frame: CallAnswer): void => {
        if (frame.type === 'accepted') resolve(outcomeOf(frame, undefined, frame.taskId));
        else if (frame.type === 'reply' && frame.ok) resolve(outcomeOf(frame, frame.result, undefined));
        else if (frame.type === 'reply') reject(new CallError(frame.error, frame));
        else reject(misplaced(frame));
      };
      this.begin(callFrame(request, serving), request, answer, reject);
    });
  }

  /** Calls every instance that matches. It is not sent again when the connection breaks. */
  broadcast(request: BroadcastRequest): Promise<BroadcastOutcome> {
    return new Promise((resolve, reject) => {
      checkCallRequest(request);
      const answer = (frame: CallAnswer): void => {
        if (frame.type === 'gathered' && frame.ok) {
          const { answers, requestId, traceId } = frame;
          resolve({ answers, requestId, traceId });
        } else if (frame.type !== 'accepted' && !frame.ok)
          reject(new CallError(frame.error, { attempts: 0, ...frame }));
        else reject(misplaced(frame));
      };
      this.begin(broadcastFrame(request), request, answer, reject);
    });
  }

  /** The end of a call, the acceptance of a task, or what a broadcast gathered. */
  onAnswer(frame: CallAnswer): void {
    this.take(frame.requestId)?.answer(frame);
  }

  /** The server could not take a frame. True if it was one of these calls. */
  onError(requestId: string, error: WireError): boolean {
    const call = this.take(requestId);
    call?.reject(new CallError(error, { requestId, attempts: 0 }));
    return call !== undefined;
  }

  /** Sends what waited for the connection, and again what had no answer when the last one broke. */
  onOpen(): void {
    for (const call of this.pending.values()) {
      if (call.state === 'SENT') continue;
      if (call.timer !== undefined) this.wheel.remove(call.timer);
      const leftMs = call.deadline === undefined ? undefined : Math.floor(call.deadline - this.clock.now());
      if (leftMs === undefined || leftMs >= 1) this.transmit(call, leftMs);
      else this.fail(call, call.state === 'LOST' ? connectionLost(call.frame.requestId) : notConnected(0));
    }
  }

  /** Calls that were sent wait for the next connection, within their time. */
  onLost(): void {
    for (const call of this.pending.values()) {
      if (call.state !== 'SENT') continue;
      call.state = 'LOST';
      const { requestId, type } = call.frame;
      if (call.timer !== undefined) this.wheel.remove(call.timer);
      const leftMs =
        call.deadline === undefined ? this.waitForConnectionMs : Math.max(0, call.deadline - this.clock.now());
      if (type === 'broadcast') this.fail(call, connectionLost(requestId));
      else call.timer = this.wheel.add(leftMs, () => this.fail(call, connectionLost(requestId)));
    }
  }

  /** Ends all calls, and those that are still to come, with this error. */
  end(error: ReachError): void {
    this.ended = error;
    for (const call of this.pending.values()) this.fail(call, error);
  }

  private begin(
    frame: SentFrame,
    { timeoutMs, signal }: Pick<CallRequest, 'timeoutMs' | 'signal'>,
    answer: (frame: CallAnswer) => void,
    reject: (error: ReachError) => void,
  ): void {
    if (this.ended !== undefined) throw this.ended;
    const { requestId } = frame;
    if (this.pending.has(requestId))
      throw new ReachError('CONFLICT', `a call with requestId ${requestId} is already waiting for its answer here`);
    if (signal?.aborted) throw cancelled(requestId);
    const call: PendingCall = {
      frame,
      deadline: timeoutMs === undefined ? undefined : this.clock.now() + timeoutMs,
      answer,
      reject,
      timer: undefined,
      state: 'NOT_SENT',
      release: undefined,
    };
    this.pending.set(requestId, call);
    if (signal !== undefined) this.followSignal(call, signal);
    if (this.link.welcome !== undefined) this.transmit(call, timeoutMs);
    else this.wait(call, timeoutMs ?? this.waitForConnectionMs);
  }

  private transmit(call: PendingCall, timeoutMs: number | undefined): void {
    if (timeoutMs !== undefined) call.frame.timeoutMs = timeoutMs;
    const text = JSON.stringify(call.frame);
    const maxBytes = this.link.welcome?.limits.maxFrameBytes ?? Number.POSITIVE_INFINITY;
    if (isOver(text, maxBytes)) {
      this.fail(call, tooLarge('params', text, maxBytes));
      return;
    }
    if (this.link.send(text)) call.state = 'SENT';
    call.timer = undefined;
    if (timeoutMs === undefined) return;
    call.timer = this.wheel.add(timeoutMs + DEADLINE_GRACE_MS, () => {
      this.sendCancel(call);
      this.fail(call, overdue(call.frame.requestId, timeoutMs));
    });
  }

  private wait(call: PendingCall, ms: number): void {
    call.timer = this.wheel.add(ms, () => this.fail(call, notConnected(ms)));
  }

  private followSignal(call: PendingCall, signal: AbortSignal): void {
    const abort = (): void => {
      this.sendCancel(call);
      this.fail(call, cancelled(call.frame.requestId));
    };
    signal.addEventListener('abort', abort, { once: true });
    call.release = () => signal.removeEventListener('abort', abort);
  }

  private sendCancel(call: PendingCall): void {
    if (call.state === 'SENT') this.link.send(JSON.stringify({ type: 'cancel', requestId: call.frame.requestId }));
  }

  private fail(call: PendingCall, error: ReachError): void {
    if (this.take(call.frame.requestId) !== undefined) call.reject(error);
  }

  private take(requestId: string): PendingCall | undefined {
    const call = this.pending.get(requestId);
    if (call === undefined) return undefined;
    this.pending.delete(requestId);
    if (call.timer !== undefined) this.wheel.remove(call.timer);
    call.release?.();
    return call;
  }
}

const misplaced = ({ type, requestId }: CallAnswer) =>
  new ReachError('INTERNAL', `the server answered ${requestId} with the frame ${type}`);

import { randomUUID } from 'node:crypto';
import {
  type AcceptedFrame,
  type CallFrame,
  ReachError,
  type ReplyFrame,
  type WelcomeFrame,
  type WireError,
} from '../protocol/index.js';
import { type CallOutcome, type CallRequest, checkCallRequest } from './call-request.js';
import type { Clock } from './clock.js';
import { CallError } from './failures.js';
import { isOver, tooLarge } from './frame-size.js';
import type { TimingWheel, WheelEntry } from './wheel.js';

/** What the calls need of the connection. */
export interface CallLink {
  readonly welcome: WelcomeFrame | undefined;
  send(text: string): boolean;
}

interface PendingCall {
  readonly frame: CallFrame & { timeoutMs?: number };
  /** On the monotonic clock; undefined when the policy decides. */
  readonly deadline: number | undefined;
  readonly resolve: (outcome: CallOutcome) => void;
  readonly reject: (error: ReachError) => void;
  timer: WheelEntry | undefined;
  sent: boolean;
  release: (() => void) | undefined;
}

/** What the server may take beyond `timeoutMs` to say so itself, in ms. After that the client ends the call alone. */
const DEADLINE_GRACE_MS = 250;

/** The calls of one connection that have no answer yet, by requestId. */
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

  /** Makes one call. `serving` names the dispatch in whose handler it is made. */
  start(request: CallRequest, serving?: string): Promise<CallOutcome> {
    return new Promise((resolve, reject) => {
      checkCallRequest(request);
      if (this.ended !== undefined) throw this.ended;
      const requestId = request.requestId ?? randomUUID();
      if (this.pending.has(requestId))
        throw new ReachError('CONFLICT', `a call with requestId ${requestId} is already waiting for its answer here`);
      if (request.signal?.aborted) throw cancelled(requestId);
      const { namespace, agent, type, capability, need, tags, versions, timeoutMs } = request;
      const call: PendingCall = {
        frame: {
          type: 'call',
          requestId,
          target: { namespace, agent, type, capability, need, tags, versions } as CallFrame['target'],
          params: request.params ?? {},
          ...optional(request, serving),
        },
        deadline: timeoutMs === undefined ? undefined : this.clock.now() + timeoutMs,
        resolve,
        reject,
        timer: undefined,
        sent: false,
        release: undefined,
      };
      this.pending.set(requestId, call);
      if (request.signal !== undefined) this.followSignal(call, request.signal);
      if (this.link.welcome !== undefined) this.transmit(call, timeoutMs);
      else this.wait(call, timeoutMs ?? this.waitForConnectionMs);
    });
  }

  onReply(frame: ReplyFrame): void {
    const call = this.take(frame.requestId);
    if (call === undefined) return;
    if (frame.ok) call.resolve(outcomeOf(frame, frame.result));
    else call.reject(new CallError(frame.error, frame));
  }

  /** A task was accepted: the call ends with the task's name as its result. */
  onAccepted(frame: AcceptedFrame): void {
    this.take(frame.requestId)?.resolve(outcomeOf(frame, { taskId: frame.taskId }));
  }

  /** The server could not take a frame. True if it was one of these calls. */
  onError(requestId: string, error: WireError): boolean {
    const call = this.take(requestId);
    call?.reject(new CallError(error, { requestId, attempts: 0 }));
    return call !== undefined;
  }

  /** Sends what waited for the connection. */
  onOpen(): void {
    for (const call of this.pending.values()) {
      if (call.sent) continue;
      if (call.timer !== undefined) this.wheel.remove(call.timer);
      const leftMs = call.deadline === undefined ? undefined : Math.floor(call.deadline - this.clock.now());
      if (leftMs !== undefined && leftMs < 1) this.fail(call, notConnected(0));
      else this.transmit(call, leftMs);
    }
  }

  /**
   * Ends the calls that were sent: whether they were executed is not known here, so they are not repeated by
   * themselves. Calls that were not sent go on waiting.
   */
  onLost(): void {
    for (const call of this.pending.values()) {
      if (!call.sent) continue;
      const { requestId } = call.frame;
      this.fail(call, new CallError(LOST, { requestId, attempts: 0 }));
    }
  }

  /** Ends all calls, and those that are still to come, with this error. */
  end(error: ReachError): void {
    this.ended = error;
    for (const call of this.pending.values()) this.fail(call, error);
  }

  private transmit(call: PendingCall, timeoutMs: number | undefined): void {
    if (timeoutMs !== undefined) call.frame.timeoutMs = timeoutMs;
    const text = JSON.stringify(call.frame);
    const maxBytes = this.link.welcome?.limits.maxFrameBytes ?? Number.POSITIVE_INFINITY;
    if (isOver(text, maxBytes)) {
      this.fail(call, tooLarge('params', text, maxBytes));
      return;
    }
    call.sent = this.link.send(text);
    if (timeoutMs === undefined) return;
    call.timer = this.wheel.add(timeoutMs + DEADLINE_GRACE_MS, () => {
      this.sendCancel(call);
      this.fail(call, new CallError(overdue(timeoutMs), { requestId: call.frame.requestId, attempts: 0 }));
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
    if (call.sent) this.link.send(JSON.stringify({ type: 'cancel', requestId: call.frame.requestId }));
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

const LOST: WireError = {
  code: 'CONNECTION_LOST',
  message: 'the connection to the server broke before the answer came; the call may have been executed',
  retryable: true,
};

const overdue = (ms: number): WireError => ({
  code: 'DEADLINE_EXCEEDED',
  message: `no answer within ${ms} ms`,
  retryable: true,
});

const cancelled = (requestId: string) =>
  new CallError({ code: 'CANCELLED', message: 'the call was cancelled', retryable: false }, { requestId, attempts: 0 });

const notConnected = (ms: number) =>
  new ReachError(
    'CONNECT_FAILED',
    ms === 0
      ? 'the time of the call was over before there was a connection to the server; it was not sent'
      : `no connection to the server within ${ms} ms; the call was not sent`,
  );

function optional(request: CallRequest, serving: string | undefined): Partial<CallFrame> {
  const { traceparent, affinityKey, zone, headers } = request;
  return { traceparent, affinityKey, zone, headers, serving } as Partial<CallFrame>;
}

function outcomeOf(frame: ReplyFrame | AcceptedFrame, result: unknown): CallOutcome {
  return {
    result,
    requestId: frame.requestId,
    instance: frame.instance,
    attempts: frame.attempts,
    replayed: frame.replayed ?? false,
    traceId: frame.traceId,
  };
}

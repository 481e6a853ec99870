import type { CallerRef, CancelReason, DispatchFrame, JsonObject } from '../protocol/index.js';
import type { CallOutcome, CallRequest } from './call-request.js';
import type { Clock } from './clock.js';
import type { Pool } from './pool.js';
import type { TimingWheel, WheelEntry } from './wheel.js';

/** What a handler knows of the call that it serves. */
export interface HandlerContext {
  readonly requestId: string;
  /** Names this one attempt. */
  readonly dispatchId: string;
  /** As whom the server knows the caller. */
  readonly caller: CallerRef;
  readonly capability: string;
  /** 1 for the first try on an instance. */
  readonly attempt: number;
  /** Aborted when the caller cancels, when the time is over, and when this agent stops without waiting longer. */
  readonly signal: AbortSignal;
  /** When the time is over. */
  readonly deadline: Date;
  /** W3C trace context of the call, when it has one. */
  readonly traceparent: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** Set while it serves a task: the task's id, and which dispatch of it this is, from 1. */
  readonly task: { readonly taskId: string; readonly epoch: number } | undefined;
  /**
   * Tells how far a task is; its caller sees the newest word. Does nothing for a call that is no task, and after the
   * handler has ended. Without a connection the newest word is kept for the next one. Throws INVALID_INPUT for anything
   * but an object, PAYLOAD_TOO_LARGE over the limit of a frame.
   */
  progress(data: JsonObject): void;
  /** What is left of the time, in ms; never negative. */
  remainingMs(): number;
  /** Calls another agent while serving this call: within its time, in its trace, cancelled with it. */
  call<R = unknown>(request: CallRequest): Promise<R>;
  /** As `call`, with instance, attempts and trace id. */
  callDetailed<R = unknown>(request: CallRequest): Promise<CallOutcome<R>>;
}

/** What an execution needs of its connection. */
export interface ExecutionHost {
  readonly clock: Clock;
  readonly wheel: TimingWheel;
  /** Makes a call, and follows it to its end when it is a task. `serving` names the dispatch that it is made for. */
  call(request: CallRequest, serving?: string): Promise<CallOutcome>;
}

/** What an execution is to those who run it. */
export interface ExecutionWork {
  /** Serves the capability; undefined when this instance has no handler for it. */
  readonly handler: Handler | undefined;
  readonly idempotent: boolean;
  /** Whether it stands in the record: all but idempotent calls. */
  readonly recorded: boolean;
  readonly pool: Pool;
  progress(execution: Execution, data: JsonObject): void;
}

/** Serves one capability: its parameters have passed the input schema. What it returns is the result. */
export type Handler = (params: JsonObject, ctx: HandlerContext) => unknown;

/** One dispatch from its arrival to its result. The signal and its deadline exist only for a handler that asks. */
export class Execution implements HandlerContext {
  /** True once its result was given; everything after that is dropped. */
  settled = false;
  cancelled: CancelReason | undefined;
  /** Its dispatches were accepted. False while the record is asked whether it may start. */
  accepted = false;
  /** The dispatches that its result answers beside its own, oldest first: repetitions of its request. */
  also: readonly string[] = [];
  /** Of the last progress. */
  sequence = 0;
  /** Progress that had no connection. */
  unsentProgress: JsonObject | undefined;
  private readonly endsAt: number;
  private controller: AbortController | undefined;
  private deadlineEntry: WheelEntry | undefined;

  constructor(
    readonly frame: DispatchFrame,
    /** Grows when the server forgets what it had dispatched. */
    readonly generation: number,
    readonly work: ExecutionWork,
    private readonly host: ExecutionHost,
  ) {
    this.endsAt = host.clock.now() + frame.timeoutMs;
  }

  get requestId(): string {
    return this.frame.requestId;
  }

  get dispatchId(): string {
    return this.frame.dispatchId;
  }

  get caller(): CallerRef {
    return this.frame.caller;
  }

  get capability(): string {
    return this.frame.capability;
  }

  get attempt(): number {
    return this.frame.attempt;
  }

  get traceparent(): string | undefined {
    return this.frame.traceparent;
  }

  get headers(): Readonly<Record<string, string>> {
    return this.frame.headers ?? {};
  }

  get task(): { readonly taskId: string; readonly epoch: number } | undefined {
    return this.frame.task;
  }

  /** The newest of the dispatches that its result answers. */
  get newestDispatchId(): string {
    return this.also.at(-1) ?? this.frame.dispatchId;
  }

  progress(data: JsonObject): void {
    if (this.frame.task !== undefined && !this.settled) this.work.progress(this, data);
  }

  get deadline(): Date {
    return new Date(this.host.clock.wall() + this.endsAt - this.host.clock.now());
  }

  get signal(): AbortSignal {
    if (this.controller === undefined) {
      this.controller = new AbortController();
      if (this.cancelled !== undefined) this.controller.abort(reasonOf(this.cancelled));
      else if (!this.settled)
        this.deadlineEntry = this.host.wheel.add(this.endsAt - this.host.clock.now(), () => this.cancel('DEADLINE'));
    }
    return this.controller.signal;
  }

  remainingMs(): number {
    return Math.max(0, Math.floor(this.endsAt - this.host.clock.now()));
  }

  async call<R = unknown>(request: CallRequest): Promise<R> {
    const outcome = await this.callDetailed<R>(request);
    return outcome.result;
  }

  callDetailed<R = unknown>(request: CallRequest): Promise<CallOutcome<R>> {
    // A call that is over has 1 ms left, so that the server's answer (DEADLINE_EXCEEDED) is the one the author sees.
    const leftMs = Math.max(1, this.remainingMs());
    const nested: CallRequest = {
      ...request,
      timeoutMs: request.timeoutMs === undefined ? leftMs : Math.min(request.timeoutMs, leftMs),
      signal: request.signal === undefined ? this.signal : AbortSignal.any([this.signal, request.signal]),
      ...withTrace(request.traceparent ?? this.frame.traceparent),
    };
    return this.host.call(nested, this.frame.dispatchId) as Promise<CallOutcome<R>>;
  }

  /** Tells the handler to stop. Its slot stays taken until it does. */
  cancel(reason: CancelReason): void {
    if (this.settled || this.cancelled !== undefined) return;
    this.cancelled = reason;
    this.dropDeadline();
    this.controller?.abort(reasonOf(reason));
  }

  settle(): void {
    this.settled = true;
    this.dropDeadline();
  }

  private dropDeadline(): void {
    if (this.deadlineEntry !== undefined) this.host.wheel.remove(this.deadlineEntry);
    this.deadlineEntry = undefined;
  }
}

const reasonOf = (reason: CancelReason) => new DOMException(`the call was cancelled: ${reason}`, 'AbortError');
const withTrace = (traceparent: string | undefined) => (traceparent === undefined ? {} : { traceparent });

import type {
  AgentFailure,
  CancelReason,
  DispatchFrame,
  JsonObject,
  RefusalReason,
  WelcomeFrame,
} from '../protocol/index.js';
import { Execution, type ExecutionHost, type HandlerContext } from './execution.js';
import { failureOf } from './failures.js';
import { isOver, tooLarge } from './frame-size.js';
import type { LogLevel } from './options.js';

/** Serves one capability: its parameters have passed the input schema. What it returns is the result. */
export type Handler = (params: JsonObject, ctx: HandlerContext) => unknown;

/** What dispatches need of the connection. */
export interface DispatchHost extends ExecutionHost {
  readonly welcome: WelcomeFrame | undefined;
  send(text: string): boolean;
  flushSoon(): void;
  log(level: LogLevel, message: string): void;
}

export interface DispatchLimits {
  readonly maxConcurrency: number;
  readonly maxQueue: number;
}

const BUSY_RETRY_MS = 100;

/**
 * The dispatches of one instance. A handler that is done within the turn in which its dispatch came sends only its
 * result, which counts as the ack; for all others the ack leaves at the end of that turn, whatever the handlers do.
 */
export class Dispatches {
  private readonly open = new Map<string, Execution>();
  private readonly queue: Execution[] = [];
  private unacked: Execution[] = [];
  private unsent: string[] = [];
  private running = 0;
  private generation = 0;
  private online = false;
  private refusing: RefusalReason | undefined;
  private idleWaiters: (() => void)[] = [];

  constructor(
    private readonly handlers: ReadonlyMap<string, Handler>,
    private readonly limits: DispatchLimits,
    private readonly host: DispatchHost,
  ) {}

  /** Handlers that run now. */
  get inFlight(): number {
    return this.running;
  }

  get queued(): number {
    return this.queue.length;
  }

  onDispatch(frame: DispatchFrame): void {
    const known = this.open.get(frame.dispatchId);
    if (known !== undefined) {
      this.ackSoon(known);
      return;
    }
    if (this.refusing !== undefined) {
      this.refuse(frame, this.refusing);
      return;
    }
    const full = this.running >= this.limits.maxConcurrency;
    if (full && this.queue.length >= this.limits.maxQueue) {
      this.refuse(frame, 'BUSY');
      return;
    }
    const execution = new Execution(frame, this.generation, this.host);
    this.open.set(frame.dispatchId, execution);
    this.ackSoon(execution);
    if (full) this.queue.push(execution);
    else this.run(execution);
  }

  onCancel(dispatchId: string, reason: CancelReason): void {
    const execution = this.open.get(dispatchId);
    if (execution === undefined) return;
    execution.cancel(reason);
    const waiting = this.queue.indexOf(execution);
    if (waiting < 0) return;
    this.queue.splice(waiting, 1);
    this.forget(execution);
  }

  /** The acks of this turn that no result has made superfluous. */
  onFlush(): void {
    if (this.unacked.length === 0) return;
    const due = this.unacked;
    this.unacked = [];
    for (const execution of due)
      if (!execution.settled)
        this.host.send(JSON.stringify({ type: 'ack', dispatchId: execution.dispatchId, accepted: true }));
  }

  /**
   * The instance is registered on this connection. When the server still knows what it dispatched, results that had no
   * connection are sent now; a server that was restarted would not know what they are about.
   */
  onRegistered(remembered: boolean): void {
    this.online = true;
    const due = this.unsent;
    this.unsent = [];
    if (!remembered) this.generation += 1;
    else for (const text of due) this.host.send(text);
  }

  onLost(): void {
    this.online = false;
    this.unacked = [];
  }

  /** From here on every dispatch is refused. */
  refuseAll(reason: RefusalReason): void {
    this.refusing = reason;
  }

  /** Resolves when no handler runs or waits. */
  idle(): Promise<void> {
    if (this.open.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.idleWaiters.push(resolve);
    });
  }

  /** Tells all handlers to stop. */
  cancelAll(reason: CancelReason): void {
    for (const dispatchId of [...this.open.keys()]) this.onCancel(dispatchId, reason);
  }

  private run(execution: Execution): void {
    this.running += 1;
    const handler = this.handlers.get(execution.capability);
    if (handler === undefined) {
      this.failed(execution, new Error(`this instance has no handler for ${execution.capability}`));
      return;
    }
    let outcome: unknown;
    try {
      outcome = handler(execution.frame.params, execution);
    } catch (thrown) {
      this.failed(execution, thrown);
      return;
    }
    if (isThenable(outcome))
      outcome.then(
        (result) => this.succeeded(execution, result),
        (thrown) => this.failed(execution, thrown),
      );
    else this.succeeded(execution, outcome);
  }

  private succeeded(execution: Execution, result: unknown): void {
    let text: string;
    try {
      // A property that is undefined would be left out: a handler without an answer answers null.
      text = JSON.stringify({
        type: 'result',
        dispatchId: execution.dispatchId,
        ok: true,
        result: result === undefined ? null : result,
      });
    } catch (thrown) {
      this.failed(execution, new Error('the result cannot be written as JSON', { cause: thrown }));
      return;
    }
    const maxBytes = this.host.welcome?.limits.maxFrameBytes ?? Number.POSITIVE_INFINITY;
    if (isOver(text, maxBytes)) this.failed(execution, tooLarge('result', text, maxBytes));
    else this.finish(execution, text);
  }

  private failed(execution: Execution, thrown: unknown): void {
    const error = failureOf(thrown);
    if (error.code === 'AGENT_ERROR' && execution.cancelled === undefined)
      this.host.log('error', `${execution.capability} (${execution.requestId}) failed: ${traceOf(thrown)}`);
    // The server ended a cancelled attempt when it sent the cancel; only a success could still be of use to it.
    this.finish(execution, execution.cancelled === undefined ? failureText(execution, error) : undefined);
  }

  private finish(execution: Execution, text: string | undefined): void {
    execution.settle();
    this.running -= 1;
    if (text !== undefined && execution.generation === this.generation && !(this.online && this.host.send(text)))
      this.unsent.push(text);
    this.forget(execution);
    this.runNext();
  }

  /** Starts what waits, passing over what nobody waits for any more. */
  private runNext(): void {
    if (this.running >= this.limits.maxConcurrency) return;
    let next = this.queue.shift();
    while (next !== undefined && next.remainingMs() === 0) {
      this.forget(next);
      next = this.queue.shift();
    }
    if (next !== undefined) this.run(next);
  }

  private forget(execution: Execution): void {
    execution.settle();
    this.open.delete(execution.dispatchId);
    if (this.open.size > 0 || this.idleWaiters.length === 0) return;
    const waiters = this.idleWaiters;
    this.idleWaiters = [];
    for (const resolve of waiters) resolve();
  }

  private ackSoon(execution: Execution): void {
    this.unacked.push(execution);
    this.host.flushSoon();
  }

  private refuse(frame: DispatchFrame, reason: RefusalReason): void {
    this.host.send(refusalText(frame.dispatchId, reason));
  }
}

/** The refusal of a dispatch as a frame. */
export function refusalText(dispatchId: string, reason: RefusalReason): string {
  const retryAfterMs = reason === 'BUSY' ? BUSY_RETRY_MS : undefined;
  return JSON.stringify({ type: 'ack', dispatchId, accepted: false, reason, retryAfterMs });
}

/** The failure as a frame, without details when these cannot be written as JSON. */
function failureText(execution: Execution, error: AgentFailure): string {
  const frame = { type: 'result', dispatchId: execution.dispatchId, ok: false };
  try {
    return JSON.stringify({ ...frame, error });
  } catch {
    return JSON.stringify({ ...frame, error: { code: error.code, message: error.message } });
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

const traceOf = (thrown: unknown) => (thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown));

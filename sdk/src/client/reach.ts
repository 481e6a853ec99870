import { randomUUID } from 'node:crypto';
import {
  type CallTarget,
  type FoundCapability,
  type HealthStreamEvent,
  ReachError,
  TASK_TIMEOUT_MS,
  type WelcomeFrame,
} from '../protocol/index.js';
import { Agent } from './agent.js';
import type { Route } from './cached-route.js';
import type { BroadcastRequest, CallOutcome, CallRequest, TaskRequest } from './call-request.js';
import type { BroadcastOutcome } from './calls.js';
import { type Clock, systemClock } from './clock.js';
import type { AgentOptions } from './declaration.js';
import { drainOnSignals } from './drain-on-signals.js';
import type { FindOptions } from './finds.js';
import { type HealthOptions, HealthStream } from './health-stream.js';
import { type CheckedConnectOptions, type ConnectOptions, checkConnectOptions } from './options.js';
import { RouteCache, type RouteOptions, type WhoOptions } from './route-cache.js';
import { Session } from './session.js';
import type { TaskHandle } from './tasks.js';

/**
 * Connects to a server. Answers at once; what needs the connection waits for it, and it comes back by itself. Throws
 * INVALID_INPUT with every fault of the options.
 */
export function connect(options: ConnectOptions): Reach {
  return new Reach(checkConnectOptions(options), systemClock);
}

/** A connection to Agent-Reach: agents join through it, calls go through it, health changes come through it. */
export class Reach {
  private readonly session: Session;
  private readonly ignoreSignals: () => void;
  private closing: Promise<void> | undefined;
  /** For those who wait until somebody can be reached. */
  private ownRoutes: RouteCache | undefined;

  /** Made by `connect`. */
  constructor(options: CheckedConnectOptions, clock: Clock) {
    this.session = new Session(options, randomUUID(), clock);
    this.ignoreSignals = drainOnSignals(options.drainOn, () => this.close());
    this.session.ended.promise.then(this.ignoreSignals, this.ignoreSignals);
  }

  /** Resolves with the server's greeting at the first connection; rejects when it refuses the token. */
  get connected(): Promise<WelcomeFrame> {
    return this.session.opened.promise;
  }

  /** Resolves after `close`; rejects when the server ended the connection for good (a revoked token, for instance). */
  get closed(): Promise<void> {
    return this.session.ended.promise;
  }

  /** Begins an agent: add capabilities with `handle`, then `start`. Throws INVALID_INPUT with every fault. */
  agent(options: AgentOptions): Agent {
    return new Agent(options, this.session);
  }

  /**
   * Calls whoever can do it, and answers with the result. Rejects with a CallError (a ReachError with `code`,
   * `retryable`, `requestId`, `attempts`), or with INVALID_INPUT when the request itself is malformed. While there is
   * no connection it waits, within its time; a call that was sent when the connection broke is sent again on the next
   * one, where the server goes on with the first execution or answers with its outcome. When there is no other in time it
   * ends as CONNECTION_LOST.
   *
   * A task is followed to its end: `timeoutMs` covers its acceptance, `taskTimeoutMs` the rest, and aborting `signal`
   * cancels it. `startTask` answers as soon as it is accepted.
   */
  async call<R = unknown>(request: CallRequest): Promise<R> {
    return (await this.session.call(request)).result as R;
  }

  /** As `call`, with instance, attempts and trace id. */
  callDetailed<R = unknown>(request: CallRequest): Promise<CallOutcome<R>> {
    return this.session.call(request) as Promise<CallOutcome<R>>;
  }

  /**
   * Starts a task: resolves when an instance has accepted it. Rejects as `call` does; with INVALID_PARAMS, and without
   * executing anything, when the capability is no task; with CONFLICT and the result in the error's `details` when an
   * answer was there already: that of the policy's fallback, or of an earlier call with this `requestId`.
   */
  async startTask<R = unknown>(request: TaskRequest): Promise<TaskHandle<R> & { readonly requestId: string }> {
    const { taskId, requestId, result } = await this.session.calls.start({
      ...request,
      // Always, since only a task may have it: what is none is refused instead of executed.
      taskTimeoutMs: request.taskTimeoutMs ?? TASK_TIMEOUT_MS,
    });
    if (taskId !== undefined) return { requestId, ...this.session.tasks.handle<R>(taskId) };
    throw new ReachError(
      'CONFLICT',
      `${requestId}: was answered at once and not accepted as a task; the answer is in the details`,
      {
        details: { result },
      },
    );
  }

  /** A task that was started earlier, by this caller. Throws INVALID_INPUT when it can't be the id of a task. */
  task<R = unknown>(taskId: string): TaskHandle<R> {
    return this.session.tasks.handle<R>(taskId);
  }

  /**
   * Calls every instance that matches, and answers with what each answered within the time, failures included. Rejects
   * as `call` does when nobody was asked. It is not sent again when the connection breaks: it ends as CONNECTION_LOST.
   */
  broadcast(request: BroadcastRequest): Promise<BroadcastOutcome> {
    return this.session.calls.broadcast(request);
  }

  /**
   * Which capabilities fit a text, best first: those that you may call, by name, aliases, description, tags and the
   * words of their schemas; English and Chinese, and typing errors are forgiven. To call what fits without choosing
   * yourself, use `call({ need })`. Waits for the connection like a call.
   */
  findCapabilities(text: string, options: FindOptions = {}): Promise<readonly FoundCapability[]> {
    return this.session.finds.start(text, options);
  }

  /**
   * Follows the health of instances: a Snapshot, then Changes, over reconnects, from this moment on even if reading
   * begins later. Leaving the loop unsubscribes.
   */
  healthChanges(options: HealthOptions = {}): AsyncIterableIterator<HealthStreamEvent> {
    const id = this.session.nextId();
    const stream = new HealthStream(id, options, this.session);
    if (!options.signal?.aborted) this.session.addStream(id, stream);
    return stream;
  }

  /**
   * Keeps at hand who can be reached: `who(target)` answers at once, and `follow(target)` tells when that changes. Each
   * call makes one more, at most 10 a connection; close it when it isn't needed. Throws INVALID_INPUT.
   */
  routes(options: RouteOptions = {}): RouteCache {
    return new RouteCache(options, this.session);
  }

  /**
   * Resolves with those who can be called, once there is somebody: at once, or when the first one has come. Rejects with
   * CANCELLED when `signal` is aborted or the connection is closed, and with INVALID_INPUT.
   */
  async whenReachable(
    target: CallTarget,
    options: WhoOptions & { readonly signal?: AbortSignal } = {},
  ): Promise<readonly Route[]> {
    if (this.ownRoutes === undefined || this.ownRoutes.ended) this.ownRoutes = this.routes();
    for await (const routes of this.ownRoutes.follow(target, options)) if (routes.length > 0) return routes;
    throw new ReachError('CANCELLED', 'it was not waited for any longer');
  }

  /** Stops all agents (drain, then goodbye), ends what waits with CANCELLED, and closes the connection. */
  close(): Promise<void> {
    this.closing ??= this.session.close();
    return this.closing;
  }
}

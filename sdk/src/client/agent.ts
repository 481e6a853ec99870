import { setImmediate as turn } from 'node:timers/promises';
import {
  type AgentRef,
  type CapabilityDeclaration,
  type DispatchFrame,
  type DrainFrame,
  type ErrorFrame,
  type InstanceRef,
  type InstanceReport,
  instanceRef,
  type JsonObject,
  ReachError,
  type RecallFrame,
  type RegisteredFrame,
} from '../protocol/index.js';
import { backoffMs } from './backoff.js';
import {
  type AgentOptions,
  capabilityOf,
  type HandleOptions,
  type Registration,
  registrationOf,
} from './declaration.js';
import { deferred } from './deferred.js';
import { Dispatches, type DispatchHost, type Served } from './dispatches.js';
import type { Handler, HandlerContext } from './execution.js';
import { Faults } from './faults.js';
import { openRecord } from './record/open-record.js';

/** What an agent needs of its Reach. */
export interface AgentHost extends DispatchHost {
  join(agent: Agent): void;
  leave(agent: Agent): void;
  /** Reports an instance now, not only when its report is due. */
  beatSoon(instance: InstanceRef): void;
}

/** Load that the process measures itself; the server adds what it counts. */
export interface OwnLoad {
  /** How busy the instance is, 0 to 1. */
  readonly busy?: number;
  /** Utilisation of its worker or connection pool, 0 to 1. */
  readonly pool?: number;
  /** Work that waits outside of this SDK. */
  readonly queueDepth?: number;
}

type AgentState = 'NEW' | 'STARTING' | 'RUNNING' | 'STOPPING' | 'STOPPED';

const REGISTER_BACKOFF = { baseMs: 200, capMs: 5000 };

/** One agent of this process: what it can do, and its place at the server while it runs. */
export class Agent {
  private state: AgentState = 'NEW';
  private readonly registration: Registration;
  private readonly capabilities: CapabilityDeclaration[] = [];
  private readonly handlers = new Map<string, Served>();
  private readonly dispatches: Dispatches;
  private readonly started = deferred<Agent>();
  private readonly ended = deferred<void>();
  private registered: { readonly ref: InstanceRef; readonly agent: AgentRef; readonly nodeEpoch: string } | undefined;
  private nodeEpoch: string | undefined;
  private recording = false;
  private failures = 0;
  private load: OwnLoad = {};
  private stopping: Promise<void> | undefined;

  /** Made by `reach.agent`. Throws INVALID_INPUT with every fault of the options. */
  constructor(
    private readonly options: AgentOptions,
    private readonly host: AgentHost,
  ) {
    this.registration = registrationOf(options);
    this.dispatches = new Dispatches(this.handlers, this.registration, host, () => this.reportSoon());
    // Whoever is interested awaits them; for others the log says it.
    this.started.promise.catch(() => undefined);
    this.ended.promise.catch(() => undefined);
  }

  /** `namespace/agent/instance`, once registered. */
  get instance(): InstanceRef | undefined {
    return this.registered?.ref;
  }

  /** Resolves when the agent was stopped; rejects when the server does not accept it any more. */
  get stopped(): Promise<void> {
    return this.ended.promise;
  }

  /**
   * Adds a capability. `handler` gets parameters that passed the input schema, and answers with the result, or throws
   * BusinessError, AgentError or anything else. Throws INVALID_INPUT with every fault of the declaration.
   */
  handle<P extends JsonObject = JsonObject, R = unknown>(
    name: string,
    options: HandleOptions,
    handler: (params: P, ctx: HandlerContext) => R | Promise<R>,
  ): this {
    if (this.state !== 'NEW') throw new ReachError('CONFLICT', `handle ${name}: the agent was started already`);
    const capability = capabilityOf(name, options, handler);
    if (this.handlers.has(name))
      throw new ReachError('CONFLICT', `handle ${name}: this capability has a handler already`);
    this.capabilities.push(capability);
    // The server checks parameters against the schema that stands beside the handler: that is what P describes.
    this.handlers.set(name, { handler: handler as Handler, idempotent: capability.idempotent === true });
    return this;
  }

  /**
   * Joins: resolves when the server has registered this instance and was told that it is ready, waiting for the server
   * as long as it takes; the next call that comes after that word finds it. Rejects with UNAUTHENTICATED, INVALID_REGISTRATION and what else another attempt would not mend.
   */
  start(): Promise<this> {
    if (this.state !== 'NEW') return this.started.promise as Promise<this>;
    if (this.capabilities.length === 0)
      return Promise.reject(
        new ReachError('INVALID_INPUT', 'an agent needs at least one capability: add one with handle(...)'),
      );
    this.state = 'STARTING';
    this.host.join(this);
    return this.started.promise as Promise<this>;
  }

  /** Tells the server at once how loaded this instance is. What is left out stays as it was. */
  reportLoad(load: OwnLoad): void {
    const faults = new Faults();
    for (const key of ['busy', 'pool'] as const) {
      const value = load[key];
      if (value !== undefined && !(value >= 0 && value <= 1))
        faults.add({ path: key, got: String(value), allowed: '0 to 1' });
    }
    if (load.queueDepth !== undefined) faults.integer('queueDepth', load.queueDepth, 0, Number.MAX_SAFE_INTEGER);
    faults.raise('reportLoad');
    this.load = { ...this.load, ...load };
    this.reportSoon();
  }

  /**
   * Leaves: no new calls, running handlers may finish within `drainTimeoutMs` and are told to stop after it, then
   * goodbye. Safe to call twice.
   */
  stop(): Promise<void> {
    this.stopping ??= this.drain();
    return this.stopping;
  }

  /** Sends the registration under the id that the answer will name; called by the host when there is a connection. */
  register(id: string): void {
    this.host.send(JSON.stringify({ ...this.registration, id, capabilities: this.capabilities }));
  }

  onRegistered(frame: RegisteredFrame, nodeEpoch: string): void {
    const ref = instanceRef(frame.agent, frame.instance);
    this.failures = 0;
    if (!this.recording && this.capabilities.some(isRecorded)) {
      this.recording = true;
      this.dispatches.useRecord(openRecord(this.options.record, ref, this.host));
    }
    this.registered = { ref, agent: frame.agent, nodeEpoch };
    this.dispatches.onRegistered(this.nodeEpoch === undefined || this.nodeEpoch === nodeEpoch);
    this.nodeEpoch = nodeEpoch;
    if (this.state === 'STOPPING') {
      this.sendDrain(ref);
      return;
    }
    this.host.send(JSON.stringify({ type: 'ready', instance: ref }));
    this.host.log('info', `${ref} is registered`);
    this.state = 'RUNNING';
    this.started.resolve(this);
  }

  /** The registration was refused: tried again later, or the end of this agent. */
  onRefused(frame: ErrorFrame, again: () => void): void {
    const error = ReachError.fromWire(frame.error);
    if (!error.retryable) {
      this.fail(error);
      return;
    }
    const waitMs = error.retryAfterMs ?? backoffMs(this.failures, REGISTER_BACKOFF, this.host.clock.random());
    this.failures += 1;
    this.host.log('warn', `registration of ${this.registration.instance}: ${error.message}; again in ${waitMs} ms`);
    this.host.clock.after(waitMs, () => {
      if (this.state !== 'STOPPED' && this.registered === undefined && this.host.welcome !== undefined) again();
    });
  }

  onDispatch(frame: DispatchFrame): void {
    this.dispatches.onDispatch(frame);
  }

  onCancel(dispatchId: string, reason: Parameters<Dispatches['onCancel']>[1]): void {
    this.dispatches.onCancel(dispatchId, reason);
  }

  onRecall(frame: RecallFrame): void {
    this.dispatches.onRecall(frame);
  }

  onResultAck(dispatchId: string): void {
    this.dispatches.onResultAck(dispatchId);
  }

  /** An operator drains this instance: the server routes nothing here any more, and may resume later. */
  onDrain(frame: DrainFrame): void {
    this.host.log('info', `${frame.instance} is drained by an operator${frame.reason ? `: ${frame.reason}` : ''}`);
    this.options.onDrain?.(frame.reason);
  }

  onFlush(): void {
    this.dispatches.onFlush();
  }

  /**
   * The server holds no lease for this instance any more. True: it wants another one. What is leaving does not: another
   * process may have taken its place already.
   */
  onLapsed(): boolean {
    this.registered = undefined;
    return this.state === 'RUNNING';
  }

  onLost(): void {
    this.registered = undefined;
    this.dispatches.onLost();
  }

  /** The agent cannot be at the server any more. */
  fail(error: ReachError): void {
    if (this.state === 'STOPPED') return;
    this.state = 'STOPPED';
    this.host.leave(this);
    this.host.log('error', `${this.registration.instance}: ${error.message}`);
    this.dispatches.refuseAll('DRAINING');
    this.dispatches.cancelAll('OPERATOR');
    this.dispatches.close();
    this.started.reject(error);
    this.ended.reject(error);
  }

  /** What the next heartbeat says, while registered. */
  report(): InstanceReport | undefined {
    if (this.registered === undefined) return undefined;
    return {
      instance: this.registered.ref,
      inFlight: this.dispatches.inFlight,
      queueDepth: this.dispatches.queued + (this.load.queueDepth ?? 0),
      ...(this.load.busy === undefined ? {} : { busy: this.load.busy }),
      ...(this.load.pool === undefined ? {} : { pool: this.load.pool }),
    };
  }

  /** The load has changed, and the server should know. */
  private reportSoon(): void {
    if (this.registered !== undefined) this.host.beatSoon(this.registered.ref);
  }

  private async drain(): Promise<void> {
    if (this.state === 'STOPPED') return;
    this.state = 'STOPPING';
    this.dispatches.refuseAll('DRAINING');
    if (this.registered !== undefined) this.sendDrain(this.registered.ref);
    const patience = deferred<void>();
    const cancel = this.host.clock.after(this.registration.drainTimeoutMs, patience.resolve);
    await Promise.race([this.dispatches.idle(), patience.promise]);
    cancel();
    this.dispatches.cancelAll('OPERATOR');
    // Handlers that end at once when told to stop still deliver.
    await turn();
    if (this.registered !== undefined)
      this.host.send(JSON.stringify({ type: 'goodbye', instance: this.registered.ref }));
    this.state = 'STOPPED';
    this.dispatches.close();
    this.host.leave(this);
    this.started.reject(new ReachError('CANCELLED', 'the agent was stopped before it was registered'));
    this.ended.resolve();
  }

  private sendDrain(instance: InstanceRef): void {
    this.host.send(
      JSON.stringify({ type: 'drain', instance, drainTimeoutMs: this.registration.drainTimeoutMs, reason: 'stopping' }),
    );
  }
}

/** Only what may be executed twice needs no record, and what answers at once. */
const isRecorded = ({ idempotent, mode }: CapabilityDeclaration) => idempotent !== true || mode === 'TASK';

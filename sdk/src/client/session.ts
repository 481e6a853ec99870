import {
  type DispatchFrame,
  type ErrorFrame,
  type HeartbeatAnswerFrame,
  type InstanceRef,
  type InstanceReport,
  instanceRef,
  ReachError,
  type RegisteredFrame,
  type ServerFrame,
  type WelcomeFrame,
} from '../protocol/index.js';
import { refusalText } from './ack-text.js';
import type { Agent, AgentHost } from './agent.js';
import type { CallOutcome, CallRequest } from './call-request.js';
import { Calls } from './calls.js';
import type { Clock } from './clock.js';
import { Connection, type ConnectionOwner } from './connection.js';
import { deferred } from './deferred.js';
import type { OpenStream } from './event-stream.js';
import { Finds } from './finds.js';
import { Heartbeats } from './heartbeats.js';
import type { CheckedConnectOptions, LogLevel } from './options.js';
import { Registrations } from './registrations.js';
import { type TaskHost, Tasks } from './tasks.js';
import { TimingWheel } from './wheel.js';

/** Everything that shares one connection: agents, calls and streams. Gives each incoming frame to whom it is for. */
export class Session implements AgentHost, ConnectionOwner, TaskHost {
  readonly wheel: TimingWheel;
  readonly calls: Calls;
  readonly finds: Finds;
  readonly tasks: Tasks;
  /** Ends with the first greeting, or with the refusal. */
  readonly opened = deferred<WelcomeFrame>();
  /** Ends with the session. */
  readonly ended = deferred<void>();
  readonly agents = new Set<Agent>();
  private readonly connection: Connection;
  private readonly heartbeats: Heartbeats;
  private readonly registrations = new Registrations((agent) => this.register(agent));
  private readonly instances = new Map<InstanceRef, Agent>();
  private readonly streams = new Map<string, OpenStream>();
  private over: ReachError | undefined;
  private counter = 0;

  constructor(
    private readonly options: CheckedConnectOptions,
    incarnation: string,
    readonly clock: Clock,
  ) {
    this.wheel = new TimingWheel(clock);
    this.connection = new Connection(options, incarnation, clock, this);
    this.calls = new Calls(this, clock, this.wheel, options.waitForConnectionMs);
    this.finds = new Finds(this, this.wheel, options.waitForConnectionMs);
    this.tasks = new Tasks(this);
    this.heartbeats = new Heartbeats(clock, {
      reports: () => this.reports(),
      send: (text) => this.send(text),
      onBeat: () => this.connection.checkAlive(),
    });
    // Whoever is interested awaits them; for others the log says it.
    this.opened.promise.catch(() => undefined);
    this.ended.promise.catch(() => undefined);
    this.connection.open();
  }

  get welcome(): WelcomeFrame | undefined {
    return this.connection.welcome;
  }

  get open(): boolean {
    return this.connection.welcome !== undefined;
  }

  send(text: string): boolean {
    return this.connection.send(text);
  }

  flushSoon(): void {
    this.connection.flushSoon();
  }

  log(level: LogLevel, message: string): void {
    this.options.log(level, message);
  }

  beatSoon(instance: InstanceRef): void {
    this.heartbeats.beatSoon(instance);
  }

  /** Makes a call; a task is followed to its end. */
  async call(request: CallRequest, serving?: string): Promise<CallOutcome> {
    const outcome = await this.calls.start(request, serving);
    const { taskId, requestId } = outcome;
    if (taskId === undefined) return outcome;
    const { result, instance } = await this.tasks.end(taskId, { ...request, requestId });
    return { ...outcome, result, instance };
  }

  nextId(): string {
    this.counter += 1;
    return String(this.counter);
  }

  join(agent: Agent): void {
    if (this.over !== undefined) {
      agent.fail(this.over);
      return;
    }
    this.agents.add(agent);
    if (this.open) this.registrations.begin(agent);
  }

  leave(agent: Agent): void {
    this.agents.delete(agent);
    this.registrations.forget(agent);
    const { instance } = agent;
    if (instance === undefined) return;
    this.instances.delete(instance);
    this.heartbeats.forget(instance);
  }

  addStream(id: string, stream: OpenStream): void {
    if (this.over !== undefined) {
      stream.finish(this.over);
      return;
    }
    this.streams.set(id, stream);
    if (this.open) stream.subscribe();
  }

  leaveStream(id: string): void {
    this.streams.delete(id);
  }

  /** Drains all agents, then closes the connection. */
  async close(): Promise<void> {
    await Promise.all([...this.agents].map((agent) => agent.stop()));
    if (this.over === undefined) await this.connection.close();
  }

  onOpen(welcome: WelcomeFrame): void {
    this.log('info', `connected to ${this.options.url} as ${welcome.principal}`);
    this.heartbeats.start(welcome.beatMs);
    for (const agent of this.agents) this.registrations.begin(agent);
    for (const stream of this.streams.values()) stream.subscribe();
    this.calls.onOpen();
    this.finds.onOpen();
    this.opened.resolve(welcome);
  }

  onFrame(frame: ServerFrame): void {
    switch (frame.type) {
      case 'dispatch':
        this.onDispatch(frame);
        return;
      case 'reply':
      case 'accepted':
      case 'gathered':
        this.calls.onAnswer(frame);
        return;
      case 'cancel':
        for (const agent of this.instances.values()) agent.onCancel(frame.dispatchId, frame.reason);
        return;
      case 'heartbeat':
        this.onHeartbeat(frame);
        return;
      case 'event':
        this.streams.get(frame.id)?.onEvent(frame.event);
        return;
      case 'registered':
        this.onRegistered(frame);
        return;
      case 'found':
        this.finds.onFound(frame);
        return;
      case 'drain':
        this.instances.get(frame.instance)?.onDrain(frame);
        return;
      case 'error':
        this.onError(frame);
        return;
      case 'recall':
        // An instance that is not here yet, or not any more, is asked again when it registers.
        this.instances.get(frame.instance)?.onRecall(frame);
        return;
      case 'resultAck':
        for (const agent of this.instances.values()) agent.onResultAck(frame.dispatchId);
        return;
      case 'welcome':
        return;
      default:
        // A newer server may send frames that this version does not know.
        frame satisfies never;
    }
  }

  onFlush(): void {
    for (const agent of this.instances.values()) agent.onFlush();
  }

  onLost(): void {
    this.heartbeats.stop();
    this.instances.clear();
    this.registrations.clear();
    for (const agent of this.agents) agent.onLost();
    this.calls.onLost();
  }

  onClosed(error: ReachError | undefined): void {
    this.over = error ?? new ReachError('CANCELLED', 'the connection was closed by this program');
    this.heartbeats.stop();
    for (const agent of this.agents) agent.fail(this.over);
    for (const stream of this.streams.values()) stream.finish(error);
    this.streams.clear();
    this.calls.end(this.over);
    this.finds.end(this.over);
    this.wheel.clear();
    this.opened.reject(this.over);
    if (error === undefined) this.ended.resolve();
    else {
      this.log('error', error.message);
      this.ended.reject(error);
    }
  }

  private onDispatch(frame: DispatchFrame): void {
    const agent = this.instances.get(frame.instance);
    if (agent !== undefined) agent.onDispatch(frame);
    // It said goodbye while this was on its way: nothing was executed, and the server can go elsewhere at once.
    else this.send(refusalText(frame.dispatchId, 'DRAINING'));
  }

  private register(agent: Agent): string {
    const id = this.nextId();
    agent.register(id);
    return id;
  }

  private onRegistered(frame: RegisteredFrame): void {
    const agent = this.registrations.answered(frame.id);
    const { welcome } = this;
    if (agent === undefined || welcome === undefined) return;
    if (!this.agents.has(agent)) {
      // It was stopped while its registration was on its way.
      this.send(JSON.stringify({ type: 'goodbye', instance: instanceRef(frame.agent, frame.instance) }));
      return;
    }
    agent.onRegistered(frame, welcome.nodeEpoch);
    const { instance } = agent;
    if (instance === undefined) return;
    this.instances.set(instance, agent);
    this.heartbeats.setInterval(instance, frame.lease.intervalMs);
  }

  private onHeartbeat(frame: HeartbeatAnswerFrame): void {
    this.heartbeats.onAnswer(frame);
    for (const instance of frame.registerAgain ?? []) this.registerAgain(instance);
  }

  /** The server holds no lease for this instance any more. */
  private registerAgain(instance: InstanceRef): void {
    const agent = this.instances.get(instance);
    if (agent === undefined || this.registrations.has(agent)) return;
    this.instances.delete(instance);
    this.heartbeats.forget(instance);
    if (!agent.onLapsed()) return;
    this.log('warn', `${instance} has lost its lease; registering again`);
    this.registrations.begin(agent);
  }

  private onError(frame: ErrorFrame): void {
    const { ref = '', error } = frame;
    const agent = this.registrations.answered(ref);
    if (agent !== undefined) {
      agent.onRefused(frame, () => this.registrations.begin(agent));
      return;
    }
    const stream = this.streams.get(ref);
    if (stream !== undefined) {
      this.streams.delete(ref);
      stream.finish(ReachError.fromWire(error));
      return;
    }
    if (this.calls.onError(ref, error) || this.finds.onError(ref, error)) return;
    if (error.code === 'NOT_REGISTERED') this.registerAgain(ref as InstanceRef);
    else this.log('warn', `the server refused a frame${ref === '' ? '' : ` (${ref})`}: ${error.code} ${error.message}`);
  }

  private reports(): InstanceReport[] {
    return [...this.instances.values()].flatMap((agent) => agent.report() ?? []);
  }
}

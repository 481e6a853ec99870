import {
  type AuditRecorder,
  CLOSE_CODES,
  type ClientFrame,
  type FindFrame,
  type HeartbeatFrame,
  type HelloFrame,
  type InstanceRef,
  PROTOCOL_VERSION,
  parseClientFrame,
  ReachError,
  type RegisterFrame,
  WIRE_LIMITS,
} from '@agent-reach/sdk/protocol';
import type { SocketLink } from '../../deliver/socket-link.js';
import type { AttemptEvents } from '../../execute/attempts/delivery.js';
import type { BroadcastPort, CallerContext, CallPort } from '../../execute/ports.js';
import type { TaskDesk } from '../../execute/tasks/task-desk.js';
import { inScope, type Principal } from '../../governance/access/principal.js';
import type { Instance } from '../../perceive/instance.js';
import { profileOf } from '../../perceive/lease.js';
import type { AgentRecord } from '../../perceive/model.js';
import { checkRegistration } from '../../perceive/registration.js';
import type { Registry } from '../../perceive/registry.js';
import { callerContext } from '../caller-context.js';
import { findFor } from '../find.js';
import type { Authenticate } from './authenticate.js';
import { ConnectionCalls } from './calls.js';
import { FrameOrder } from './frame-order.js';
import { misshapenRegistration, registrantOf } from './registrant.js';
import type { SearchTurns } from './search-turns.js';
import { Streams } from './streams.js';

/** How often a connection must be heard, ms; three beats of silence close it. */
export const BEAT_MS = 10_000;

export interface ConnectionDeps {
  readonly access: Pick<Authenticate, 'authenticate'>;
  readonly registry: Registry;
  readonly calls: CallPort;
  readonly broadcasts: BroadcastPort;
  readonly tasks: Pick<TaskDesk, 'open' | 'cancel'>;
  readonly attempts: AttemptEvents;
  readonly searches: SearchTurns;
  readonly epoch: string;
  readonly serverVersion: string;
  readonly maxFrameBytes: number;
  /** How long the network may take to recover; what leases must outlast twice. */
  readonly networkRecoveryMs: number;
  /** An instance joined or came back, and was told so. */
  readonly onJoined: (instance: Instance) => void;
  /** Where refusals after authentication go, each by itself. */
  readonly audit: AuditRecorder;
  readonly wall: () => number;
  /** Told of refusals before authentication and of unusable frames, which are summed. */
  readonly onRefused: (code: 'UNAUTHENTICATED' | 'INVALID_FRAME') => void;
  /** A fault of the server itself, for its log. */
  readonly onFault: (error: unknown) => void;
}

/** What a connection knows once it said hello. */
interface Joined {
  readonly principal: Principal;
  readonly incarnation: string;
}

/**
 * One socket of `/reach`. Frames are admitted in the order of their arrival; only hello and registration, which may
 * have to ask the database, hold back what follows.
 */
export class Connection {
  #joined: Joined | undefined;
  readonly #instances = new Set<InstanceRef>();
  readonly #calls: ConnectionCalls;
  readonly #streams: Streams;
  readonly #order: FrameOrder;
  #lastCaller:
    | { readonly version: number; readonly agent: AgentRecord | undefined; readonly context: CallerContext }
    | undefined;
  #closed = false;

  constructor(
    readonly link: SocketLink,
    private readonly deps: ConnectionDeps,
  ) {
    this.#calls = new ConnectionCalls(link, {
      ...deps,
      caller: () => this.#caller(),
      refuse: (error, ref) => this.#refuse(error, ref),
    });
    const { health, routes } = deps.registry;
    const sources = { health, routes, tasks: deps.tasks };
    this.#streams = new Streams(link, sources, (code, reason) => this.end(code, reason));
    this.#order = new FrameOrder({
      admit: (frame, bytes) => this.#admit(frame, bytes),
      onTooMuch: () => this.end(CLOSE_CODES.TOO_LARGE, 'too much was sent before hello or registration was answered'),
      isKnown: () => this.#joined !== undefined,
    });
  }

  get principal(): Principal | undefined {
    return this.#joined?.principal;
  }

  /** One message of the client. */
  receive(message: string): void {
    if (this.#closed) return;
    const bytes = Buffer.byteLength(message);
    if (this.#joined === undefined && bytes > WIRE_LIMITS.preAuthFrameBytes) {
      return this.end(CLOSE_CODES.TOO_LARGE, `at most ${WIRE_LIMITS.preAuthFrameBytes} bytes before authentication`);
    }
    const parsed = parseClientFrame(message);
    switch (parsed.kind) {
      case 'UNUSABLE':
        this.deps.onRefused('INVALID_FRAME');
        return this.end(CLOSE_CODES.INVALID_FRAME, parsed.reason);
      case 'FAULTY':
        if (this.#joined === undefined) return this.end(CLOSE_CODES.INVALID_FRAME, parsed.error.message);
        // The agent gave its answer, though one that can't be passed on; its attempt must not wait for another.
        if (parsed.type === 'result' && parsed.ref !== undefined) {
          this.deps.attempts.faulty(parsed.ref, this.link, parsed.error.toWire());
        }
        return this.#refuse(
          parsed.type === 'register'
            ? misshapenRegistration(parsed, this.#joined.principal, this.deps.networkRecoveryMs)
            : parsed.error,
          parsed.ref,
        );
      case 'FRAME':
        return this.#order.take(parsed.frame, bytes);
      default:
        return parsed satisfies never;
    }
  }

  /** Closes the connection from this side. Nothing that it sends from now on counts. */
  end(code: number, reason: string): void {
    if (this.#closed) return;
    this.link.close(code, reason);
    this.closed();
    // A client that does not answer the close gets no more time.
    setTimeout(() => this.link.terminate(), CLOSE_GRACE_MS).unref();
  }

  /** The socket is gone: leases end, calls of this caller are cancelled, streams stop. */
  closed(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#order.end();
    this.deps.registry.linkClosed(this.link, this.#instances);
    this.#calls.end();
    this.#streams.end();
  }

  #admit(frame: ClientFrame, bytes: number): void {
    if (frame.type === 'hello') return this.#order.while(this.#hello(frame));
    if (this.#joined === undefined) {
      this.deps.onRefused('UNAUTHENTICATED');
      return this.end(CLOSE_CODES.UNAUTHENTICATED, 'the first frame must be hello');
    }
    if (frame.type === 'register') return this.#order.while(this.#register(frame, this.#joined));
    this.#handle(frame, this.#joined, bytes);
  }

  // --- frames --------------------------------------------------------------------------------------------------

  #handle(frame: Exclude<ClientFrame, HelloFrame | RegisterFrame>, joined: Joined, bytes: number): void {
    const { registry, attempts } = this.deps;
    try {
      switch (frame.type) {
        case 'result':
          return attempts.completed(frame, this.link, bytes);
        case 'ack':
          return attempts.acked(frame, this.link);
        case 'call':
          return this.#calls.call(frame);
        case 'find':
          return this.#find(frame);
        case 'cancel':
          return this.#calls.cancel(frame);
        case 'heartbeat':
          return this.#heartbeat(frame);
        case 'ready':
          return registry.ready(frame.instance, this.link);
        case 'drain':
          return registry.drainBySelf(frame.instance, this.link, frame.reason, frame.drainTimeoutMs);
        case 'goodbye':
          registry.goodbye(frame.instance, this.link);
          this.#instances.delete(frame.instance);
          return;
        case 'subscribe':
          return this.#streams.open(frame, {
            visible: (namespace) => inScope(joined.principal.scope, namespace),
            caller: () => this.#caller(),
          });
        case 'unsubscribe':
          this.#streams.close(frame.id);
          return;
        case 'broadcast':
          void this.#calls.broadcast(frame);
          return;
        case 'recalled':
          return attempts.recalled(frame, this.link);
        case 'progress':
          return attempts.progressed(frame, this.link);
        default:
          return frame satisfies never;
      }
    } catch (error) {
      this.#refuse(error, refOf(frame));
    }
  }

  async #hello(frame: HelloFrame): Promise<void> {
    const { access, epoch, serverVersion, maxFrameBytes, onRefused } = this.deps;
    if (this.#joined !== undefined) return this.end(CLOSE_CODES.INVALID_FRAME, 'hello was said already');
    if (frame.protocol !== PROTOCOL_VERSION) {
      return this.end(CLOSE_CODES.UNSUPPORTED_VERSION, `this server speaks protocol ${PROTOCOL_VERSION}`);
    }
    let principal: Principal;
    try {
      principal = await access.authenticate(frame.token);
      if (this.#closed) return;
    } catch (error) {
      if (this.#closed) return;
      const known = this.#known(error);
      this.link.send({ type: 'error', error: known.toWire() });
      if (known.code === 'STORAGE_UNAVAILABLE' || known.code === 'INTERNAL')
        return this.end(CLOSE_CODES.GOING_AWAY, 'try again later');
      onRefused('UNAUTHENTICATED');
      return this.end(CLOSE_CODES.UNAUTHENTICATED, 'the token is not valid');
    }
    this.#joined = { principal, incarnation: frame.incarnation };
    this.link.send({
      type: 'welcome',
      protocol: PROTOCOL_VERSION,
      connection: this.link.id,
      principal: principal.caller,
      namespace: principal.namespace ?? '',
      nodeEpoch: epoch,
      serverVersion,
      beatMs: BEAT_MS,
      limits: { maxFrameBytes },
    });
  }

  async #register(frame: RegisterFrame, { principal, incarnation }: Joined): Promise<void> {
    const { registry } = this.deps;
    try {
      const checked = checkRegistration(frame, registrantOf(frame, principal), [], this.deps.networkRecoveryMs);
      const { instance, resumed, lease } = await registry.join(checked, incarnation, this.link);
      this.#instances.add(instance.ref);
      this.link.send({
        type: 'registered',
        id: frame.id,
        agent: instance.agent,
        instance: instance.record.name,
        lease: { profile: profileOf(instance.settings.lease), ...lease },
        resumed,
      });
      // Before it knows that it is registered it answers no recall.
      this.deps.onJoined(instance);
    } catch (error) {
      if (!this.#closed) this.#refuse(error, frame.id);
    }
  }

  #heartbeat(frame: HeartbeatFrame): void {
    const registerAgain: InstanceRef[] = [];
    const seen = new Set<InstanceRef>();
    const instances: { instance: InstanceRef; intervalMs: number; ttlMs: number }[] = [];
    for (const report of frame.instances) {
      if (seen.has(report.instance)) continue;
      seen.add(report.instance);
      try {
        instances.push({
          instance: report.instance,
          ...this.deps.registry.heartbeat(report.instance, this.link, report),
        });
      } catch (error) {
        if (!(error instanceof ReachError) || error.code !== 'NOT_REGISTERED') throw error;
        registerAgain.push(report.instance);
      }
    }
    this.link.send({ type: 'heartbeat', instances, ...(registerAgain.length === 0 ? {} : { registerAgain }) });
  }

  #find(frame: FindFrame): void {
    const { registry, searches } = this.deps;
    searches.schedule(this, () => {
      if (this.#closed) return;
      try {
        const request = { ...frame, namespace: frame.namespace, limit: frame.limit ?? WIRE_LIMITS.defaultFound };
        const capabilities = findFor(registry.lookup, this.#caller(), request);
        this.link.send({ type: 'found', id: frame.id, capabilities });
      } catch (error) {
        this.#refuse(error, frame.id);
      }
    });
  }

  /** Who calls over this connection; made anew when the route table, and so roles, zone or domain, may have changed. */
  #caller(): CallerContext {
    const { registry } = this.deps;
    const { version } = registry.table;
    const { principal } = this;
    if (principal === undefined) throw new Error('nobody has said hello');
    const agent = principal.agent === undefined ? undefined : registry.agent(principal.agent.ref);
    if (this.#lastCaller?.version !== version || this.#lastCaller.agent !== agent) {
      this.#lastCaller = { version, agent, context: callerContext(principal, registry, this.link, this.#instances) };
    }
    return this.#lastCaller.context;
  }

  // --- ends ----------------------------------------------------------------------------------------------------

  #refuse(error: unknown, ref: string | undefined): void {
    const known = this.#known(error);
    const { principal } = this;
    if (principal !== undefined) {
      this.deps.audit.record({
        occurredAt: this.deps.wall(),
        kind: 'REFUSAL',
        namespace: principal.namespace ?? '',
        action: `refusal.${known.code}`,
        actor: principal.caller,
        target: ref ?? '',
        outcome: known.code,
        details: { reason: known.message, fields: known.fields },
      });
    }
    this.link.send({ type: 'error', ...(ref === undefined ? {} : { ref }), error: known.toWire() });
  }

  /** What the client may know of an error. */
  #known(error: unknown): ReachError {
    if (!(error instanceof ReachError) || error.code === 'INTERNAL') this.deps.onFault(error);
    return error instanceof ReachError
      ? error
      : new ReachError('INTERNAL', 'The server failed; its log has the details.');
  }
}

const CLOSE_GRACE_MS = 1_000;

/** What a frame calls itself, where a refusal of it names it. */
function refOf(frame: ClientFrame): string | undefined {
  if ('instance' in frame) return frame.instance;
  return 'id' in frame ? frame.id : undefined;
}

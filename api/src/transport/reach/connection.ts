import {
  type AuditRecorder,
  type CallFrame,
  CLOSE_CODES,
  type ClientFrame,
  type HealthStreamEvent,
  type HeartbeatFrame,
  type HelloFrame,
  type InstanceRef,
  PROTOCOL_VERSION,
  parseClientFrame,
  ReachError,
  type RegisterFrame,
  type SubscribeFrame,
  WIRE_LIMITS,
} from '@agent-reach/sdk/protocol';
import type { SocketLink } from '../../deliver/socket-link.js';
import type { AttemptEvents } from '../../execute/delivery.js';
import type { CallerContext, CallHandle, CallPort } from '../../execute/ports.js';
import { inScope, type Principal } from '../../governance/access/principal.js';
import type { AgentRecord } from '../../perceive/model.js';
import { checkRegistration } from '../../perceive/registration.js';
import type { Registry } from '../../perceive/registry.js';
import { callerContext } from '../caller-context.js';
import { replyFrame } from '../reply-frame.js';
import type { Authenticate } from './authenticate.js';

/** How often a connection must be heard, ms; three beats of silence close it. */
export const BEAT_MS = 10_000;

export interface ConnectionDeps {
  readonly access: Pick<Authenticate, 'authenticate'>;
  readonly registry: Registry;
  readonly calls: CallPort;
  readonly attempts: AttemptEvents;
  readonly epoch: string;
  readonly serverVersion: string;
  readonly maxFrameBytes: number;
  /** Where refusals after authentication go, each by itself. */
  readonly audit: AuditRecorder;
  readonly wall: () => number;
  /** Told of refusals before authentication and of unusable frames, which are summed. */
  readonly onRefused: (code: 'UNAUTHENTICATED' | 'INVALID_FRAME') => void;
  /** A fault of the server itself, for its log. */
  readonly onFault: (error: unknown) => void;
}

interface Held {
  readonly frames: { readonly frame: ClientFrame; readonly bytes: number }[];
  bytes: number;
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
  readonly #calls = new Map<string, CallHandle>();
  readonly #streams = new Map<string, AsyncIterator<unknown>>();
  /** Frames that wait for a hello or registration in progress; undefined: none is. */
  #held: Held | undefined;
  #caller:
    | { readonly version: number; readonly agent: AgentRecord | undefined; readonly context: CallerContext }
    | undefined;
  #closed = false;

  constructor(
    readonly link: SocketLink,
    private readonly deps: ConnectionDeps,
  ) {}

  get principal(): Principal | undefined {
    return this.#joined?.principal;
  }

  /** One message of the client. */
  receive(message: string): void {
    if (this.#closed) return;
    const bytes = message.length;
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
        return this.#refuse(parsed.error, parsed.ref);
      case 'FRAME':
        if (this.#held === undefined) this.#admit(parsed.frame, bytes);
        else this.#hold(parsed.frame, bytes);
        return;
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
    this.#held = undefined;
    this.deps.registry.linkClosed(this.link, this.#instances);
    for (const handle of this.#calls.values()) handle.cancel('CALLER_GONE');
    this.#calls.clear();
    for (const stream of this.#streams.values()) void stream.return?.();
    this.#streams.clear();
  }

  // --- order ---------------------------------------------------------------------------------------------------

  #hold(frame: ClientFrame, bytes: number): void {
    const held = this.#held;
    if (held === undefined) return;
    held.frames.push({ frame, bytes });
    held.bytes += bytes;
    const most = this.#joined === undefined ? HELD_BEFORE_HELLO : HELD;
    if (held.frames.length > most.frames || held.bytes > most.bytes) {
      this.end(CLOSE_CODES.TOO_LARGE, 'too much was sent before hello or registration was answered');
    }
  }

  #admit(frame: ClientFrame, bytes: number): void {
    if (frame.type === 'hello') return this.#while(this.#hello(frame));
    if (this.#joined === undefined) {
      this.deps.onRefused('UNAUTHENTICATED');
      return this.end(CLOSE_CODES.UNAUTHENTICATED, 'the first frame must be hello');
    }
    if (frame.type === 'register') return this.#while(this.#register(frame, this.#joined));
    this.#handle(frame, this.#joined, bytes);
  }

  /** Holds back what follows until the work is done. The work never rejects. */
  #while(work: Promise<void>): void {
    const held: Held = { frames: [], bytes: 0 };
    this.#held = held;
    void work.then(() => {
      if (this.#closed) return;
      this.#held = undefined;
      for (const [index, { frame, bytes }] of held.frames.entries()) {
        this.#admit(frame, bytes);
        if (this.#closed) return;
        // That frame has to be waited for as well: the rest is held again, ahead of what comes meanwhile.
        if (this.#held !== undefined) {
          for (const rest of held.frames.slice(index + 1)) this.#hold(rest.frame, rest.bytes);
          return;
        }
      }
    });
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
          return this.#call(frame, joined);
        case 'cancel':
          this.#calls.get(frame.requestId)?.cancel('CALLER');
          return;
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
          return this.#subscribe(frame, joined);
        case 'unsubscribe':
          void this.#streams.get(frame.id)?.return?.();
          this.#streams.delete(frame.id);
          return;
        case 'progress':
          // A task's progress reaches only a task; a short call has nobody to show it to.
          return;
        default:
          return frame satisfies never;
      }
    } catch (error) {
      this.#refuse(error, 'instance' in frame ? frame.instance : undefined);
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
      const checked = checkRegistration(frame, {
        namespace: principal.namespace ?? '',
        agent: agentOf(frame, principal),
        actor: principal.caller,
        enrolmentKeyId: principal.credential.kind === 'ENROLMENT_KEY' ? principal.credential.id : undefined,
      });
      const { instance, resumed, lease } = await registry.join(checked, incarnation, this.link);
      this.#instances.add(instance.ref);
      this.link.send({
        type: 'registered',
        id: frame.id,
        agent: instance.agent,
        instance: instance.record.name,
        lease: { profile: instance.settings.lease, ...lease },
        resumed,
      });
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

  #call(frame: CallFrame, { principal }: Joined): void {
    // The same frame again while it runs: the one reply that will come answers both.
    if (this.#calls.has(frame.requestId)) return;
    const caller = this.#callerOf(principal);
    let ended = false;
    const handle = this.deps.calls.start(frame, caller, (outcome) => {
      ended = true;
      this.#calls.delete(frame.requestId);
      this.link.send(replyFrame(outcome));
    });
    if (!ended) this.#calls.set(frame.requestId, handle);
  }

  /** Who calls over this connection; made anew when the route table, and so roles, zone or domain, may have changed. */
  #callerOf(principal: Principal): CallerContext {
    const { registry } = this.deps;
    const { version } = registry.table;
    const agent = principal.agent === undefined ? undefined : registry.agent(principal.agent.ref);
    if (this.#caller?.version !== version || this.#caller.agent !== agent) {
      this.#caller = { version, agent, context: callerContext(principal, registry, this.link, this.#instances) };
    }
    return this.#caller.context;
  }

  #subscribe(frame: SubscribeFrame, { principal }: Joined): void {
    if (this.#streams.has(frame.id)) throw new ReachError('CONFLICT', `A stream with the id ${frame.id} runs already.`);
    if (this.#streams.size >= MAX_STREAMS)
      throw new ReachError('RATE_LIMITED', `At most ${MAX_STREAMS} streams a connection.`);
    const stream = this.deps.registry.health.open({
      after: frame.after,
      filter: frame.filter,
      visible: (namespace) => inScope(principal.scope, namespace),
    });
    this.#streams.set(frame.id, stream);
    void this.#pump(frame.id, stream);
  }

  /** Takes the next item only when the last one is on its way, so that a slow reader gets the newest state of each. */
  async #pump(id: string, stream: AsyncIterableIterator<HealthStreamEvent>) {
    for await (const event of stream) {
      this.link.send({ type: 'event', id, event });
      for (let waited = 0; this.link.buffered > STREAM_BUFFER && !this.#closed; waited += PAUSE_MS) {
        if (waited > UNREAD_MS) this.end(CLOSE_CODES.TOO_SLOW, 'a stream was not read for a minute');
        await pause();
      }
    }
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

/** What may wait for a registration, and what of a stranger may wait for the answer to its hello. */
const HELD = { frames: 10_000, bytes: 4 * 1024 * 1024 };
const HELD_BEFORE_HELLO = { frames: 16, bytes: 16 * WIRE_LIMITS.preAuthFrameBytes };
const CLOSE_GRACE_MS = 1_000;
const MAX_STREAMS = 100;
/** Above this a stream waits with its next item. */
const STREAM_BUFFER = 1024 * 1024;

const PAUSE_MS = 50;
/** A stream that is not read for so long ends with its connection, ms. */
const UNREAD_MS = 60_000;

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}

/** The agent that registers: the token's own, or, with an enrolment key, the one that the frame names. */
function agentOf(frame: RegisterFrame, principal: Principal): string {
  if (principal.credential.kind === 'ENROLMENT_KEY') return frame.agent ?? '';
  const own = principal.agent?.ref;
  if (own === undefined) {
    throw new ReachError(
      'DENIED',
      `${principal.caller} is not an agent; register with an agent token or an enrolment key.`,
    );
  }
  const id = own.slice(own.indexOf('/') + 1);
  if (frame.agent !== undefined && frame.agent !== id) {
    throw new ReachError('DENIED', `This token is bound to the agent ${own}; it can't register ${frame.agent}.`, {
      fields: [{ path: 'agent', got: frame.agent, allowed: id }],
    });
  }
  return id;
}

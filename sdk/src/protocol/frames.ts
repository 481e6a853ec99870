import type { AgentKind, CapabilityDeclaration, CapabilityMode, JsonSchema } from './capability.js';
import type { WireError } from './errors.js';
import type { HealthFilter, HealthStreamEvent } from './health.js';
import type { LeaseChoice, LeaseProfile, LeaseTimes } from './lease.js';
import type { AgentRef, CallerRef, InstanceRef } from './names.js';
import type { RouteFilter, RouteStreamEvent } from './routes.js';
import type { TaskFilter, TaskStreamEvent } from './tasks.js';

/** The version of the wire protocol that this package speaks. */
export const PROTOCOL_VERSION = 1;

/** Any JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

// --- joining and leaving -------------------------------------------------------------------------------------------

/** The first frame of a connection: who this is. */
export interface HelloFrame {
  readonly type: 'hello';
  readonly protocol: number;
  readonly token: string;
  /** One life of this process, named by the process: unguessable, new at each start, the same on each reconnect. */
  readonly incarnation: string;
  readonly client?: { readonly name: string; readonly version: string };
}

export interface WelcomeFrame {
  readonly type: 'welcome';
  readonly protocol: number;
  readonly connection: string;
  /** As whom the server knows this connection. */
  readonly principal: CallerRef;
  readonly namespace: string;
  /** Changes when the server restarts. */
  readonly nodeEpoch: string;
  readonly serverVersion: string;
  /** The connection's own beat: some frame at least this often, else the server closes with 4408. */
  readonly beatMs: number;
  readonly limits: { readonly maxFrameBytes: number };
}

/** One instance joins; all that it reports replaces all that it reported before. */
export interface RegisterFrame {
  readonly type: 'register';
  /** Names this request in the answer. */
  readonly id: string;
  /** The agent's id within the namespace; may be left out when the token is bound to one agent. */
  readonly agent?: string;
  /** Stable name of this copy, unique within the agent. */
  readonly instance: string;
  /** Version of the agent's code, such as `1.4.2`. */
  readonly version: string;
  readonly agentType: string;
  readonly kind?: AgentKind;
  readonly description?: string;
  readonly owner?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly zone?: string;
  readonly capabilities: readonly CapabilityDeclaration[];
  /** How often it reports and how long it is believed without; default REALTIME. */
  readonly lease?: LeaseChoice;
  /** How long after registration the instance counts as READY by itself; default 3,000. `ready` ends it early. */
  readonly startupGraceMs?: number;
  /** Calls at once that this instance takes; default 100. */
  readonly maxConcurrency?: number;
  /** Calls beyond that the instance queues itself; default 0. */
  readonly maxQueue?: number;
  /** Tasks at once, beside the calls; default 100. */
  readonly maxTasks?: number;
  readonly drainTimeoutMs?: number;
}

export interface RegisteredFrame {
  readonly type: 'registered';
  readonly id: string;
  readonly agent: AgentRef;
  readonly instance: string;
  readonly lease: LeaseTimes & { readonly profile: LeaseProfile | 'CUSTOM' };
  /** True when this incarnation was known and its state moved over to this connection. */
  readonly resumed: boolean;
}

/** The instance is ready before its grace is over. */
export interface ReadyFrame {
  readonly type: 'ready';
  readonly instance: InstanceRef;
}

/** One instance's load as it reports it. All optional but the name. */
export interface InstanceReport {
  readonly instance: InstanceRef;
  /** Calls that it executes, tasks aside; those whose caller gave up included. */
  readonly inFlight?: number;
  /** Calls that wait in it. */
  readonly queueDepth?: number;
  /** 0 to 1 */
  readonly busy?: number;
  /** Utilisation of the instance's worker or connection pool, 0 to 1. */
  readonly pool?: number;
}

/** Agent → server: proof of life and load for many instances at once. */
export interface HeartbeatFrame {
  readonly type: 'heartbeat';
  readonly instances: readonly InstanceReport[];
}

/** Server → agent: the next interval and TTL, and the instances that have to register again. */
export interface HeartbeatAnswerFrame {
  readonly type: 'heartbeat';
  readonly instances: readonly {
    readonly instance: InstanceRef;
    readonly intervalMs: number;
    readonly ttlMs: number;
  }[];
  readonly registerAgain?: readonly InstanceRef[];
}

/** Either side: no new calls for this instance; running ones finish. The server sends it when an operator drains. */
export interface DrainFrame {
  readonly type: 'drain';
  readonly instance: InstanceRef;
  readonly reason?: string;
  readonly drainTimeoutMs?: number;
}

/** The instance leaves now. */
export interface GoodbyeFrame {
  readonly type: 'goodbye';
  readonly instance: InstanceRef;
}

// --- calling -------------------------------------------------------------------------------------------------------

/** Whom a call is for. At least one of `agent`, `type`, `capability` and `need`; what is given must all match. */
export interface CallTarget {
  /** Default: the caller's own namespace. */
  readonly namespace?: string;
  /** The agent's id within the namespace. */
  readonly agent?: string;
  readonly type?: string;
  /** May be left out with `agent` when that agent has exactly one capability. */
  readonly capability?: string;
  /**
   * What is needed, in words, instead of `capability`: the server looks for the capability that fits, and calls it only
   * when one clearly does; else NEED_UNCLEAR with the candidates. 1 to 500 characters.
   */
  readonly need?: string;
  /** All must match. */
  readonly tags?: readonly string[];
  /** Which versions of the agent may serve it: a semantic version range such as `^1.2`, or one exact version. */
  readonly versions?: string;
}

export interface CallFrame {
  readonly type: 'call';
  /** Names the call for ever: the same caller repeating it gets the same answer. 1 to 128 characters. */
  readonly requestId: string;
  readonly target: CallTarget;
  readonly params: JsonObject;
  /** The time that the caller allows from the server's receipt, queueing and retries included; default by policy. */
  readonly timeoutMs?: number;
  /** W3C trace context. */
  readonly traceparent?: string;
  /** Keeps calls with the same key on the same instance, where the policy uses affinity. */
  readonly affinityKey?: string;
  /** Preferred zone; default the caller's own. */
  readonly zone?: string;
  /** The dispatch that the caller is serving while it makes this call. */
  readonly serving?: string;
  /** Extra headers; only those that the capability declares go through. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Where the policy lets calls wait for room: higher goes first, 0 to 9; default 5. */
  readonly priority?: number;
  /** For a task: whom to tell when it is over. */
  readonly callback?: TaskCallback;
  /**
   * For a task: the time from its acceptance to its end, in ms; default 15 minutes. `timeoutMs` covers its acceptance.
   * What is no task is refused as INVALID_PARAMS with it.
   */
  readonly taskTimeoutMs?: number;
}

/** A webhook that is told of a task's end. */
export interface TaskCallback {
  /** http or https. */
  readonly url: string;
  /** What the message is signed with (HMAC-SHA-256), 16 to 256 characters; stored encrypted. */
  readonly secret: string;
}

/** Caller → server: one call to every instance that matches, answers collected. The fields are those of a call. */
export interface BroadcastFrame {
  readonly type: 'broadcast';
  readonly requestId: string;
  readonly target: CallTarget;
  readonly params: JsonObject;
  readonly timeoutMs?: number;
  readonly traceparent?: string;
  readonly serving?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What one instance answered to a broadcast. */
export type BroadcastAnswer =
  | { readonly instance: InstanceRef; readonly ok: true; readonly result: unknown; readonly durationMs: number }
  | { readonly instance: InstanceRef; readonly ok: false; readonly error: WireError; readonly durationMs: number };

/** Server → caller: what everybody answered within the time. */
export type GatheredFrame =
  | {
      readonly type: 'gathered';
      readonly requestId: string;
      readonly ok: true;
      readonly answers: readonly BroadcastAnswer[];
      readonly traceId: string;
    }
  | {
      readonly type: 'gathered';
      readonly requestId: string;
      readonly ok: false;
      readonly error: WireError;
      readonly traceId: string;
    };

/** Server → agent: execute this. */
export interface DispatchFrame {
  readonly type: 'dispatch';
  /** Names this one attempt; unguessable. */
  readonly dispatchId: string;
  readonly instance: InstanceRef;
  readonly requestId: string;
  readonly caller: CallerRef;
  readonly capability: string;
  readonly params: JsonObject;
  /** What is left of the time, in ms. */
  readonly timeoutMs: number;
  /** 1 for the first. */
  readonly attempt: number;
  readonly traceparent?: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Set for a task: its id, and which dispatch of it this is. Accept it with an ack; the result may come much later. */
  readonly task?: { readonly taskId: string; readonly epoch: number } | undefined;
}

export type RefusalReason = 'BUSY' | 'DRAINING' | 'RELOADING';

/** Agent → server: accepted or refused; says nothing about completion. */
export type AckFrame =
  | { readonly type: 'ack'; readonly dispatchId: string; readonly accepted: true }
  | {
      readonly type: 'ack';
      readonly dispatchId: string;
      readonly accepted: false;
      readonly reason: RefusalReason;
      readonly retryAfterMs?: number;
    };

/** Agent → server, for a task: how far it is. `sequence` grows by one. */
export interface ProgressFrame {
  readonly type: 'progress';
  readonly dispatchId: string;
  readonly sequence: number;
  readonly progress: JsonObject;
}

/** What an agent may answer instead of a result. */
export interface AgentFailure {
  /** BUSINESS_ERROR: the request cannot be fulfilled. AGENT_ERROR: the agent failed. OUTCOME_UNKNOWN: it does not know itself. */
  readonly code: 'BUSINESS_ERROR' | 'AGENT_ERROR' | 'OUTCOME_UNKNOWN';
  readonly message: string;
  readonly retryable?: boolean;
  readonly details?: JsonObject;
}

/** Agent → server: the completion. A result without an ack before it counts as its ack. */
export type ResultFrame =
  | { readonly type: 'result'; readonly dispatchId: string; readonly ok: true; readonly result: unknown }
  | { readonly type: 'result'; readonly dispatchId: string; readonly ok: false; readonly error: AgentFailure };

/** Server → agent, for a task: the result is stored, it need not be sent again. */
export interface ResultAckFrame {
  readonly type: 'resultAck';
  readonly dispatchId: string;
}

/** Server → agent, after a restart of the server: what became of this dispatch? */
export interface RecallFrame {
  readonly type: 'recall';
  readonly instance: InstanceRef;
  readonly dispatchId: string;
  readonly caller: CallerRef;
  readonly requestId: string;
  /** Of the dispatch: the same requestId may have been used for another one as well. */
  readonly capability?: string;
}

/**
 * Agent → server: what became of a dispatch. NEVER_SEEN: it did not come here. RUNNING: its result will come.
 * DONE: `ok` with its result or error. UNKNOWN: it began, and this process can't tell whether it was done.
 */
export type RecalledFrame =
  | {
      readonly type: 'recalled';
      readonly dispatchId: string;
      readonly state: 'NEVER_SEEN' | 'RUNNING' | 'UNKNOWN';
    }
  | {
      readonly type: 'recalled';
      readonly dispatchId: string;
      readonly state: 'DONE';
      readonly ok: true;
      readonly result: unknown;
    }
  | {
      readonly type: 'recalled';
      readonly dispatchId: string;
      readonly state: 'DONE';
      readonly ok: false;
      readonly error: AgentFailure;
    };

/** Where an answer came from, when it was not the one that the call was for. */
export type FallbackKind = 'AGENT' | 'STALE' | 'ANSWER';

/** How a call went, beside its result. */
export interface CallOutcomeInfo {
  readonly requestId: string;
  /** The instance that answered, if one did. */
  readonly instance?: InstanceRef | undefined;
  readonly attempts: number;
  readonly replayed?: boolean | undefined;
  /** It is the remembered answer of an equal call. */
  readonly cached?: boolean | undefined;
  /** Set when the policy's fallback gave it: another agent, an answer that is no longer fresh, or a fixed one. */
  readonly fallback?: FallbackKind | undefined;
  readonly traceId?: string | undefined;
}

/** Server → caller: the end of a call. */
export type ReplyFrame =
  | ({ readonly type: 'reply'; readonly ok: true; readonly result: unknown } & CallOutcomeInfo)
  | ({ readonly type: 'reply'; readonly ok: false; readonly error: WireError } & CallOutcomeInfo);

/** Server → caller: a task was accepted. */
export interface AcceptedFrame extends CallOutcomeInfo {
  readonly type: 'accepted';
  readonly taskId: string;
}

/** Caller → server: stop this call, or this task. */
export interface CancelCallFrame {
  readonly type: 'cancel';
  readonly requestId?: string;
  readonly taskId?: string;
}

export type CancelReason = 'CALLER' | 'CALLER_GONE' | 'DEADLINE' | 'SUPERSEDED' | 'OPERATOR';

/** Server → agent: stop this attempt. */
export interface CancelDispatchFrame {
  readonly type: 'cancel';
  readonly dispatchId: string;
  readonly reason: CancelReason;
}

// --- finding -------------------------------------------------------------------------------------------------------

/** Caller → server: which capabilities fit this text? */
export interface FindFrame {
  readonly type: 'find';
  /** Names this question in the answer. */
  readonly id: string;
  /** What is needed, in words. 1 to 500 characters. */
  readonly text: string;
  /** Default: the caller's own namespace. */
  readonly namespace?: string;
  /** At most so many, 1 to 50; default 10. */
  readonly limit?: number;
}

/** A capability that the caller may use and that fits a text. */
export interface FoundCapability {
  readonly namespace: string;
  readonly capability: string;
  readonly aliases: readonly string[];
  readonly description: string;
  readonly tags: readonly string[];
  readonly idempotent: boolean;
  readonly mode: CapabilityMode;
  /** Schema of the parameters; absent when it is larger than 8 KiB. */
  readonly inputSchema?: JsonSchema;
  /** How well it fits, higher is better; comparable only within one answer. */
  readonly score: number;
}

/** Server → caller: what was found, best first. */
export interface FoundFrame {
  readonly type: 'found';
  readonly id: string;
  readonly capabilities: readonly FoundCapability[];
}

// --- streams -------------------------------------------------------------------------------------------------------

/** Client → server: begin a stream. */
export interface SubscribeFrame {
  readonly type: 'subscribe';
  readonly id: string;
  readonly stream: 'health' | 'tasks' | 'routes';
  /** Position after which to go on; without it the stream begins with a snapshot. */
  readonly after?: string;
  /** Of health: `namespace`, `agent`, `capability`, `lifecycle`, `health`. Of routes: `namespace`. Of tasks: `taskId`. */
  readonly filter?: HealthFilter | RouteFilter | TaskFilter;
}

export interface UnsubscribeFrame {
  readonly type: 'unsubscribe';
  readonly id: string;
}

/** Server → client: the next item of a stream. */
export interface StreamFrame {
  readonly type: 'event';
  readonly id: string;
  readonly event: HealthStreamEvent | RouteStreamEvent | TaskStreamEvent;
}

// --- faults --------------------------------------------------------------------------------------------------------

/** Server → client: a frame could not be taken. `ref` is its id, requestId, dispatchId or instance, where it had one. */
export interface ErrorFrame {
  readonly type: 'error';
  readonly ref?: string;
  readonly error: WireError;
}

export type ClientFrame =
  | HelloFrame
  | RegisterFrame
  | ReadyFrame
  | HeartbeatFrame
  | DrainFrame
  | GoodbyeFrame
  | CallFrame
  | BroadcastFrame
  | CancelCallFrame
  | FindFrame
  | AckFrame
  | ProgressFrame
  | ResultFrame
  | RecalledFrame
  | SubscribeFrame
  | UnsubscribeFrame;

export type ServerFrame =
  | WelcomeFrame
  | RegisteredFrame
  | HeartbeatAnswerFrame
  | DrainFrame
  | DispatchFrame
  | CancelDispatchFrame
  | RecallFrame
  | ResultAckFrame
  | ReplyFrame
  | GatheredFrame
  | AcceptedFrame
  | FoundFrame
  | StreamFrame
  | ErrorFrame;

/** WebSocket close codes of `/reach`. */
export const CLOSE_CODES = {
  /** The server is stopping; reconnect. */
  GOING_AWAY: 1001,
  /** A frame over the limit. */
  TOO_LARGE: 1009,
  /** Not JSON, not an object, unknown type, or a frame that only the other side sends. */
  INVALID_FRAME: 4400,
  /** Token missing or wrong, or `hello` was not the first frame. Do not reconnect with the same token. */
  UNAUTHENTICATED: 4401,
  /** The token expired or was revoked while the connection was open. */
  TOKEN_ENDED: 4403,
  /** No `hello` within 5 s, or no frame within three beats. */
  TIMED_OUT: 4408,
  /** The protocol version is not supported. */
  UNSUPPORTED_VERSION: 4409,
  /** This connection read too slowly. */
  TOO_SLOW: 4413,
} as const;

/** Bounds of the wire. */
export const WIRE_LIMITS = {
  /** Bytes of one frame before authentication. */
  preAuthFrameBytes: 4096,
  /** Bytes of one frame after it, by default. */
  frameBytes: 1_048_576,
  /** Milliseconds until `hello` must have come. */
  helloTimeoutMs: 5000,
  maxRequestIdLength: 128,
  maxTimeoutMs: 3_600_000,
  /** Longest time from a task's acceptance to its end: a day. */
  maxTaskTimeoutMs: 86_400_000,
  /** Priorities go from 0 to this. */
  maxPriority: 9,
  defaultPriority: 5,
  /** Instances that one broadcast reaches at most. */
  maxBroadcast: 1_000,
  /** Characters of a need, or of a text to find capabilities by. */
  maxSearchText: 500,
  /** Capabilities that one search answers at most, and by default. */
  maxFound: 50,
  defaultFound: 10,
} as const;

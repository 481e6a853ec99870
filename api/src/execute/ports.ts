import type { Domain, PolicySet, RecordedDecision, RouteExplanation } from '@agent-reach/sdk/decide';
import type {
  AgentRef,
  BroadcastAnswer,
  CallerRef,
  CallTarget,
  FallbackKind,
  InstanceRef,
  JsonObject,
  TaskCallback,
  WireError,
} from '@agent-reach/sdk/protocol';
import type { Instance, Link } from '../perceive/instance.js';

/** Who calls, as the transport authenticated it. */
export interface CallerContext {
  readonly caller: CallerRef;
  /** Default namespace of targets; undefined for people. */
  readonly namespace: string | undefined;
  readonly roles: readonly string[];
  readonly zone: string | undefined;
  /** People and programs: PRODUCTION. */
  readonly domain: Domain;
  /** Whether a namespace may be named in errors and explanations. */
  readonly visible: (namespace: string) => boolean;
  /** The person or program that sends as `caller`, where that is another. */
  readonly sentBy: CallerRef | undefined;
  /** The connection of an agent that calls; names the dispatches that it may serve. */
  readonly link: Link | undefined;
  /** The instances that joined over that connection: what they serve, the call may be a part of. */
  readonly serves: ReadonlySet<InstanceRef> | undefined;
}

/** A call as it comes in, its shape already checked by the transport. */
export interface CallRequest {
  readonly requestId: string;
  readonly target: CallTarget;
  readonly params: JsonObject;
  readonly timeoutMs?: number | undefined;
  readonly traceparent?: string | undefined;
  readonly affinityKey?: string | undefined;
  readonly zone?: string | undefined;
  readonly serving?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** 0 to 9, for where the policy lets calls wait. */
  readonly priority?: number | undefined;
  readonly callback?: TaskCallback | undefined;
  readonly taskTimeoutMs?: number | undefined;
  /** Only this instance: one of the calls that a broadcast consists of. */
  readonly only?: InstanceRef | undefined;
  /** The broadcast that it is a part of, by its requestId: what draws versions and domains, and was charged already. */
  readonly partOf?: string | undefined;
}

/** The end of a call. */
export type CallOutcome = {
  readonly requestId: string;
  readonly attempts: number;
  readonly instance: InstanceRef | undefined;
  readonly agent: AgentRef | undefined;
  readonly capability: string | undefined;
  readonly replayed: boolean;
  /** The remembered answer of an equal call. */
  readonly cached: boolean;
  readonly fallback: FallbackKind | undefined;
  /** Set when a task was accepted: then this is not its end. */
  readonly taskId: string | undefined;
  readonly durationMs: number;
  readonly traceId: string;
} & ({ readonly ok: true; readonly result: unknown } | { readonly ok: false; readonly error: WireError });

/** A call that runs. */
export interface CallHandle {
  /** The caller cancelled, or went away. Without effect once the call has ended. */
  cancel(reason: 'CALLER' | 'CALLER_GONE'): void;
}

/** The way into execution, for every transport. */
export interface CallPort {
  /**
   * Runs a call; `onEnd` is called exactly once, possibly before this returns. For transports that avoid promises.
   * `cancelled`: the caller gave it up before it could begin, so it is put on record and nothing is sent.
   */
  start(
    request: CallRequest,
    caller: CallerContext,
    onEnd: (outcome: CallOutcome) => void,
    cancelled?: boolean,
  ): CallHandle;
  /**
   * Runs a call to its end; never rejects. Its audit record is in the journal's file when the promise resolves.
   * `signal` aborted means the caller cancelled or went away.
   */
  call(request: CallRequest, caller: CallerContext, signal?: AbortSignal): Promise<CallOutcome>;
}

/** How a broadcast ended: what everybody answered, or why nobody was asked. */
export type BroadcastOutcome =
  | { readonly requestId: string; readonly traceId: string; readonly answers: readonly BroadcastAnswer[] }
  | { readonly requestId: string; readonly traceId: string; readonly error: WireError };

/** One call to every instance that matches. */
export interface BroadcastPort {
  /** Resolves when everybody answered or the time is over; never rejects. `signal` aborted: the caller went away. */
  broadcast(request: CallRequest, caller: CallerContext, signal?: AbortSignal): Promise<BroadcastOutcome>;
}

/** Hears how attempts went, as far as that says something about their instance. */
export interface AttemptOutcomes {
  /** `startedAt`: monotonic ms. An accepted task is heard of when it is over. */
  ended(instance: Instance, failed: boolean, startedAt: number): void;
}

/** Remembers a sample of the calls as they were decided, so that other policies can be tried on them. */
export interface RecentCallsPort {
  /** Whether the next call is to be recorded: asked once for each call, before it is decided. `wall`: ms since 1970. */
  wants(wall: number): boolean;
  add(recorded: RecordedDecision, wall: number): void;
}

/** Asks the router where a call would go, and why, without sending it. */
export interface ExplainPort {
  explain(
    request: Pick<CallRequest, 'requestId' | 'target' | 'affinityKey' | 'zone'>,
    caller: CallerContext,
    /** Policies to decide by instead of those in force. */
    policies?: PolicySet,
  ): RouteExplanation;
}

/** Finds what a need (`CallTarget.need`) means before the call is decided. Implemented by perceive's CapabilityLookup. */
export interface NeedResolver {
  /**
   * The capability that clearly fits and that the caller may call; otherwise NEED_UNCLEAR with `details.candidates`, or
   * NO_ROUTE when nothing fits. `target`: what else the call says of whom it is for narrows the search.
   */
  resolve(
    need: string,
    caller: Pick<CallerContext, 'caller' | 'roles'>,
    namespace: string,
    target?: Pick<CallTarget, 'agent' | 'type' | 'tags'>,
  ): { readonly capability: string } | { readonly error: WireError };
}

import type { Candidate, Decision, FallbackStep, Policy } from '@agent-reach/sdk/decide';
import type { AttemptRecord, CallTarget, FallbackKind, InstanceRef, WireError } from '@agent-reach/sdk/protocol';
import type { Instance } from '../../perceive/instance.js';
import type { Attempt } from '../attempts/attempt.js';
import type { Timer } from '../attempts/timing-wheel.js';
import type { Ticket } from '../capacity/wait-queue.js';
import type { Hold } from '../idempotency/hold.js';
import type { CallerContext, CallOutcome, CallRequest } from '../ports.js';
import type { Rests } from '../retry/rests.js';
import type { CallEnd } from './call-outcome.js';
import type { Chain } from './loops.js';
import type { TraceContext } from './trace-context.js';
import type { Leave, Waiters } from './waiters.js';

/** Where a call is. */
export type CallState =
  | { readonly name: 'DECIDING' }
  /** Nobody can take it now: all are full, or not back yet after a restart of the server. Times are monotonic ms. */
  | {
      readonly name: 'QUEUED';
      readonly since: number;
      readonly until: number;
      readonly ticket: Ticket<CallRun>;
      /** How it ends when that was in vain. */
      readonly late: WireError;
    }
  /** A place is reserved; what allows the attempt is being made durable. */
  | { readonly name: 'HOLDING'; readonly attempt: Attempt }
  /** It failed with nothing sent (`error`); whether an earlier call of its requestId was executed is being looked up. */
  | { readonly name: 'LOOKING_UP'; readonly error: WireError; readonly leave: () => void }
  /** An earlier server began to execute it; what became of that is being found out. */
  | { readonly name: 'RECALLING'; readonly leave: () => void }
  | { readonly name: 'RUNNING'; readonly attempt: Attempt }
  | { readonly name: 'WAITING'; readonly since: number }
  /** It is over, and its outcome is being made durable. */
  | { readonly name: 'STORING'; readonly end: CallEnd }
  /** It waits for the outcome of another: of the same requestId (`same`), or of an equal call. */
  | { readonly name: 'JOINED'; readonly first: CallRun; readonly leave: Leave; readonly same: boolean }
  | { readonly name: 'ENDED' };

/** One logical call, from its request to its one outcome. */
export interface CallRun {
  readonly request: CallRequest;
  readonly caller: CallerContext;
  /** Caller and requestId: what makes a repetition. */
  readonly key: string;
  /** The target's namespace. */
  namespace: string;
  /** The request's target; a need in it is replaced by what it was found to mean, an agent by its backup. */
  target: CallTarget;
  readonly trace: TraceContext;
  readonly chain: Chain | undefined;
  /** The attempt in whose service it is made. */
  readonly serving: Attempt | undefined;
  readonly paramsHash: string;
  /** Monotonic ms of its receipt. */
  readonly startedAt: number;
  readonly onEnd: (outcome: CallOutcome) => void;
  state: CallState;
  /** Monotonic ms; set by the first decision, because its default depends on the policy. */
  deadlineAt: number;
  /** The caller named the deadline, so running into it says nothing about the instance. */
  readonly deadlineByCaller: boolean;
  /** Made when the call first has to wait by itself. */
  timer: Timer | undefined;
  readonly attempts: AttemptRecord[];
  /** Made when the call is decided a second time; until then `last` says it. */
  tried: Set<InstanceRef> | undefined;
  /** Who refused it and said for how long; made for the first of them. */
  rests: Rests | undefined;
  repeatedUnanswered: boolean;
  /** Dispatches that got no answer and whose answer would still count. */
  unanswered: string[] | undefined;
  /**
   * FIRST executes for its requestId and holds the memory of it; AGAIN dispatches a task again. Both count as open;
   * duplicates and conflicts do not execute.
   */
  executes: 'NOT' | 'FIRST' | 'AGAIN';
  /** Its own caller gave it up, or its time is over, but others wait for it. */
  abandoned: 'CALLER' | 'CALLER_GONE' | 'DEADLINE' | undefined;
  /** Its own caller has heard that its time is over. */
  told: boolean;
  /** How the latest attempt failed, when another follows. */
  lastError: WireError | undefined;
  /** The candidate of the latest attempt: who may have given the outcome, whatever was decided since. */
  last: Candidate<Instance> | undefined;
  /** The latest decision, for audit. */
  decision: Decision<Instance> | undefined;
  policy: Policy | undefined;
  /** What makes it durable; undefined while nothing does. */
  hold: Hold | undefined;
  /** It was counted against its caller's rate limit, or is not to be. */
  charged: boolean;
  /** Under which its answer is remembered; set when it may be. */
  cacheKey: string | undefined;
  /** The fallback of the policy that it failed under first, whatever policy a backup comes under. */
  steps: readonly FallbackStep[] | undefined;
  /** The next of them that may be tried. */
  fallbackStep: number;
  /** The failure that made the fallback begin; what the caller hears when no step gives an answer. */
  failure: WireError | undefined;
  fallback: FallbackKind | undefined;
  /** Attempts that were made before the present target. */
  earlierAttempts: number;
  cached: boolean;
  /** Its outcome must not be given to repetitions from memory: the database knows better, or it was a makeshift. */
  forgotten: boolean;
  /** It was looked up whether an earlier call of its requestId was executed. */
  lookedUp: boolean;
  /** Duplicates that wait for its outcome; made for the first of them. */
  waiters: Waiters<CallOutcome> | undefined;
}

/** An instance that is chosen again only when nobody else is left. */
export function markTried(run: CallRun, { ref }: Pick<Instance, 'ref'>): void {
  run.tried ??= new Set();
  run.tried.add(ref);
}

/** What is known of a call when it is received. */
export type ReceivedCall = Pick<
  CallRun,
  'request' | 'caller' | 'trace' | 'chain' | 'serving' | 'paramsHash' | 'startedAt' | 'onEnd'
>;

/** A call that has just been received and not been decided yet. */
export function createCallRun(received: ReceivedCall): CallRun {
  const { request, caller, trace, chain, serving, paramsHash, startedAt, onEnd } = received;
  return {
    request,
    caller,
    key: `${caller.caller} ${request.requestId}`,
    namespace: request.target.namespace ?? caller.namespace ?? '',
    target: request.target,
    trace,
    chain,
    serving,
    paramsHash,
    startedAt,
    onEnd,
    state: { name: 'DECIDING' },
    deadlineAt: request.timeoutMs === undefined ? Number.POSITIVE_INFINITY : startedAt + request.timeoutMs,
    deadlineByCaller: request.timeoutMs !== undefined,
    timer: undefined,
    attempts: [],
    tried: undefined,
    rests: undefined,
    repeatedUnanswered: false,
    unanswered: undefined,
    executes: 'NOT',
    abandoned: undefined,
    told: false,
    lastError: undefined,
    last: undefined,
    decision: undefined,
    policy: undefined,
    hold: undefined,
    charged: request.partOf !== undefined,
    cacheKey: undefined,
    steps: undefined,
    fallbackStep: 0,
    failure: undefined,
    fallback: undefined,
    earlierAttempts: 0,
    cached: false,
    forgotten: false,
    lookedUp: false,
    waiters: undefined,
  };
}

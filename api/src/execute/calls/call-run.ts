import type { Candidate, Decision, Policy } from '@agent-reach/sdk/decide';
import type { AttemptRecord, CallTarget, InstanceRef, WireError } from '@agent-reach/sdk/protocol';
import type { Instance } from '../../perceive/instance.js';
import type { Attempt } from '../attempts/attempt.js';
import type { Timer } from '../attempts/timing-wheel.js';
import type { Leave } from '../idempotency/replays.js';
import type { CallerContext, CallOutcome, CallRequest } from '../ports.js';
import type { Chain } from './loops.js';
import type { TraceContext } from './trace-context.js';

/** Where a call is. */
export type CallState =
  | { readonly name: 'DECIDING' }
  | { readonly name: 'RUNNING'; readonly attempt: Attempt }
  | { readonly name: 'WAITING'; readonly since: number }
  /** A duplicate that waits for the outcome of the first. */
  | { readonly name: 'JOINED'; readonly first: CallRun; readonly leave: Leave }
  | { readonly name: 'ENDED' };

/** One logical call, from its request to its one outcome. */
export interface CallRun {
  readonly request: CallRequest;
  readonly caller: CallerContext;
  /** Caller and requestId: what makes a repetition. */
  readonly key: string;
  /** The target's namespace. */
  readonly namespace: string;
  /** The request's target; a need in it is replaced by the capability that it was found to mean. */
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
  tried: Set<InstanceRef> | undefined;
  repeatedUnanswered: boolean;
  /** It executes, and so is counted as open and holds the memory of its requestId; duplicates and conflicts never do. */
  executes: boolean;
  /** Its own caller gave it up, but others wait for it. */
  abandoned: 'CALLER' | 'CALLER_GONE' | undefined;
  /** How the latest attempt failed, when another follows. */
  lastError: WireError | undefined;
  /** The candidate of the latest attempt: who may have given the outcome, whatever was decided since. */
  last: Candidate<Instance> | undefined;
  /** The latest decision, for audit. */
  decision: Decision<Instance> | undefined;
  policy: Policy | undefined;
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
    repeatedUnanswered: false,
    executes: false,
    abandoned: undefined,
    lastError: undefined,
    last: undefined,
    decision: undefined,
    policy: undefined,
  };
}

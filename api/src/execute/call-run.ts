import type { Decision, Policy } from '@agent-reach/sdk/decide';
import type { AgentRef, AttemptRecord, InstanceRef, WireError } from '@agent-reach/sdk/protocol';
import type { Instance } from '../perceive/instance.js';
import type { Attempt } from './attempt.js';
import type { CallerContext, CallOutcome, CallRequest } from './ports.js';
import type { Leave } from './replays.js';
import type { Timer } from './timing-wheel.js';
import type { TraceContext } from './trace-context.js';

/** Where a call is. */
export type CallState =
  | { readonly name: 'DECIDING' }
  | { readonly name: 'RUNNING'; readonly attempt: Attempt }
  | { readonly name: 'WAITING'; readonly since: number }
  /** A duplicate that waits for the outcome of the first. */
  | { readonly name: 'JOINED'; readonly first: CallRun; readonly leave: Leave }
  | { readonly name: 'ENDED' };

/** The agents that a call came through, newest first; what loops are judged by. */
export interface Chain {
  readonly agent: AgentRef;
  readonly depth: number;
  readonly above: Chain | undefined;
}

/** One logical call, from its request to its one outcome. */
export interface CallRun {
  readonly request: CallRequest;
  readonly caller: CallerContext;
  /** Caller and requestId: what makes a repetition. */
  readonly key: string;
  /** The target's namespace. */
  readonly namespace: string;
  readonly trace: TraceContext;
  readonly chain: Chain | undefined;
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
  /** The latest decision, for audit. */
  decision: Decision<Instance> | undefined;
  policy: Policy | undefined;
}

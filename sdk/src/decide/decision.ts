import type { InstanceRef } from '../protocol/index.js';
import type { Candidate, RouteInstance } from './candidate.js';
import { type BindingExplanation, STAGES, type Stage, type StageCount } from './explanation.js';
import type { Policy } from './policy.js';
import type { MissingPermission } from './request.js';
import type { Strategy, StrategyContext } from './strategies/strategy.js';

/** The error that a call gets when nobody is left. */
export type NoChoice = 'NO_ROUTE' | 'DENIED' | 'OVERLOADED' | 'CIRCUIT_OPEN';

export interface Ranked<I extends RouteInstance> {
  readonly candidate: Candidate<I>;
  readonly score: number;
}

/** An affinity key and the instance that it is bound to from now on. */
export interface KeyBinding {
  /** The whole key, as `bindingKey` makes it. */
  readonly key: string;
  readonly ref: InstanceRef;
  readonly version: string;
  /** As explanations say it. */
  readonly kind: BindingExplanation['kind'];
  /** The lost instance that it was bound to. */
  readonly from: InstanceRef | undefined;
}

/** What a choice changes beside the in-flight count and the probe slot; `RouteTable.applied` does it. */
export interface Effects<I extends RouteInstance> {
  readonly strategy: Strategy;
  readonly context: StrategyContext<I>;
  readonly binding: KeyBinding | undefined;
}

interface Common {
  readonly policy: Policy;
  /** How many match the target. */
  readonly matched: number;
  /** How many candidates each stage kept, in the order of STAGES. */
  readonly kept: readonly number[];
  /** How many were drawn to go through the stages after TARGET; undefined: all. */
  readonly sampled: number | undefined;
}

export interface Choice<I extends RouteInstance> extends Common {
  readonly outcome: 'OK';
  readonly choice: Candidate<I>;
  /** The best three, the choice first. */
  readonly ranked: readonly Ranked<I>[];
  /** Effect to apply in the same tick: the choice takes the probe slot of a breaker that is not closed. */
  readonly takesProbe: boolean;
  /** Undefined when there are none, or when they were applied. */
  effects: Effects<I> | undefined;
}

/** So many candidates fell for one reason. */
export interface ReasonCount {
  /** Few words, such as `DRAINING` or `in zone south`. */
  readonly reason: string;
  readonly count: number;
}

export interface NoneLeft<I extends RouteInstance> extends Common {
  readonly outcome: NoChoice;
  /** The stage that dropped the last of them. */
  readonly stage: Stage;
  /** Why that stage dropped them, the most frequent reason first; empty when nobody was there to begin with. */
  readonly reasons: readonly ReasonCount[];
  /** Permissions whose absence (or DENY) dropped candidates, the first few; set for DENIED. */
  readonly missing: readonly MissingPermission[];
  /** A candidate that the caller may call, so that parameters can be checked even when nobody is free. */
  readonly permitted: Candidate<I> | undefined;
  /** The capabilities to choose from, when the target names an agent with several and none of them. */
  readonly ambiguous: readonly string[] | undefined;
}

export type Decision<I extends RouteInstance = RouteInstance> = Choice<I> | NoneLeft<I>;

/** The counts as people read them: how many came to each stage and how many it kept. */
export function stageCounts({ matched, kept, sampled }: Pick<Common, 'matched' | 'kept' | 'sampled'>): StageCount[] {
  return STAGES.map((stage, index) => ({
    stage,
    entered: index === 0 ? matched : index === 1 && sampled !== undefined ? sampled : (kept[index - 1] ?? 0),
    kept: kept[index] ?? 0,
  }));
}

/** The error that the stage names which left nobody. */
export function outcomeOf(stage: Stage): NoChoice {
  switch (stage) {
    case 'PERMISSION':
      return 'DENIED';
    case 'CAPACITY':
      return 'OVERLOADED';
    case 'BREAKER':
      return 'CIRCUIT_OPEN';
    case 'TARGET':
    case 'LIFECYCLE':
    case 'DOMAIN':
    case 'ZONE':
    case 'STRATEGY':
      return 'NO_ROUTE';
    default:
      return stage satisfies never;
  }
}

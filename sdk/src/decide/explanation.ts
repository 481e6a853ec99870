import type { InstanceRef } from '../protocol/index.js';
import type { StrategyName } from './policy.js';
import type { Rollout } from './policy-rollout.js';

/** The stages of a decision, in their order. */
export const STAGES = [
  'TARGET',
  'PERMISSION',
  'LIFECYCLE',
  'DOMAIN',
  'ZONE',
  'CAPACITY',
  'BREAKER',
  'STRATEGY',
] as const;
export type Stage = (typeof STAGES)[number];

/** How many candidates came to a stage and how many it kept. */
export interface StageCount {
  readonly stage: Stage;
  readonly entered: number;
  readonly kept: number;
}

/** Why one candidate was kept or dropped. */
export interface CandidateExplanation {
  readonly instance: InstanceRef;
  readonly kept: boolean;
  /** The stage at which it was dropped, or STRATEGY. */
  readonly stage: Stage;
  readonly reason: string;
  readonly score: number | undefined;
  /** What the score is made of, by name. */
  readonly parts: Readonly<Record<string, number>> | undefined;
}

/** What the call's affinity key is bound to once this decision is carried out. */
export interface BindingExplanation {
  readonly instance: InstanceRef;
  /** KEPT: it was bound to it before. NEW: it was bound to nobody. MOVED: the instance that it was bound to is lost. */
  readonly kind: 'KEPT' | 'NEW' | 'MOVED';
  /** The lost instance, when it moved. */
  readonly from: InstanceRef | undefined;
}

/** The policy version that a decision followed. */
export interface PolicyExplanation {
  readonly id: string | null;
  readonly name: string;
  readonly version: number;
  readonly strategy: StrategyName;
}

/** A decision with every candidate, made by the code that decides. */
export interface RouteExplanation {
  /** `OK`, or the error code that a call would get. */
  readonly outcome: string;
  readonly chosen: InstanceRef | undefined;
  readonly message: string;
  readonly policy: PolicyExplanation;
  /** Set while the policy's newest version is for a part of the calls only; `policy.version` says which one this call uses. */
  readonly rollout: Rollout | undefined;
  /** The namespace's share for canaries, in percent, where it decided into which domain the call falls. */
  readonly canaryPercent: number | undefined;
  /** Undefined when the call has no affinity key, or its policy binds none. */
  readonly binding: BindingExplanation | undefined;
  readonly stages: readonly StageCount[];
  readonly candidates: readonly CandidateExplanation[];
  /** What could not be evaluated, in sentences; empty when the answer is what a call would get. */
  readonly unknown: readonly string[];
  readonly tableVersion: string;
}

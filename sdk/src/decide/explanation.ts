import type { InstanceRef } from '../protocol/index.js';
import type { StrategyName } from './policy.js';

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

/** A decision with every candidate, made by the code that decides. */
export interface RouteExplanation {
  /** `OK`, or the error code that a call would get. */
  readonly outcome: string;
  readonly chosen: InstanceRef | undefined;
  readonly message: string;
  readonly policy: {
    readonly id: string | null;
    readonly name: string;
    readonly version: number;
    readonly strategy: StrategyName;
  };
  readonly stages: readonly StageCount[];
  readonly candidates: readonly CandidateExplanation[];
  readonly tableVersion: string;
}

import type { InstanceRef } from '../../protocol/index.js';
import type { Candidate, CandidateList, RouteInstance } from '../candidate.js';
import type { StrategySettings } from '../policy.js';
import type { Instant, RouteRequest } from '../request.js';
import type { OnDropped } from '../stages.js';
import type { TargetMatch } from '../target-match.js';

/** What a candidate's score is made of, by name; only explanations ask for it. */
export type ScoreParts = Readonly<Record<string, number>>;

/** What a strategy may look at beside the candidates: one object for each pass through the stages. */
export interface StrategyContext<I extends RouteInstance = RouteInstance> {
  readonly request: RouteRequest;
  readonly now: Instant;
  /** Returns a number in [0, 1). */
  readonly random: () => number;
  /** The instance that the request's affinity key is bound to, or will be bound to when it is chosen now. */
  readonly bound: InstanceRef | undefined;
  /** The target's candidates before any stage; `match.narrowed(agents)` are those of some agents, found by index. */
  readonly match: TargetMatch<I>;
  /** Those of the match whose agents the policy lists; the very match when it lists none. */
  readonly listed: TargetMatch<I>;
  /** Up to `count` of the best placed candidates of a match (in the call's domain, version range and zone), drawn by lot. */
  lot(match: TargetMatch<I>, count: number): Candidate<I>[];
  /** Whether the pool holds (what is left of) the answer of this strategy's `draw`, in its order. */
  readonly drawn: boolean;
  /** Whether any of the match is for tasks; else nobody's mode need be asked. */
  readonly hasTasks: boolean;
  /** Whether any of those that came through the stages is in slow start; else nobody's need be asked. */
  readonly ramps: boolean;
  /** What `narrow` leaves for `score`, `parts`, `note` and `chosen` of the same decision. Starts undefined. */
  scratch: unknown;
}

/**
 * Chooses among the candidates that came through all stages. After `narrow`, where there is one, the highest score
 * wins and equal scores are drawn by lot.
 *
 * Everything but `chosen` and `restore` only reads, since explanations call it too. What a strategy remembers belongs
 * to one version of one policy (`strategyOf`) and, where it concerns a candidate, goes when the candidate goes.
 */
export interface Strategy {
  /** Whether whoever is ahead gets the calls, however little that is: then a slow start needs a lot, and less weight won't do. */
  readonly bestTakesAll?: true;
  score(candidate: Candidate, context: StrategyContext): number;
  parts(candidate: Candidate, context: StrategyContext): ScoreParts;
  /** Narrows the pool in place before scoring; an emptied pool means that a drawn one won't do and all must be looked at. */
  narrow?(pool: Candidate[], context: StrategyContext, onDropped?: OnDropped): void;
  /**
   * For more candidates than are looked at one by one: up to `count` of a list to look at; undefined: all of them.
   * A strategy without it gets a sample drawn by lot, also of those that came through all stages; one with it is never
   * cut by lot.
   *
   * @param list the candidates that are in the call's domain, version range and zone. The object is the same each time
   * while the table keeps such a list, so what was built from it can be kept in a WeakMap beside its `revision`.
   */
  draw?(list: CandidateList, context: StrategyContext, count: number): readonly Candidate[] | undefined;
  /** A sentence for explanations when the choice did not come about in the usual way, such as a fallback. After `narrow`. */
  note?(context: StrategyContext): string | undefined;
  /** The effect of a choice, applied in the tick of the decision, with its very context (`lot` is not to be used then). */
  chosen?(candidate: Candidate, context: StrategyContext): void;
  /** What the next decision for these candidates reads of this strategy's memory, as plain JSON; for recorded decisions. `capability`: the match's name for it. */
  capture?(candidates: readonly Candidate[], capability: string): unknown;
  /** Puts a captured memory back, for the same candidates in the same order; for a strategy made to replay a decision. */
  restore?(state: unknown, candidates: readonly Candidate[], capability: string): void;
}

export type StrategyFactory<N extends StrategySettings['name']> = (
  settings: Extract<StrategySettings, { name: N }>,
) => Strategy;

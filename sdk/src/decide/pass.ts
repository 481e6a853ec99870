import type { InstanceRef } from '../protocol/index.js';
import type { Binding } from './affinity.js';
import type { Candidate, Domain, RouteInstance } from './candidate.js';
import type { CandidateCell } from './candidate-cell.js';
import type { DomainChoice } from './domain-choice.js';
import { bestCells, bestPlace, drawLots, everybody } from './draw.js';
import type { Stage } from './explanation.js';
import type { Policy } from './policy.js';
import type { Instant, RouteRequest } from './request.js';
import type { RouteTable } from './route-table.js';
import type { Strategy, StrategyContext } from './strategies/strategy.js';
import type { TargetMatch } from './target-match.js';
import type { VersionRange } from './version-range.js';

/** Told of each candidate that a stage drops. Only explanations listen; the reason is made only when they do. */
export type OnDropped = (candidate: Candidate, stage: Stage, reason: string) => void;

/** Hears what happens in a decision; only explanations and records listen. It changes nothing about the decision. */
export interface DecisionObserver<I extends RouteInstance = RouteInstance> {
  /** The candidates in the pass's pool are judged from here; what was told before counts no more. */
  began(pass: Pass<I>): void;
  readonly dropped?: OnDropped;
  scored?(candidate: Candidate<I>, score: number): void;
}

/** Versions that a call may reach: of the policy and of the call itself. */
export interface VersionRanges {
  readonly ofPolicy: VersionRange | undefined;
  readonly ofCall: VersionRange | undefined;
}

/** What a call's affinity key means for a decision. */
export interface KeyState {
  /** The whole key, as `bindingKey` makes it. */
  readonly key: string;
  readonly known: Binding | undefined;
  /** Whether the instance that it was bound to is lost, so that the key moves. */
  readonly lost: boolean;
}

/**
 * One decision on its way: what it is about, and the candidates that are still in. Passed through several times when a
 * sample won't do; then all that a pass left is forgotten at the beginning of the next.
 */
export class Pass<I extends RouteInstance> implements StrategyContext<I> {
  /** Whom the decision looks at: all in these cells whose version the call may reach, unless it is a sample. */
  cells: readonly CandidateCell<I>[] = NOBODY;
  /** All of these are in the best place. */
  sample: readonly Candidate<I>[] | undefined = undefined;
  /** Those of them who came through the stages and are still in. */
  pool: Candidate<I>[] = NOBODY;
  drawn = false;
  readonly hasTasks: boolean;
  ramps = false;
  bound: InstanceRef | undefined = undefined;
  scratch: unknown = undefined;
  /** Where candidates are looked for: the domain and, as long as that has somebody or must have, its zone. */
  domain: Domain;
  zone: string | undefined;
  version: string | undefined = undefined;
  /** How many neighbours a draw by lot takes at once. */
  run = 1;

  constructor(
    readonly table: RouteTable<I>,
    readonly request: RouteRequest,
    readonly now: Instant,
    readonly random: () => number,
    readonly observer: DecisionObserver<I> | undefined,
    readonly match: TargetMatch<I>,
    readonly policy: Policy,
    readonly strategy: Strategy,
    /** The match narrowed to the agents that the policy lists. */
    readonly listed: TargetMatch<I>,
    readonly ranges: VersionRanges | undefined,
    readonly domains: DomainChoice,
  ) {
    this.domain = domains.drawn;
    this.zone = request.zone;
    this.hasTasks = match.hasTasks;
  }

  /** Begins with these candidates, as if there had been no others. */
  begin(cells: readonly CandidateCell<I>[], sample: readonly Candidate<I>[] | undefined): void {
    this.cells = cells;
    this.sample = sample;
    this.bound = undefined;
    this.observer?.began(this);
  }

  /** Whom the decision looks at, as one list. */
  looked(): readonly Candidate<I>[] {
    return this.sample ?? everybody(this.cells, this.ranges);
  }

  /** How many these are, when they are only a part of the candidates. */
  get sampled(): number | undefined {
    return this.sample?.length;
  }

  /** Looks for the best place among some of the candidates. */
  placeAmong({ cells }: Pick<TargetMatch<I>, 'cells'>): void {
    bestPlace(this, cells);
  }

  lot(match: TargetMatch<I>, count: number): Candidate<I>[] {
    return drawLots(bestCells(match.cells, this), count, this.random, this.run);
  }
}

const NOBODY: never[] = [];

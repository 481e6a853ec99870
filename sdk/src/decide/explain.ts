import type { Candidate, RouteInstance } from './candidate.js';
import { decide } from './decide.js';
import { type Decision, stageCounts } from './decision.js';
import { describe } from './describe.js';
import type { BindingExplanation, CandidateExplanation, RouteExplanation, Stage } from './explanation.js';
import { judgeOthers } from './not-looked-at.js';
import type { DecisionObserver, Pass } from './pass.js';
import type { PolicySet } from './policy-set.js';
import type { Instant, RouteRequest } from './request.js';
import type { RouteTable } from './route-table.js';
import { slowStartText } from './slow-start.js';

/**
 * Runs the decision and records why each candidate was kept or dropped. The same code as the router's, observed; nothing
 * of it is applied.
 *
 * @param policies others than the table's, such as with a draft among them
 */
export function explain<I extends RouteInstance>(
  table: RouteTable<I>,
  request: RouteRequest,
  now: Instant,
  random: () => number,
  tableVersion: string,
  policies = table.policies,
): RouteExplanation {
  const listener = new Listener<I>();
  const decision = decide(table, request, now, random, listener, policies);
  return explanationOf(listener, decision, policies, tableVersion, unknownTags(listener.pass, policies));
}

/** Hears a decision; what counts is what it hears of the last pass. */
export class Listener<I extends RouteInstance> implements DecisionObserver<I> {
  #pass: Pass<I> | undefined;
  #looked = new Set<Candidate<I>>();
  #dropped: CandidateExplanation[] = [];
  #scored: { readonly candidate: Candidate<I>; readonly score: number }[] = [];

  began(pass: Pass<I>): void {
    this.#pass = pass;
    this.#looked = new Set(pass.looked());
    this.#dropped = [];
    this.#scored = [];
  }

  readonly dropped = (candidate: Candidate, stage: Stage, reason: string): void => {
    const { ref } = candidate.instance;
    this.#dropped.push({ instance: ref, kept: false, stage, reason, score: undefined, parts: undefined });
  };

  scored(candidate: Candidate<I>, score: number): void {
    this.#scored.push({ candidate, score });
  }

  get pass(): Pass<I> {
    if (this.#pass === undefined) throw new Error('No decision was made yet.');
    return this.#pass;
  }

  /** Everybody: those that were compared, best first, then those that fell, then those that were not looked at. */
  candidates(decision: Decision<I>): CandidateExplanation[] {
    const { pass } = this;
    const chosen = decision.outcome === 'OK' ? decision.choice : undefined;
    const best = decision.outcome === 'OK' ? decision.ranked[0]?.score : undefined;
    const scored = [...this.#scored].sort((a, b) => b.score - a.score);
    const kept = scored.map(
      ({ candidate, score }): CandidateExplanation => ({
        instance: candidate.instance.ref,
        kept: true,
        stage: 'STRATEGY',
        reason: candidate === chosen ? 'chosen' : whyNotChosen(candidate, score, best, pass),
        score,
        parts: pass.strategy.parts(candidate, pass),
      }),
    );
    judgeOthers(pass, this.#looked, this.dropped);
    return [...kept, ...this.#dropped];
  }
}

function whyNotChosen<I extends RouteInstance>(
  { instance }: Candidate<I>,
  score: number,
  best: number | undefined,
  { now }: Pass<I>,
): string {
  const why = score === best ? 'equal to the chosen one, which won by lot' : 'lower score than the chosen one';
  const ramp = slowStartText(instance.live, now.monotonic);
  return ramp === undefined ? why : `${why}; ${ramp}`;
}

/** What a listener heard of a decision, for people. */
export function explanationOf<I extends RouteInstance>(
  listener: Listener<I>,
  decision: Decision<I>,
  policies: PolicySet,
  tableVersion: string,
  unknown: readonly string[],
): RouteExplanation {
  const { pass } = listener;
  const { strategy } = pass;
  const { policy, outcome } = decision;
  const note = decision.outcome === 'OK' ? strategy.note?.(pass) : undefined;
  return {
    outcome,
    chosen: decision.outcome === 'OK' ? decision.choice.instance.ref : undefined,
    message: note === undefined ? describe(decision) : `${describe(decision)} ${note}`,
    policy: { id: policy.id, name: policy.name, version: policy.version, strategy: policy.content.strategy.name },
    rollout: policies.rollout(policy),
    canaryPercent: pass.domains.canaryPercent,
    binding: bindingOf(decision),
    stages: stageCounts(decision),
    candidates: listener.candidates(decision),
    unknown,
    tableVersion,
  };
}

function bindingOf<I extends RouteInstance>(decision: Decision<I>): BindingExplanation | undefined {
  if (decision.outcome !== 'OK' || decision.effects?.binding === undefined) return undefined;
  const { ref, from, kind } = decision.effects.binding;
  return { instance: ref, kind, from };
}

/** Policies may match on tags, and only who offers a capability says which tags it has. */
export function unknownTags<I extends RouteInstance>({ match, request }: Pass<I>, policies: PolicySet): string[] {
  const { capability } = request.target;
  if (match.size > 0 || match.ambiguous !== undefined || capability === undefined) return [];
  if (!policies.looksAtTags(request.namespace)) return [];
  return [`Which tags ${capability} has, since nobody offers it: a policy that matches on tags may be for it.`];
}

import { type Decision, decide, stageCounts } from './decide.js';
import type { CandidateExplanation, RouteExplanation } from './explanation.js';
import type { Instant, RouteRequest } from './request.js';
import type { Candidate, RouteInstance, RouteTable } from './route-table.js';
import { strategyOf } from './strategies/index.js';

/** Runs the decision and records why each candidate was kept or dropped. The same code as the router's, observed. */
export function explain<I extends RouteInstance>(
  table: RouteTable<I>,
  request: RouteRequest,
  now: Instant,
  random: () => number,
  tableVersion: string,
): RouteExplanation {
  const dropped: CandidateExplanation[] = [];
  const scored: { candidate: Candidate; score: number }[] = [];
  const decision = decide(table, request, now, random, {
    dropped: (candidate, stage, reason) =>
      dropped.push({
        instance: candidate.instance.ref,
        kept: false,
        stage,
        reason,
        score: undefined,
        parts: undefined,
      }),
    scored: (candidate, score) => scored.push({ candidate, score }),
  });
  const { policy } = decision;
  const strategy = strategyOf(policy.content.strategy);
  const chosen = decision.outcome === 'OK' ? decision.choice.instance.ref : undefined;
  scored.sort((a, b) => b.score - a.score);
  const kept = scored.map(
    ({ candidate, score }): CandidateExplanation => ({
      instance: candidate.instance.ref,
      kept: true,
      stage: 'STRATEGY',
      reason: candidate.instance.ref === chosen ? 'chosen' : whyNotChosen(score, decision),
      score,
      parts: strategy.parts(candidate, request),
    }),
  );
  return {
    outcome: decision.outcome,
    chosen,
    message: describe(decision),
    policy: { id: policy.id, name: policy.name, version: policy.version, strategy: policy.content.strategy.name },
    stages: stageCounts(decision),
    candidates: [...kept, ...dropped],
    tableVersion,
  };
}

function whyNotChosen(score: number, decision: Decision): string {
  const best = decision.outcome === 'OK' ? (decision.ranked[0]?.score ?? score) : score;
  return score === best ? 'equal to the chosen one, which won by lot' : 'lower score than the chosen one';
}

/** One sentence for a person about how a decision ended. */
export function describe(decision: Decision): string {
  if (decision.outcome === 'OK') {
    return `${decision.choice.instance.ref} was chosen by ${decision.policy.content.strategy.name}.`;
  }
  if (decision.ambiguous !== undefined) {
    return `The agent has several capabilities, name one of them: ${decision.ambiguous.join(', ')}.`;
  }
  const counts = stageCounts(decision);
  const fell = counts.find((count) => count.stage === decision.stage)?.entered ?? 0;
  if (decision.stage === 'TARGET') return 'Nobody is registered who matches the target.';
  const who = fell === 1 ? 'the one candidate' : `all ${fell} candidates`;
  const { outcome } = decision;
  switch (outcome) {
    case 'DENIED':
      return `No permission for ${who}.`;
    case 'OVERLOADED':
      return `${capitalise(who)} left at stage CAPACITY had no room.`;
    case 'CIRCUIT_OPEN':
      return `The breaker of ${who} left at stage BREAKER is open.`;
    case 'NO_ROUTE':
      return `Stage ${decision.stage} dropped ${who} that had come so far.`;
    default:
      return outcome satisfies never;
  }
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

import type { RouteInstance } from './candidate.js';
import { type Decision, type NoneLeft, type ReasonCount, stageCounts } from './decision.js';

/** One sentence for a person about how a decision ended; where nobody is left, with counts by reason. */
export function describe<I extends RouteInstance>(decision: Decision<I>): string {
  if (decision.outcome === 'OK') {
    return `${decision.choice.instance.ref} was chosen by ${decision.policy.content.strategy.name}.`;
  }
  if (decision.ambiguous !== undefined) {
    return `The agent has several capabilities, name one of them: ${decision.ambiguous.join(', ')}.`;
  }
  if (decision.matched === 0) return 'Nobody is registered who matches the target.';
  return describeNobody(decision);
}

function describeNobody<I extends RouteInstance>(decision: NoneLeft<I>): string {
  const { outcome, stage, reasons } = decision;
  const fell = stageCounts(decision).find((count) => count.stage === stage)?.entered ?? 0;
  const who = fell === 1 ? 'the one candidate' : `all ${fell} candidates`;
  const why = reasonsText(reasons, fell);
  switch (outcome) {
    case 'DENIED':
      return `No permission for ${who}${why}.`;
    case 'OVERLOADED':
      return `${fell === 1 ? 'The one candidate' : `All ${fell} candidates`} left at stage CAPACITY had no room${why}.`;
    case 'CIRCUIT_OPEN': {
      const state = reasons.every(({ reason }) => reason === 'open') ? 'is open' : `lets nothing through${why}`;
      return `The breaker of ${who} left at stage BREAKER ${state}.`;
    }
    case 'NO_ROUTE':
      return `Stage ${stage} dropped ${who} that had come so far${why}.`;
    default:
      return outcome satisfies never;
  }
}

/** Such as `: 2 DRAINING, 1 OFFLINE`. A single candidate needs no count. */
function reasonsText(reasons: readonly ReasonCount[], fell: number): string {
  if (reasons.length === 0) return '';
  return `: ${reasons.map(({ reason, count }) => (fell === 1 ? reason : `${count} ${reason}`)).join(', ')}`;
}

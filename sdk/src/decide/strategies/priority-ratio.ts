import type { AgentRef } from '../../protocol/index.js';
import type { Candidate } from '../candidate.js';
import { ByCapability, capabilityOf } from './by-capability.js';
import { fewer } from './lots.js';
import { inFlightParts, relativeInFlight } from './measures.js';
import { RatioCounter } from './ratio-counter.js';
import type { StrategyContext, StrategyFactory } from './strategy.js';

/** Whose turn it was and who took it. */
interface Taken {
  readonly counter: RatioCounter;
  /** Its place in the policy's list. */
  readonly place: number;
  readonly turn: AgentRef | undefined;
  readonly taker: AgentRef | undefined;
}

/**
 * Shares the calls of each capability among agents in fixed ratios. The calls of an agent that has nobody eligible go
 * to the first of the list that has somebody, so one with ratio 0 is used only then; when none of the list has
 * anybody, to the first of the fallback agents that has. Within the agent: the fewest in flight for the weight.
 */
export const priorityRatio: StrategyFactory<'PRIORITY_RATIO'> = ({ agents, fallback }) => {
  const counters = new ByCapability<RatioCounter>();
  const begin = () => new RatioCounter(agents);
  /** In the order in which they take over from one that has nobody. */
  const order: readonly AgentRef[] = [...agents.map(({ agent }) => agent), ...fallback];
  /** One list for each agent and always the same, since a match remembers by it. */
  const alone: ReadonlyMap<AgentRef, readonly AgentRef[]> = new Map(order.map((agent) => [agent, [agent]]));

  /** All instances of one agent that the target means, found by index. */
  function theirs(agent: AgentRef, { match }: StrategyContext): StrategyContext['match'] {
    return match.narrowed(alone.get(agent) ?? [agent]);
  }

  /** Why a candidate is not among those of the agent that takes this call. */
  function whyNot({ instance: { agent } }: Candidate, { turn, taker }: Taken): string {
    const place = agents.findIndex((each) => each.agent === agent);
    if (place < 0 && !fallback.includes(agent)) return `agent ${agent} is not in the policy's ratios or fallback`;
    const role = place < 0 ? 'is a fallback' : `has ratio ${agents[place]?.ratio}`;
    return `agent ${agent} ${role}; ${taker === turn ? `it is ${taker}'s turn` : `${taker} stands in for ${turn}`}`;
  }

  return {
    draw(_list, context, count) {
      // Two lists of agents are rare, and few are in both.
      if (context.listed !== context.match) return undefined;
      const turn = agents[counters.of(capabilityOf(context), begin).next()]?.agent;
      for (const agent of turn === undefined ? order : [turn, ...order]) {
        const match = theirs(agent, context);
        // All of one agent have the same weight: few lots keep them in step.
        if (match.cells.length > 0) return context.lot(match, fewer(count, 4));
      }
      return undefined;
    },
    narrow(pool, context, onDropped) {
      const counter = counters.of(capabilityOf(context), begin);
      const place = counter.next();
      const turn = agents[place]?.agent;
      const taker = hasSomebody(pool, turn) ? turn : order.find((agent) => hasSomebody(pool, agent));
      const taken: Taken = { counter, place, turn, taker };
      context.scratch = taken;
      let kept = 0;
      for (const candidate of pool) {
        if (candidate.instance.agent === taker) pool[kept++] = candidate;
        else onDropped?.(candidate, 'STRATEGY', whyNot(candidate, taken));
      }
      pool.length = kept;
    },
    score: (candidate, context) => -relativeInFlight(candidate, context),
    parts: inFlightParts,
    note(context) {
      const { turn, taker } = (context.scratch ?? {}) as Partial<Taken>;
      if (turn === undefined || taker === undefined || turn === taker) return undefined;
      return `It was the turn of agent ${turn}, which has nobody; ${taker} took the call.`;
    },
    chosen(_candidate, context) {
      // A call that stayed with the instance that its key is bound to was nobody's turn.
      const taken = context.scratch as Taken | undefined;
      taken?.counter.take(taken.place);
    },
    capture: (_candidates, capability) => (counters.get(capability) ?? begin()).capture(),
    restore(state, _candidates, capability) {
      counters.of(capability, begin).restore(state as readonly number[]);
    },
  };
};

function hasSomebody(pool: readonly Candidate[], agent: AgentRef | undefined): boolean {
  for (const { instance } of pool) if (instance.agent === agent) return true;
  return false;
}

import type { Candidate } from '../candidate.js';
import { ByCapability, capabilityOf } from './by-capability.js';
import { ListWeights } from './list-weights.js';
import { drawLots, fewer } from './lots.js';
import { shareOf, shareParts } from './measures.js';
import { Round, type RoundState, type Turn } from './round.js';
import type { StrategyContext, StrategyFactory } from './strategy.js';

/** So little that waiting only decides between turns that are equal. */
const WAIT_UNIT = 1e-9;

/**
 * With weights no further apart, four lots are enough to keep all in step: within 2 % after 200 turns each, measured.
 * Sixteen do for fifteen times as much.
 */
const SIMILAR = 3;

/** What `narrow` finds out for one decision. */
interface Standing {
  readonly round: Round;
  /** Where the one stood that was last chosen among these. */
  readonly start: number;
  /**
   * How far ahead of that anybody counts. Of all, nobody can be who wasn't away. Of some drawn by lot, the last chosen
   * is not the one furthest ahead of all: there it is the longest step of these, or weights would be honoured badly
   * (measured: 2 % off with weights 1 : 3).
   */
  readonly ahead: number;
}

/**
 * Each in turn, twice as often with twice the weight (half as often while degraded). Being chosen puts an instance
 * 100 / weight further back, and the one furthest ahead goes next; of several it is the one that waited longest. A
 * newcomer, or one that was away, stands where the last chosen one stood, so that it gets no burst of calls to catch
 * up with the others. Source: stride scheduling (Waldspurger and Weihl, 1995).
 *
 * Of many, the one furthest ahead of some drawn by lot goes next: nobody is then more than a few turns out of step.
 * Source: the power of several choices (Mitzenmacher, 2001).
 */
export const roundRobin: StrategyFactory<'ROUND_ROBIN'> = () => {
  const rounds = new ByCapability<Round>();
  const begin = () => new Round();
  const weights = new ListWeights();

  function standing(pool: readonly Candidate[], context: StrategyContext): Standing {
    const round = rounds.of(capabilityOf(context), begin);
    const ahead = context.drawn ? longestStep(pool, context) : 0;
    return { round, start: round.start(pool), ahead };
  }

  /** The standing of a decision; of one that was settled without asking for it, that of the chosen one alone. */
  function standingOf(candidate: Candidate, context: StrategyContext): Standing {
    context.scratch ??= standing([candidate], context);
    return context.scratch as Standing;
  }

  return {
    draw(list, context, count) {
      const { least, greatest } = weights.of(list);
      // Heavy ones have to be drawn often to get their share.
      const part = greatest <= SIMILAR * least ? 4 : 1;
      return drawLots(list.candidates, context.random, fewer(count, part));
    },
    /** Drops nobody: finds out how these stand. */
    narrow(pool, context) {
      context.scratch = standing(pool, context);
    },
    score(candidate, context) {
      const standing = standingOf(candidate, context);
      const turn = standing.round.turn(candidate.instance);
      return standing.round.waited(turn) * WAIT_UNIT - behind(turn, standing);
    },
    parts(candidate, context) {
      const standing = standingOf(candidate, context);
      const turn = standing.round.turn(candidate.instance);
      return {
        behind: behind(turn, standing),
        choicesSince: standing.round.waited(turn),
        ...shareParts(candidate, context),
      };
    },
    chosen(candidate, context) {
      const standing = standingOf(candidate, context);
      const { round, start } = standing;
      const { instance } = candidate;
      round.putBack(instance, start + behind(round.turn(instance), standing), stepOf(candidate, context));
    },
    capture: (candidates, capability) =>
      (rounds.get(capability) ?? begin()).capture(candidates.map(({ instance }) => instance)),
    restore(state, candidates, capability) {
      const round = rounds.of(capability, begin);
      round.restore(
        state as RoundState,
        candidates.map(({ instance }) => instance),
      );
    },
  };
};

/** How much further back being chosen puts it. */
function stepOf(candidate: Candidate, context: StrategyContext): number {
  return 100 / shareOf(candidate, context);
}

function longestStep(pool: readonly Candidate[], context: StrategyContext): number {
  let longest = 0;
  for (const candidate of pool) longest = Math.max(longest, stepOf(candidate, context));
  return longest;
}

/** How far it stands behind the last chosen one, or ahead of it, but no further than counts. */
function behind(turn: Turn | undefined, { start, ahead }: Standing): number {
  return turn === undefined ? 0 : Math.max(-ahead, turn.due - start);
}

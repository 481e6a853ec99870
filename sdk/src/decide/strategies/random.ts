import type { Candidate } from '../candidate.js';
import { ListWeights } from './list-weights.js';
import { fewer, keepOnly, lot } from './lots.js';
import { shareAt, shareOf, shareParts } from './measures.js';
import type { StrategyContext, StrategyFactory } from './strategy.js';

/** With a greatest weight of a hundred times the usual, still ten lots count on average; with none, everybody is looked at. */
const MAX_THROWS = 1_000;

/**
 * By lot, in proportion to weight (half of it while degraded).
 *
 * Of many, each lot falls on any of them alike and counts with a probability of its share against the greatest weight,
 * else it is thrown again: in proportion to weight without adding up everybody's. The first of these that comes
 * through all stages is then in proportion among all that would. Source: rejection sampling (von Neumann, 1951).
 */
export const random: StrategyFactory<'RANDOM'> = () => {
  const weights = new ListWeights();

  return {
    draw(list, context, count) {
      const { greatest } = weights.of(list);
      // The first that can be chosen is, so mostly the others are drawn in vain.
      return greatest === 0 ? undefined : drawByWeight(list.candidates, greatest, context, fewer(count, 4));
    },
    narrow(pool, context, onDropped) {
      let sum = 0;
      for (const candidate of pool) sum += shareOf(candidate, context);
      const one = context.drawn ? pool[0] : pick(pool, context.random() * sum, context);
      if (one === undefined) return;
      keepOnly(pool, one, onDropped, (candidate) =>
        context.drawn
          ? 'came after the one that was drawn first'
          : `was not drawn; its chance was ${((100 * shareOf(candidate, context)) / sum).toFixed(1)} %`,
      );
    },
    /** All the same: the lot has fallen. */
    score: () => 0,
    parts: shareParts,
  };
};

function drawByWeight(
  list: readonly Candidate[],
  greatest: number,
  { random, now }: StrategyContext,
  count: number,
): Candidate[] {
  const drawn: Candidate[] = [];
  const seed = Math.floor(random() * 2 ** 32);
  for (let thrown = 0; drawn.length < count && thrown < MAX_THROWS; thrown++) {
    const one = list[Math.floor(lot(seed, 2 * thrown) * list.length)];
    if (one === undefined || lot(seed, 2 * thrown + 1) * greatest >= shareAt(one, now.monotonic)) continue;
    if (!drawn.includes(one)) drawn.push(one);
  }
  return drawn;
}

function pick(pool: readonly Candidate[], place: number, context: StrategyContext): Candidate | undefined {
  let left = place;
  for (const candidate of pool) {
    left -= shareOf(candidate, context);
    if (left < 0) return candidate;
  }
  // Only where rounding left a crumb.
  return pool[pool.length - 1];
}

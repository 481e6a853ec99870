import type { Ranked } from './ranking.js';

/** The best has to score so many times as much as the next. */
const SCORE_RATIO = 1.5;
/** And to answer so many times as much of what was asked. */
const FIT_RATIO = 1.2;
/** And to answer this share of what was asked, at least; most of it when that is to change something. */
const LEAST_FIT = 0.3;
const LEAST_FIT_OF_ACTION = 0.6;
/** Another that answers this share of what the best answers may not answer a word that the best doesn't. */
const CONTENDER = 0.5;

/**
 * Whether the best match is clearly what was meant, so that it may be called without asking back. A name beats what is
 * like it, and a name beats an alias. Otherwise
 * - the best leads by score, and by how much of the text it answers (a rare word alone makes a high score);
 * - it answers enough of the text (the only match is not yet a good one), and every action that the text names
 *   ("delete", 取消): what would do something else is not guessed;
 * - no other that fits half as well answers a word that the best doesn't: then two things were asked for.
 *
 * @param others the matches of other capabilities
 */
export function isClear(best: Ranked, others: readonly Ranked[]): boolean {
  if (best.exact > 0) return others.every(({ exact }) => exact < best.exact);
  if (best.action === 'MISSED' || best.fit < (best.action === 'NONE' ? LEAST_FIT : LEAST_FIT_OF_ACTION)) return false;
  return others.every((other) => leads(best, other));
}

function leads(best: Ranked, other: Ranked): boolean {
  if (best.score < SCORE_RATIO * other.score || best.fit < FIT_RATIO * other.fit) return false;
  const answersMore = (other.answered & ~best.answered) !== 0;
  return !answersMore || other.fit < CONTENDER * best.fit;
}

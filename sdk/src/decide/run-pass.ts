import type { Candidate, RouteInstance } from './candidate.js';
import { type Choice, type Effects, type NoneLeft, outcomeOf, type ReasonCount } from './decision.js';
import { inRanges } from './draw.js';
import { STAGES, type Stage } from './explanation.js';
import { bindingAfter, keepToBound, startKey } from './key-binding.js';
import type { KeyState, Pass } from './pass.js';
import { PermissionAsker } from './permission-asker.js';
import { rank } from './ranking.js';
import { brieflyDropped, countReasons } from './reasons.js';
import type { MissingPermission } from './request.js';
import { passOverRamping } from './slow-start.js';
import { keptByStage, lastToDrop, lookedAt, stageOfPlace, stageThatDrops } from './stages.js';

/** Up to so many candidates are all looked at; of more, a sample is enough and the cost no longer grows with their number. */
export const SAMPLE_ABOVE = 64;
export const SAMPLE = 16;

/** Lets the strategy choose among those who came through the stages; undefined when it leaves nobody. */
export function choose<I extends RouteInstance>(pass: Pass<I>, key: KeyState | undefined): Choice<I> | undefined {
  narrow(pass, key);
  const ranked = rank(pass);
  const best = ranked[0];
  if (best === undefined) return undefined;
  const { candidate } = best;
  return {
    outcome: 'OK',
    choice: candidate,
    ranked,
    takesProbe: candidate.instance.live.breaker.state !== 'CLOSED',
    policy: pass.policy,
    matched: pass.match.size,
    kept: keptOf(pass),
    sampled: pass.sampled,
    effects: effectsOf(pass, key, candidate),
  };
}

/** Leaves those of which the best score wins. */
function narrow<I extends RouteInstance>(pass: Pass<I>, key: KeyState | undefined): void {
  const { strategy } = pass;
  const settled = key !== undefined && keepToBound(pass, key);
  if (!settled) {
    if (pass.ramps && strategy.bestTakesAll === true) passOverRamping(pass, key);
    if (pass.pool.length > SAMPLE && strategy.draw === undefined) cutByLot(pass);
    strategy.narrow?.(pass.pool, pass, pass.observer?.dropped);
  }
  if (key !== undefined && pass.bound === undefined) startKey(pass, key);
}

/** Of many, leaves a sample; the instance that the call's key is bound to is always in it. */
function cutByLot<I extends RouteInstance>(pass: Pass<I>): void {
  const { pool, observer, random, bound, sample } = pass;
  if (sample !== undefined || lookedAt() <= SAMPLE_ABOVE) return;
  for (let place = 0; place < SAMPLE; place++) swap(pool, place, place + Math.floor(random() * (pool.length - place)));
  const boundAt = bound === undefined ? -1 : pool.findIndex(({ instance }) => instance.ref === bound);
  if (boundAt >= SAMPLE) swap(pool, SAMPLE - 1, boundAt);
  if (observer?.dropped !== undefined) {
    for (const candidate of pool.slice(SAMPLE)) observer.dropped(candidate, 'STRATEGY', notDrawn(SAMPLE));
  }
  pool.length = SAMPLE;
}

export function notDrawn(sampled: number | undefined): string {
  return `was not among the ${sampled} drawn by lot`;
}

function swap<T>(list: T[], left: number, right: number): void {
  const [one, other] = [list[left], list[right]];
  if (one === undefined || other === undefined) return;
  list[left] = other;
  list[right] = one;
}

/** How many each stage kept; of a sample it is known only for those in it. */
function keptOf<I extends RouteInstance>(pass: Pass<I>): number[] {
  const kept = keptByStage(pass.pool.length);
  if (pass.sample !== undefined) kept[0] = countInRanges(pass);
  return kept;
}

function countInRanges<I extends RouteInstance>({ listed, ranges }: Pass<I>): number {
  if (ranges === undefined) return listed.size;
  let count = 0;
  for (const cell of listed.cells) if (inRanges(cell.version, ranges)) count += cell.candidates.length;
  return count;
}

function effectsOf<I extends RouteInstance>(
  pass: Pass<I>,
  key: KeyState | undefined,
  choice: Candidate<I>,
): Effects<I> | undefined {
  const { strategy } = pass;
  if (key === undefined && strategy.chosen === undefined) return undefined;
  return { strategy, context: pass, binding: key === undefined ? undefined : bindingAfter(key, choice) };
}

/** The end of a decision for which the stages left nobody. */
export function nobodyThrough<I extends RouteInstance>(pass: Pass<I>): NoneLeft<I> {
  const asker = new PermissionAsker(pass);
  const looked = pass.looked();
  const place = lastToDrop();
  const stage = STAGES[place] ?? 'TARGET';
  const fallen =
    stage === 'TARGET'
      ? pass.match.candidates
      : looked.filter((each) => stageThatDrops(each, pass, asker, stageOfPlace(each.instance, pass), false) === place);
  const reasons = countReasons(fallen, (each) => brieflyDropped(stage, each, pass, asker));
  const permitted = looked.find((candidate) => asker.check(candidate).allowed);
  return noneLeft(pass, stage, reasons, permitted, stage === 'PERMISSION' ? missingFor(fallen, asker) : []);
}

/** The end of a decision for which the strategy left nobody of these. */
export function nobodyForStrategy<I extends RouteInstance>(
  pass: Pass<I>,
  before: readonly Candidate<I>[],
): NoneLeft<I> {
  const asker = new PermissionAsker(pass);
  const reasons = countReasons(before, (each) => brieflyDropped('STRATEGY', each, pass, asker));
  return noneLeft(pass, 'STRATEGY', reasons, before[0], []);
}

function noneLeft<I extends RouteInstance>(
  pass: Pass<I>,
  stage: Stage,
  reasons: readonly ReasonCount[],
  permitted: Candidate<I> | undefined,
  missing: readonly MissingPermission[],
): NoneLeft<I> {
  const { match, policy, sampled } = pass;
  return {
    outcome: outcomeOf(stage),
    stage,
    reasons,
    policy,
    matched: match.size,
    kept: keptOf(pass),
    sampled,
    missing,
    permitted,
    ambiguous: match.ambiguous,
  };
}

/** Missing permissions named at most: an error names the first, and there can be one for each of ten thousand agents. */
const MAX_MISSING = 8;

function missingFor<I extends RouteInstance>(
  denied: readonly Candidate<I>[],
  asker: PermissionAsker<I>,
): MissingPermission[] {
  const missing = new Map<string, MissingPermission>();
  for (const candidate of denied) {
    const { agent } = candidate.instance;
    if (missing.has(agent)) continue;
    missing.set(agent, {
      target: agent,
      capability: candidate.capability.name,
      rule: asker.check(candidate).rule?.id,
    });
    if (missing.size === MAX_MISSING) break;
  }
  return [...missing.values()];
}

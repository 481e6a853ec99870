import type { Candidate, Domain, RouteInstance } from './candidate.js';
import { hasRoom, hasRoomForCall } from './capacity.js';
import { breakerAdmits, isRoutable, isUnsaturated } from './conditions.js';
import { inRanges } from './draw.js';
import { STAGES } from './explanation.js';
import type { Pass } from './pass.js';
import { PermissionAsker, permitsAll } from './permission-asker.js';
import { whyDropped } from './reasons.js';

export type { OnDropped } from './pass.js';

/** Places in STAGES. The target's own stands for nobody's: who is in the pool came through it. */
export const THROUGH = 0;
const PERMISSION = STAGES.indexOf('PERMISSION');
const LIFECYCLE = STAGES.indexOf('LIFECYCLE');
const DOMAIN = STAGES.indexOf('DOMAIN');
const ZONE = STAGES.indexOf('ZONE');
const CAPACITY = STAGES.indexOf('CAPACITY');
const BREAKER = STAGES.indexOf('BREAKER');
const STRATEGY = STAGES.indexOf('STRATEGY');

/** How many the walk under way, or the last one, saw and dropped at each stage. Decisions never overlap. */
let entered = 0;
const fell = STAGES.map(() => 0);
let anybodyFell = false;

/** The stage at which a candidate falls, as a place in STAGES, or THROUGH. `strict`: preferences are conditions too. */
export function stageThatDrops<I extends RouteInstance>(
  candidate: Candidate<I>,
  pass: Pass<I>,
  /** Undefined when all are permitted. */
  asker: PermissionAsker<I> | undefined,
  /** Where its place drops it, as `stageOfPlace` says. */
  placeDrops: number,
  strict: boolean,
): number {
  const { instance } = candidate;
  const { live } = instance;
  if (asker !== undefined && !asker.check(candidate).allowed) return PERMISSION;
  if (!isRoutable(instance)) return LIFECYCLE;
  if (placeDrops !== THROUGH) return placeDrops;
  if (!hasRoom(candidate) || (strict && !isUnsaturated(live))) return CAPACITY;
  if (!breakerAdmits(live.breaker, pass.now.monotonic)) return BREAKER;
  return strict && pass.request.tried?.has(instance.ref) === true ? STRATEGY : THROUGH;
}

/** The stage at which those of a domain and zone fall, as far as these decide. */
export function stageOfPlace<I extends RouteInstance>(at: { domain: Domain; zone: string }, pass: Pass<I>): number {
  if (at.domain !== pass.domain) return DOMAIN;
  return pass.zone === undefined || at.zone === pass.zone ? THROUGH : ZONE;
}

/**
 * Leaves those who are all that a choice should be: they come through every stage, and no preference is given up for
 * them. False when nobody is so.
 *
 * As long as there is one such, nobody else is chosen, so one walk does for all stages.
 */
export function keepBest<I extends RouteInstance>(pass: Pass<I>): boolean {
  return walk(pass, permitsAll(pass) ? undefined : new PermissionAsker(pass), true);
}

/**
 * Leaves those who meet the conditions of all stages, and of these the ones for whom the fewest preferences are given
 * up: first those not tried for this call yet, then those in its zone, then those not saturated. False when nobody is
 * left.
 */
export function keepPossible<I extends RouteInstance>(pass: Pass<I>): boolean {
  const { request, policy } = pass;
  const { tried, zone } = request;
  const asker = new PermissionAsker(pass);
  pass.domain = domainOf(pass, asker);
  pass.zone = policy.content.allowZoneCrossing ? undefined : zone;
  if (!walk(pass, asker, false)) return false;
  if (tried !== undefined) prefer(pass, asker, STRATEGY, ({ ref }) => !tried.has(ref));
  if (zone !== undefined) prefer(pass, asker, ZONE, (instance) => instance.zone === zone);
  prefer(pass, asker, CAPACITY, ({ live }) => isUnsaturated(live));
  return true;
}

/** How many the last walk saw. */
export function lookedAt(): number {
  return entered;
}

/** How many each stage kept; `through` is how many the strategy, the last of them, left. */
export function keptByStage(through: number): number[] {
  let left = entered;
  const kept = [left, left, left, left, left, left, left, through];
  if (!anybodyFell) return kept;
  for (let stage = 0; stage < STRATEGY; stage++) {
    left -= fell[stage] ?? 0;
    kept[stage] = left;
  }
  return kept;
}

/** The last stage that dropped somebody, as a place in STAGES; TARGET when nobody was there. */
export function lastToDrop(): number {
  return Math.max(
    0,
    fell.findLastIndex((count) => count > 0),
  );
}

/** Where the domain that was drawn has nobody at that stage, the call goes to the other one. */
export function domainOf<I extends RouteInstance>(pass: Pass<I>, asker: PermissionAsker<I>): Domain {
  const { drawn, other } = pass.domains;
  if (drawn === other) return drawn;
  const hasSomebody = pass
    .looked()
    .some(
      (candidate) =>
        candidate.instance.domain === drawn && isRoutable(candidate.instance) && asker.check(candidate).allowed,
    );
  return hasSomebody ? drawn : other;
}

/** One walk through all that the decision looks at; true when it leaves somebody. */
function walk<I extends RouteInstance>(pass: Pass<I>, asker: PermissionAsker<I> | undefined, strict: boolean): boolean {
  const { cells, sample, ranges } = pass;
  entered = 0;
  if (anybodyFell) fell.fill(0);
  anybodyFell = false;
  pass.pool = [];
  pass.ramps = false;
  if (sample !== undefined) walkList(sample, pass, asker, THROUGH, strict);
  else {
    for (const cell of cells) {
      if (inRanges(cell.version, ranges)) walkList(cell.candidates, pass, asker, stageOfPlace(cell, pass), strict);
    }
  }
  return pass.pool.length > 0;
}

function walkList<I extends RouteInstance>(
  list: readonly Candidate<I>[],
  pass: Pass<I>,
  asker: PermissionAsker<I> | undefined,
  placeDrops: number,
  strict: boolean,
): void {
  entered += list.length;
  // Mostly everybody comes through; then the list is copied as a whole.
  const first = asker === undefined && placeDrops === THROUGH ? lengthOfFit(list, pass) : 0;
  if (pass.pool.length === 0) pass.pool = first === list.length ? list.slice() : list.slice(0, first);
  else for (let index = 0; index < first; index++) pass.pool.push(list[index] as Candidate<I>);
  for (let index = first; index < list.length; index++) {
    const candidate = list[index] as Candidate<I>;
    const stage = stageThatDrops(candidate, pass, asker, placeDrops, strict);
    if (stage === THROUGH) {
      pass.pool.push(candidate);
      if (candidate.instance.live.rampUntil > pass.now.monotonic) pass.ramps = true;
    } else {
      anybodyFell = true;
      fell[stage] = (fell[stage] ?? 0) + 1;
      tell(pass, candidate, stage, asker);
    }
  }
}

/** How many from the first one on are all that a choice should be, as far as that is up to them and not to their place. */
function lengthOfFit<I extends RouteInstance>(list: readonly Candidate<I>[], pass: Pass<I>): number {
  // Whose room is counted in two ways has to be asked one by one.
  if (pass.hasTasks) return 0;
  const { monotonic } = pass.now;
  const { tried } = pass.request;
  let length = 0;
  let ramps = false;
  for (const { instance } of list) {
    const { live } = instance;
    if (
      !isRoutable(instance) ||
      !hasRoomForCall(instance) ||
      !isUnsaturated(live) ||
      !breakerAdmits(live.breaker, monotonic) ||
      tried?.has(instance.ref) === true
    ) {
      break;
    }
    if (live.rampUntil > monotonic) ramps = true;
    length++;
  }
  if (ramps) pass.ramps = true;
  return length;
}

/** Leaves those who have something, if anybody has. */
function prefer<I extends RouteInstance>(
  pass: Pass<I>,
  asker: PermissionAsker<I>,
  stage: number,
  has: (instance: I) => boolean,
): void {
  const { pool } = pass;
  if (!pool.some(({ instance }) => has(instance))) return;
  let kept = 0;
  for (const candidate of pool) {
    if (has(candidate.instance)) pool[kept++] = candidate;
    else tell(pass, candidate, stage, asker);
  }
  if (kept < pool.length) anybodyFell = true;
  fell[stage] = (fell[stage] ?? 0) + pool.length - kept;
  pool.length = kept;
}

function tell<I extends RouteInstance>(
  pass: Pass<I>,
  candidate: Candidate<I>,
  place: number,
  asker: PermissionAsker<I> | undefined,
): void {
  const stage = STAGES[place];
  if (pass.observer?.dropped === undefined || stage === undefined) return;
  pass.observer.dropped(candidate, stage, whyDropped(stage, candidate, pass, asker));
}

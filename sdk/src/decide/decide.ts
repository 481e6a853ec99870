import { STAGES, type Stage, type StageCount } from './explanation.js';
import type { PermissionView } from './permission.js';
import type { Policy } from './policy.js';
import type { Instant, MissingPermission, RouteRequest } from './request.js';
import type { Candidate, RouteInstance, RouteTable, TargetMatch } from './route-table.js';
import {
  breakerStage,
  capacityStage,
  domainStage,
  lifecycleStage,
  type OnDropped,
  preferUntried,
  SATURATED,
  zoneStage,
} from './stages.js';
import { strategyOf } from './strategies/index.js';

/** The error that a call gets when nobody is left. */
export type NoChoice = 'NO_ROUTE' | 'DENIED' | 'OVERLOADED' | 'CIRCUIT_OPEN';

export interface Ranked<I extends RouteInstance> {
  readonly candidate: Candidate<I>;
  readonly score: number;
}

interface Common {
  readonly policy: Policy;
  /** How many candidates each stage kept, in the order of STAGES. */
  readonly kept: readonly number[];
  /** How many were drawn to go through the stages after TARGET; undefined: all. */
  readonly sampled: number | undefined;
}

export interface Choice<I extends RouteInstance> extends Common {
  readonly outcome: 'OK';
  readonly choice: Candidate<I>;
  /** The best three, the choice first. */
  readonly ranked: readonly Ranked<I>[];
  /** Effect to apply in the same tick: the choice takes the probe slot of a breaker that is not closed. */
  readonly takesProbe: boolean;
}

export interface NoneLeft<I extends RouteInstance> extends Common {
  readonly outcome: NoChoice;
  /** The stage that dropped the last of them. */
  readonly stage: Stage;
  /** The permissions whose absence (or DENY) dropped candidates; set for DENIED. */
  readonly missing: readonly MissingPermission[];
  /** A candidate that the caller may call, so that parameters can be checked even when nobody is free. */
  readonly permitted: Candidate<I> | undefined;
  /** The capabilities to choose from, when the target names an agent with several and none of them. */
  readonly ambiguous: readonly string[] | undefined;
}

export type Decision<I extends RouteInstance = RouteInstance> = Choice<I> | NoneLeft<I>;

/** Told of all candidates; only explanations listen. */
export interface DecisionObserver {
  readonly dropped: OnDropped;
  scored(candidate: Candidate, score: number, request: RouteRequest): void;
}

const RANKED = 3;
/** Above so many candidates a sample of them is enough, and the cost of a decision no longer grows with their number. */
const SAMPLE_ABOVE = 64;
const SAMPLE = 16;

/**
 * Chooses an instance for a request. Pure: reads the table, two clocks and a source of randomness, changes nothing;
 * what the choice implies (`takesProbe`, the in-flight count) the caller applies in the same tick.
 *
 * Among many candidates it looks at 16 drawn by lot, as long as one of these is all that a choice should be; only
 * otherwise at everybody. An observer sees everybody, and the lot is drawn among those that came through.
 *
 * @param random returns a number in [0, 1)
 */
export function decide<I extends RouteInstance>(
  table: RouteTable<I>,
  request: RouteRequest,
  now: Instant,
  random: () => number,
  observer?: DecisionObserver,
): Decision<I> {
  const match = table.match(request.namespace, request.target);
  const first = match.candidates[0];
  const policy = table.policies.find(
    request.namespace,
    first?.capability.name ?? request.target.capability ?? '*',
    first?.capability.tags ?? [],
    request.caller,
  );
  const context: Context<I> = { table, request, now, random, observer, match, policy };
  if (observer === undefined && match.candidates.length > SAMPLE_ABOVE) {
    const inZone = request.zone === undefined ? undefined : match.byZone?.get(request.zone);
    const decision = decideAmong(context, draw(inZone ?? match.candidates, random), SAMPLE);
    if (decision.outcome === 'OK' && isAllItShouldBe(decision.choice.instance, request)) return decision;
  }
  return decideAmong(context, match.candidates.slice(), undefined);
}

interface Context<I extends RouteInstance> {
  readonly table: RouteTable<I>;
  readonly request: RouteRequest;
  readonly now: Instant;
  readonly random: () => number;
  readonly observer: DecisionObserver | undefined;
  readonly match: TargetMatch<I>;
  readonly policy: Policy;
}

/** Sends a pool through the stages; the pool is used up. */
function decideAmong<I extends RouteInstance>(
  context: Context<I>,
  pool: Candidate<I>[],
  sampled: number | undefined,
): Decision<I> {
  const { table, request, now, random, observer, match, policy } = context;
  const onDropped = observer?.dropped;
  keepListed(pool, policy, onDropped);
  const matched = sampled === undefined ? pool.length : match.candidates.length;
  const missing: MissingPermission[] = [];
  const allowed = permissionStage(table, pool, request, now, missing, onDropped);
  const permitted = pool[0];
  const routable = lifecycleStage(pool, onDropped);
  const inDomain = domainStage(pool, request, onDropped);
  const inZone = zoneStage(pool, request, policy, onDropped);
  const roomy = capacityStage(pool, onDropped);
  const unbroken = breakerStage(pool, now, onDropped);
  preferUntried(pool, request, onDropped);
  if (match.candidates.length > SAMPLE_ABOVE && pool.length > SAMPLE) keepDrawn(pool, random, onDropped);

  const ranked = rank(pool, policy, request, random, observer);
  const kept = [matched, allowed, routable, inDomain, inZone, roomy, unbroken, ranked.length];
  const best = ranked[0];
  if (best === undefined) {
    const stage = STAGES[kept.indexOf(0)] ?? 'TARGET';
    const { ambiguous } = match;
    return { outcome: outcomeOf(stage), stage, policy, kept, sampled, missing, permitted, ambiguous };
  }
  const takesProbe = best.candidate.instance.live.breaker.state !== 'CLOSED';
  return { outcome: 'OK', choice: best.candidate, ranked, takesProbe, policy, kept, sampled };
}

/** Candidates drawn by lot; one may be drawn twice, which costs nothing but a little of the sample. */
function draw<C>(candidates: readonly C[], random: () => number): C[] {
  const drawn: C[] = new Array(SAMPLE);
  let count = 0;
  while (count < SAMPLE) {
    const candidate = candidates[Math.floor(random() * candidates.length)];
    if (candidate !== undefined) drawn[count++] = candidate;
  }
  return drawn;
}

function keepDrawn<C extends Candidate>(pool: C[], random: () => number, onDropped: OnDropped | undefined): void {
  for (let place = 0; place < SAMPLE; place++) {
    const other = place + Math.floor(random() * (pool.length - place));
    const [mine, theirs] = [pool[place], pool[other]];
    if (mine !== undefined && theirs !== undefined) {
      pool[place] = theirs;
      pool[other] = mine;
    }
  }
  if (onDropped !== undefined) {
    for (const candidate of pool.slice(SAMPLE))
      onDropped(candidate, 'STRATEGY', `was not among the ${SAMPLE} drawn by lot`);
  }
  pool.length = SAMPLE;
}

/** Whether no preference had to be given up for it, so that nobody outside the sample can be better placed. */
function isAllItShouldBe(instance: RouteInstance, request: RouteRequest): boolean {
  return (
    (request.zone === undefined || instance.zone === request.zone) &&
    (instance.live.utilisation ?? 0) <= SATURATED &&
    request.tried?.has(instance.ref) !== true
  );
}

/** The counts as people read them: how many came to each stage and how many it kept. */
export function stageCounts({ kept, sampled }: Pick<Common, 'kept' | 'sampled'>): StageCount[] {
  return STAGES.map((stage, index) => ({
    stage,
    entered: index === 1 && sampled !== undefined ? sampled : (kept[index === 0 ? 0 : index - 1] ?? 0),
    kept: kept[index] ?? 0,
  }));
}

function outcomeOf(stage: Stage): NoChoice {
  switch (stage) {
    case 'PERMISSION':
      return 'DENIED';
    case 'CAPACITY':
      return 'OVERLOADED';
    case 'BREAKER':
      return 'CIRCUIT_OPEN';
    default:
      return 'NO_ROUTE';
  }
}

function keepListed<I extends RouteInstance>(pool: Candidate<I>[], policy: Policy, onDropped?: OnDropped): void {
  const listed = policy.content.candidates;
  if (listed.length === 0) return;
  let kept = 0;
  for (const candidate of pool) {
    if (listed.includes(candidate.instance.agent)) pool[kept++] = candidate;
    else onDropped?.(candidate, 'TARGET', `is not among the agents that policy ${policy.name} lists`);
  }
  pool.length = kept;
}

/** Asks once per agent, since its instances mostly stand together in the pool. */
function permissionStage<I extends RouteInstance>(
  table: RouteTable<I>,
  pool: Candidate<I>[],
  request: RouteRequest,
  now: Instant,
  missing: MissingPermission[],
  onDropped: OnDropped | undefined,
): number {
  let kept = 0;
  let agent = '';
  let capability = '';
  let view: PermissionView | undefined;
  let allAllowed = false;
  let allowed = false;
  let why = '';
  for (const candidate of pool) {
    const { instance } = candidate;
    if (candidate.capability.name !== capability) {
      capability = candidate.capability.name;
      view = table.permissions.view(request.caller, request.roles, capability);
      allAllowed = view.allowsAllOf(request.namespace);
      agent = '';
    }
    if (allAllowed) allowed = true;
    else if (instance.agent !== agent && view !== undefined) {
      agent = instance.agent;
      const decision = view.check(instance.agent, now.wall);
      allowed = decision.allowed;
      if (!allowed) {
        missing.push({ target: instance.agent, capability, rule: decision.rule?.id });
        why = decision.rule === undefined ? 'no rule allows it' : `rule ${decision.rule.id} denies it`;
      }
    }
    if (allowed) pool[kept++] = candidate;
    else onDropped?.(candidate, 'PERMISSION', `${request.caller} may not call ${agent}:${capability}: ${why}`);
  }
  pool.length = kept;
  return kept;
}

/** The best three; equal scores in random order, so that equals share the work. */
function rank<I extends RouteInstance>(
  pool: readonly Candidate<I>[],
  policy: Policy,
  request: RouteRequest,
  random: () => number,
  observer: DecisionObserver | undefined,
): Ranked<I>[] {
  const strategy = strategyOf(policy.content.strategy);
  const ranked: Ranked<I>[] = [];
  let lowest = Number.NEGATIVE_INFINITY;
  // Going round from a random start makes each of several equals equally likely to come first.
  let place = Math.floor(random() * pool.length);
  for (let count = 0; count < pool.length; count++) {
    const candidate = pool[place];
    place = place + 1 === pool.length ? 0 : place + 1;
    if (candidate === undefined) continue;
    const score = strategy.score(candidate, request);
    observer?.scored(candidate, score, request);
    if (ranked.length === RANKED && score <= lowest) continue;
    insert(ranked, { candidate, score });
    lowest = ranked[ranked.length - 1]?.score ?? lowest;
  }
  return ranked;
}

/** Keeps the list sorted and no longer than RANKED; among equals the earlier stays ahead. */
function insert<I extends RouteInstance>(ranked: Ranked<I>[], entry: Ranked<I>): void {
  let place = ranked.length < RANKED ? ranked.length : RANKED - 1;
  for (; place > 0; place--) {
    const ahead = ranked[place - 1];
    if (ahead === undefined || ahead.score >= entry.score) break;
    ranked[place] = ahead;
  }
  ranked[place] = entry;
}

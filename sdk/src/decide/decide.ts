import { STAGES, type Stage, type StageCount } from './explanation.js';
import type { Policy } from './policy.js';
import type { Instant, MissingPermission, RouteRequest } from './request.js';
import type { Candidate, RouteInstance, RouteTable } from './route-table.js';
import {
  breakerStage,
  capacityStage,
  domainStage,
  lifecycleStage,
  type OnDropped,
  preferUntried,
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

/**
 * Chooses an instance for a request. Pure: reads the table, two clocks and a source of randomness, changes nothing;
 * what the choice implies (`takesProbe`, the in-flight count) the caller applies in the same tick.
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
  const onDropped = observer?.dropped;
  const match = table.match(request.namespace, request.target);
  const pool = match.candidates.slice();
  const first = pool[0];
  const policy = table.policies.find(
    request.namespace,
    first?.capability.name ?? request.target.capability ?? '*',
    first?.capability.tags ?? [],
    request.caller,
  );
  keepListed(pool, policy, onDropped);

  const kept = [pool.length];
  const missing: MissingPermission[] = [];
  kept.push(permissionStage(table, pool, request, now, missing, onDropped));
  const permitted = pool[0];
  kept.push(lifecycleStage(pool, onDropped));
  kept.push(domainStage(pool, request, onDropped));
  kept.push(zoneStage(pool, request, policy, onDropped));
  kept.push(capacityStage(pool, onDropped));
  kept.push(breakerStage(pool, now, onDropped));
  preferUntried(pool, request, onDropped);

  const ranked = rank(pool, policy, request, random, observer);
  kept.push(ranked.length);
  const best = ranked[0];
  if (best === undefined) {
    const stage = STAGES[kept.indexOf(0)] ?? 'TARGET';
    return { outcome: outcomeOf(stage), stage, policy, kept, missing, permitted, ambiguous: match.ambiguous };
  }
  const takesProbe = best.candidate.instance.live.breaker.state !== 'CLOSED';
  return { outcome: 'OK', choice: best.candidate, ranked, takesProbe, policy, kept };
}

/** The counts as people read them: how many came to each stage and how many it kept. */
export function stageCounts(kept: readonly number[]): StageCount[] {
  return STAGES.map((stage, index) => ({
    stage,
    entered: kept[index === 0 ? 0 : index - 1] ?? 0,
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
  let allowed = false;
  let why = '';
  for (const candidate of pool) {
    const { instance } = candidate;
    if (instance.agent !== agent || candidate.capability.name !== capability) {
      agent = instance.agent;
      capability = candidate.capability.name;
      const decision = table.permissions.check(request.caller, request.roles, instance.agent, capability, now.wall);
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
  // Going round from a random start makes each of several equals equally likely to come first.
  const start = Math.floor(random() * pool.length);
  for (let step = 0; step < pool.length; step++) {
    const candidate = pool[(start + step) % pool.length];
    if (candidate === undefined) continue;
    const score = strategy.score(candidate, request);
    observer?.scored(candidate, score, request);
    let place = ranked.length;
    while (place > 0 && score > (ranked[place - 1]?.score ?? 0)) place--;
    if (place < RANKED) {
      ranked.splice(place, 0, { candidate, score });
      if (ranked.length > RANKED) ranked.length = RANKED;
    }
  }
  return ranked;
}

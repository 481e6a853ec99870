import type { RouteInstance } from './candidate.js';
import type { Decision } from './decision.js';
import { chooseDomain } from './domain-choice.js';
import { keyState } from './key-binding.js';
import { chooseAmongMany } from './many.js';
import { type DecisionObserver, type KeyState, Pass, type VersionRanges } from './pass.js';
import { DEFAULT_POLICY_CONTENT, type PolicyContent } from './policy.js';
import type { PolicySet } from './policy-set.js';
import type { Instant, RouteRequest } from './request.js';
import type { RouteTable } from './route-table.js';
import { choose, nobodyForStrategy, nobodyThrough, SAMPLE_ABOVE } from './run-pass.js';
import { keepBest, keepPossible } from './stages.js';
import { strategyOf } from './strategies/index.js';
import type { TargetMatch } from './target-match.js';
import { versionRange } from './version-range.js';

/**
 * Chooses an instance for a request. Pure: reads the table, two clocks and a source of randomness, changes nothing;
 * what the choice implies (the in-flight count, `takesProbe`, and what `RouteTable.applied` does) the caller applies in
 * the same tick.
 *
 * Among many candidates it looks at a sample, as long as one of these is all that a choice should be; only otherwise at
 * everybody. An observer changes nothing about that: the same random numbers give the same choice.
 *
 * @param random returns a number in [0, 1)
 * @param policies others than the table's, to try them
 */
export function decide<I extends RouteInstance>(
  table: RouteTable<I>,
  request: RouteRequest,
  now: Instant,
  random: () => number,
  observer?: DecisionObserver<I>,
  policies = table.policies,
): Decision<I> {
  const pass = passFor(table, request, now, random, observer, policies);
  const key = keyState(pass);
  if (pass.listed.size > SAMPLE_ABOVE) {
    const choice = chooseAmongMany(pass, key);
    if (choice !== undefined) return choice;
  }
  pass.placeAmong(pass.listed);
  pass.drawn = false;
  pass.scratch = undefined;
  pass.begin(pass.listed.cells, undefined);
  return decideAmong(pass, key);
}

/** Decides among those that the pass looks at, and nobody else. */
export function decideAmong<I extends RouteInstance>(pass: Pass<I>, key: KeyState | undefined): Decision<I> {
  if (!keepBest(pass)) {
    pass.observer?.began(pass);
    if (!keepPossible(pass)) return nobodyThrough(pass);
  }
  const through = pass.strategy.narrow === undefined ? pass.pool : pass.pool.slice();
  return choose(pass, key) ?? nobodyForStrategy(pass, through);
}

/** Gathers what a decision is about: the target's candidates, the policy, and what it says about where to look. */
export function passFor<I extends RouteInstance>(
  table: RouteTable<I>,
  request: RouteRequest,
  now: Instant,
  random: () => number,
  observer: DecisionObserver<I> | undefined,
  policies: PolicySet,
): Pass<I> {
  const { namespace, target, caller, requestId } = request;
  const all = table.match(namespace, target);
  const named = all.capability ?? target.capability ?? '*';
  const policy = policies.find(namespace, named, all.tags, caller, requestId);
  const { content } = policy;
  // The policy is that of any call to this target: what one instance offers beside the others doesn't change it.
  const match = request.only === undefined ? all : all.alone(table.candidate(all.cells, request.only));
  const listed = request.backup === true ? match : listedOf(match, content.candidates, request.only !== undefined);
  const ranges = rangesOf(content, target.versions);
  const strategy = strategyOf(request.backup === true ? DEFAULT_POLICY_CONTENT.strategy : content.strategy);
  const domains = chooseDomain(content, request, table.canaryShares.get(namespace));
  return new Pass(table, request, now, random, observer, match, policy, strategy, listed, ranges, domains);
}

/** Those of a match whose agents a policy lists; the very match when it lists none. */
function listedOf<I extends RouteInstance>(
  match: TargetMatch<I>,
  candidates: PolicyContent['candidates'],
  isOne: boolean,
): TargetMatch<I> {
  if (candidates.length === 0) return match;
  if (!isOne) return match.narrowed(candidates);
  const [one] = match.candidates;
  return one === undefined || candidates.includes(one.instance.agent) ? match : match.alone(undefined);
}

function rangesOf({ versions }: PolicyContent, ofCall: string | undefined): VersionRanges | undefined {
  if (versions.range === null && ofCall === undefined) return undefined;
  return {
    ofPolicy: versions.range === null ? undefined : versionRange(versions.range),
    ofCall: ofCall === undefined ? undefined : versionRange(ofCall),
  };
}

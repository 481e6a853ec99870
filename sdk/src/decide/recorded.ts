import type { AgentRef, InstanceRef } from '../protocol/index.js';
import { type Binding, bindingKey } from './affinity.js';
import type { Candidate, RouteCapability, RouteInstance } from './candidate.js';
import { decide } from './decide.js';
import type { Decision } from './decision.js';
import { offered } from './key-binding.js';
import type { DecisionObserver, Pass } from './pass.js';
import { PermissionAsker } from './permission-asker.js';
import type { StrategyName } from './policy.js';
import { CapabilityList, type RecordedCandidate, recordCandidate } from './recorded-candidate.js';
import type { Instant, RouteRequest } from './request.js';
import type { RouteTable } from './route-table.js';
import { seededRandom } from './seeded-random.js';

/** Candidates recorded at most. */
const MAX_CANDIDATES = 256;

/** What the rules said of one agent and capability: allowed (true), no rule (false), or the rule that denies it. */
export type RecordedVerdict = boolean | string;

/** All that one decision read, as plain JSON: enough to make it again, or to make another one by other policies. */
export interface RecordedDecision {
  readonly request: Omit<RouteRequest, 'tried'> & { readonly tried?: readonly InstanceRef[] | undefined };
  readonly now: Instant;
  /** Of the random source that the decision used, and how many numbers it had drawn before it looked at the last pool. */
  readonly seed: number;
  readonly drawnBefore: number;
  readonly policy: { readonly id: string | null; readonly version: number };
  /** The namespace's share for canaries, in percent; undefined: it has none. */
  readonly canaryPercent?: number | undefined;
  /** The name that policies, turns and bound keys go by; empty when nobody matched. */
  readonly capability: string;
  readonly capabilities: readonly RouteCapability[];
  /** First those that the decision looked at last, in that order, then the others. */
  readonly candidates: readonly RecordedCandidate[];
  /** How many of the candidates it looked at last. */
  readonly looked: number;
  /** How these were found: all there are, a sample drawn by lot, or one drawn by the strategy. */
  readonly lookedBy: 'ALL' | 'LOT' | 'STRATEGY';
  /** How many matched the target; more than there are candidates here when not all were recorded. */
  readonly matched: number;
  readonly truncated: boolean;
  /** By agent, then by the capability's name. */
  readonly permissions: Readonly<Record<AgentRef, Readonly<Record<string, RecordedVerdict>>>>;
  /** What the strategy remembered about the recorded candidates; null when it remembers nothing. */
  readonly strategy: { readonly name: StrategyName; readonly state: unknown };
  /** What the affinity key was bound to, and the instance if it is none of the recorded candidates. */
  readonly binding: (Binding & { readonly elsewhere?: RecordedCandidate | undefined }) | null;
  readonly outcome: Decision['outcome'];
  readonly chosen: InstanceRef | undefined;
}

/**
 * Records a decision that was made with `seededRandom(seed)`, before anything of it is applied. Makes it once more to see
 * what it looked at, so it costs more than twice as much as the decision.
 *
 * @param request with its affinity key as the decision got it, which should be a hash of the caller's own
 */
export function recordDecision<I extends RouteInstance>(
  table: RouteTable<I>,
  request: RouteRequest,
  now: Instant,
  seed: number,
  decision: Decision<I>,
): RecordedDecision {
  const watch = new Watch<I>(seed);
  decide(table, request, now, watch.random, watch);
  const { pass, drawnBefore } = watch;
  const looked = pass.looked();
  const known = new Set(looked);
  const recorded = [...looked];
  for (const candidate of pass.match.candidates) if (!known.has(candidate)) recorded.push(candidate);
  const truncated = recorded.length > MAX_CANDIDATES;
  recorded.length = Math.min(recorded.length, MAX_CANDIDATES);

  const capability = pass.match.capability ?? '';
  const capabilities = new CapabilityList();
  const candidates = recorded.map((each) => recordCandidate(each.instance, capabilities.placeOf(each), request.caller));
  const { tried, ...rest } = request;
  return {
    request: { ...rest, tried: tried === undefined ? undefined : [...tried] },
    now,
    seed,
    drawnBefore,
    policy: { id: decision.policy.id, version: decision.policy.version },
    canaryPercent: table.canaryShares.get(request.namespace),
    capability,
    capabilities: capabilities.all,
    candidates,
    looked: looked.length,
    lookedBy: pass.sample === undefined ? 'ALL' : pass.drawn ? 'STRATEGY' : 'LOT',
    matched: pass.match.size,
    truncated,
    permissions: verdictsOf(pass, recorded),
    strategy: {
      name: decision.policy.content.strategy.name,
      state: pass.strategy.capture?.(recorded, capability) ?? null,
    },
    binding: bindingOf(pass, recorded, capabilities),
    outcome: decision.outcome,
    chosen: decision.outcome === 'OK' ? decision.choice.instance.ref : undefined,
  };
}

/** Watches a decision and counts what it draws. */
class Watch<I extends RouteInstance> implements DecisionObserver<I> {
  drawnBefore = 0;
  readonly random: () => number;
  #drawn = 0;
  #pass: Pass<I> | undefined;

  constructor(seed: number) {
    const source = seededRandom(seed);
    this.random = () => {
      this.#drawn++;
      return source();
    };
  }

  began(pass: Pass<I>): void {
    this.#pass = pass;
    this.drawnBefore = this.#drawn;
  }

  get pass(): Pass<I> {
    if (this.#pass === undefined) throw new Error('Every decision begins to look at somebody.');
    return this.#pass;
  }
}

function verdictsOf<I extends RouteInstance>(
  pass: Pass<I>,
  candidates: readonly Candidate<I>[],
): RecordedDecision['permissions'] {
  const asker = new PermissionAsker(pass);
  const verdicts: Record<AgentRef, Record<string, RecordedVerdict>> = {};
  for (const candidate of candidates) {
    const { agent } = candidate.instance;
    const { allowed, rule } = asker.check(candidate);
    verdicts[agent] ??= {};
    verdicts[agent][candidate.capability.name] = allowed || rule === undefined ? allowed : rule.id;
  }
  return verdicts;
}

function bindingOf<I extends RouteInstance>(
  pass: Pass<I>,
  recorded: readonly Candidate<I>[],
  capabilities: CapabilityList,
): RecordedDecision['binding'] {
  const { request, policy, match, table, now } = pass;
  if (!request.affinityKey || match.capability === undefined) return null;
  const key = bindingKey(policy.id, request.namespace, match.capability, request.affinityKey);
  const bound = table.bindings.bound(key, now.monotonic);
  if (bound === undefined) return null;
  const { ref, version } = bound;
  const instance = table.instance(ref);
  const capability = instance === undefined ? undefined : offered(instance, pass);
  const isRecorded = recorded.some((candidate) => candidate.instance.ref === ref);
  if (instance === undefined || capability === undefined || isRecorded) return { ref, version };
  const place = capabilities.placeOf({ instance, capability });
  return { ref, version, elsewhere: recordCandidate(instance, place, request.caller) };
}

import { bindingKey, rendezvous } from './affinity.js';
import type { Candidate, RouteInstance } from './candidate.js';
import { breakerAdmits, isRoutable } from './conditions.js';
import type { KeyBinding } from './decision.js';
import type { KeyState, Pass } from './pass.js';
import type { PolicyContent } from './policy.js';

/**
 * What the call's affinity key is bound to; undefined when it has none, or when its policy binds none.
 *
 * A key is bound to the instance that its first call went to. It moves when that instance is lost: gone, not routable,
 * resting after failures, without the capability, or excluded by the policy. It stays while the instance is only full,
 * or while it can't serve this one call, which comes from another domain or zone or asks for other versions.
 */
export function keyState<I extends RouteInstance>(pass: Pass<I>): KeyState | undefined {
  const { request, policy, match, table, now } = pass;
  const { affinityKey, namespace } = request;
  if (!affinityKey || match.capability === undefined || !bindsKeys(policy.content)) return undefined;
  const key = bindingKey(policy.id, namespace, match.capability, affinityKey);
  const known = table.bindings.bound(key, now.monotonic);
  return { key, known, lost: known !== undefined && isLost(pass, known.ref) };
}

/** Whether a key means something to a policy beside the hash ring, which needs no memory. */
function bindsKeys({ sticky, versions, strategy }: PolicyContent): boolean {
  return sticky || versions.sticky || (strategy.name === 'WEIGHTED_SCORE' && strategy.weights.affinity > 0);
}

function isLost<I extends RouteInstance>(pass: Pass<I>, ref: RouteInstance['ref']): boolean {
  const { table, policy, ranges, now } = pass;
  const instance = table.instance(ref);
  return (
    instance === undefined ||
    !isRoutable(instance) ||
    !breakerAdmits(instance.live.breaker, now.monotonic) ||
    offered(instance, pass) === undefined ||
    (policy.content.candidates.length > 0 && !policy.content.candidates.includes(instance.agent)) ||
    ranges?.ofPolicy?.admits(instance.version) === false
  );
}

/**
 * What an instance offers of the capability that the call is for, whichever agent, type or tags this one call asks for
 * besides: these decide where it goes, not where its key belongs.
 */
export function offered<I extends RouteInstance>(
  instance: I,
  { request, match }: Pass<I>,
): I['capabilities'][number] | undefined {
  const asked = request.target.capability ?? match.capability ?? '';
  return instance.capabilities.find(({ name, aliases }) => name === asked || aliases.includes(asked));
}

/**
 * Before the strategy narrows: keeps to the version that the key is bound to, where the policy says so, and finds the
 * bound instance. Returns whether that settles the choice.
 */
export function keepToBound<I extends RouteInstance>(pass: Pass<I>, { known }: KeyState): boolean {
  if (known === undefined) return false;
  const { sticky, versions } = pass.policy.content;
  if (versions.sticky && pass.pool.some(({ instance }) => instance.version === known.version)) {
    keepOnly(
      pass,
      ({ instance }) => instance.version === known.version,
      () => `is of another version than ${known.version}, which the affinity key is bound to`,
    );
  }
  if (!pass.pool.some(({ instance }) => instance.ref === known.ref)) return false;
  pass.bound = known.ref;
  if (!sticky) return false;
  keepOnly(
    pass,
    ({ instance }) => instance.ref === known.ref,
    () => `the affinity key is bound to ${known.ref}`,
  );
  return true;
}

/** After the strategy narrowed: where a key starts that is bound to nobody who is left: at one in slow start less often. */
export function startKey<I extends RouteInstance>(pass: Pass<I>, { key }: KeyState): void {
  const start = rendezvous(key, pass.pool, pass.ramps ? pass.now.monotonic : undefined);
  if (start === undefined) return;
  pass.bound = start.instance.ref;
  if (!pass.policy.content.sticky) return;
  keepOnly(
    pass,
    (candidate) => candidate === start,
    () => `the affinity key starts at ${start.instance.ref}`,
  );
}

function keepOnly<I extends RouteInstance>(
  pass: Pass<I>,
  stays: (candidate: Candidate<I>) => boolean,
  reason: () => string,
): void {
  const { pool, observer } = pass;
  let kept = 0;
  for (const candidate of pool) {
    if (stays(candidate)) pool[kept++] = candidate;
    else observer?.dropped?.(candidate, 'STRATEGY', reason());
  }
  pool.length = kept;
}

/** What the key is bound to from now on: where it was, if that isn't lost, else to the choice. Renewed with each use. */
export function bindingAfter<I extends RouteInstance>(
  { key, known, lost }: KeyState,
  { instance }: Candidate<I>,
): KeyBinding {
  if (known !== undefined && !lost) {
    return { key, ref: known.ref, version: known.version, kind: 'KEPT', from: undefined };
  }
  const { ref, version } = instance;
  return { key, ref, version, kind: known === undefined ? 'NEW' : 'MOVED', from: known?.ref };
}

import type { Candidate, Domain, RouteInstance } from './candidate.js';
import { hasRoom, limitOf, running } from './capacity.js';
import { SATURATED } from './conditions.js';
import type { ReasonCount } from './decision.js';
import type { Stage } from './explanation.js';
import type { Pass } from './pass.js';
import { PermissionAsker } from './permission-asker.js';

/** Why a stage dropped a candidate, in a sentence: for explanations. */
export function whyDropped<I extends RouteInstance>(
  stage: Stage,
  candidate: Candidate<I>,
  pass: Pass<I>,
  asker = new PermissionAsker(pass),
): string {
  const { instance, capability } = candidate;
  const { live, zone, domain } = instance;
  switch (stage) {
    case 'TARGET':
      return whyExcluded(candidate, pass);
    case 'PERMISSION': {
      const { rule } = asker.check(candidate);
      const why = rule === undefined ? 'no rule allows it' : `rule ${rule.id} denies it`;
      return `${pass.request.caller} may not call ${instance.agent}:${capability.name}: ${why}`;
    }
    case 'LIFECYCLE':
      if (live.lifecycle !== 'READY') return `is ${live.lifecycle}, not READY (${live.reason})`;
      return live.health === 'OFFLINE' ? `is OFFLINE (${live.reason})` : 'has weight 0: no new work';
    case 'DOMAIN':
      return `is in domain ${domain}, the call in ${pass.domain}${whyThere(domain, pass)}`;
    case 'ZONE':
      return `is in zone ${zone}, the call prefers ${pass.request.zone}`;
    case 'CAPACITY':
      return whyNoRoom(candidate);
    case 'BREAKER':
      if (live.breaker.state === 'OPEN') return `breaker is open: ${live.breaker.reason}`;
      return 'breaker is half-open and its probe call is under way';
    case 'STRATEGY':
      return 'was already tried for this call';
    default:
      return stage satisfies never;
  }
}

/** How the call came to its domain, for those who are in the one that it could have come to instead. */
function whyThere<I extends RouteInstance>(domain: Domain, pass: Pass<I>): string {
  const { drawn, other, canaryPercent } = pass.domains;
  if (domain !== drawn && domain !== other) return '';
  if (pass.domain !== drawn) return `, since nobody in ${drawn} can take it`;
  if (canaryPercent === undefined) return '';
  return `, since it is ${drawn === 'CANARY' ? '' : 'not '}among the ${canaryPercent} % that are for canaries`;
}

/** The limit that a candidate is at, by the name of its setting. */
function limitText(candidate: Candidate): string {
  const { instance, capability } = candidate;
  if (capability.mode === 'TASK') return `at maxTasks ${limitOf(candidate)}`;
  const queued = instance.maxQueue === 0 ? '' : ` + maxQueue ${instance.maxQueue}`;
  return `at maxConcurrency ${limitOf(candidate)}${queued}`;
}

function whyNoRoom(candidate: Candidate): string {
  const { instance, capability } = candidate;
  if (!hasRoom(candidate)) {
    const [count, limit] = [running(candidate), limitOf(candidate)];
    if (capability.mode === 'TASK') return `is full: ${count} of ${limit} tasks`;
    return `is full: ${count} in flight of ${limit} + ${instance.maxQueue} queued`;
  }
  return `utilisation ${(instance.live.utilisation ?? 0).toFixed(2)} over ${SATURATED} while others have room`;
}

function whyExcluded<I extends RouteInstance>({ instance }: Candidate<I>, { policy, ranges }: Pass<I>): string {
  if (!isListed(instance, policy.content.candidates)) return `is not among the agents that policy ${policy.name} lists`;
  if (ranges?.ofPolicy?.admits(instance.version) === false) {
    return `is of version ${instance.version}, policy ${policy.name} allows ${ranges.ofPolicy.text}`;
  }
  return `is of version ${instance.version}, the call asks for ${ranges?.ofCall?.text}`;
}

function isListed({ agent }: RouteInstance, listed: readonly string[]): boolean {
  return listed.length === 0 || listed.includes(agent);
}

/** Why a stage dropped a candidate, in few words that follow a number: for the counts in errors. */
export function brieflyDropped<I extends RouteInstance>(
  stage: Stage,
  candidate: Candidate<I>,
  pass: Pass<I>,
  asker: PermissionAsker<I>,
): string {
  const { live, zone, domain, version } = candidate.instance;
  switch (stage) {
    case 'TARGET':
      return isListed(candidate.instance, pass.policy.content.candidates)
        ? `in version ${version}`
        : `not among the agents that policy ${pass.policy.name} lists`;
    case 'PERMISSION': {
      const { rule } = asker.check(candidate);
      return rule === undefined ? 'without a rule that allows it' : `denied by rule ${rule.id}`;
    }
    case 'LIFECYCLE':
      if (live.lifecycle !== 'READY') return live.lifecycle;
      return live.health === 'OFFLINE' ? 'OFFLINE' : 'of weight 0';
    case 'DOMAIN':
      return `in ${domain}`;
    case 'ZONE':
      return `in zone ${zone}`;
    case 'CAPACITY':
      return limitText(candidate);
    case 'BREAKER':
      return live.breaker.state === 'OPEN' ? 'open' : 'half-open with a probe under way';
    case 'STRATEGY':
      return `of agents that ${pass.policy.content.strategy.name} does not name`;
    default:
      return stage satisfies never;
  }
}

/** How many fell for which reason, the most frequent first. */
export function countReasons<C>(dropped: readonly C[], brief: (candidate: C) => string): ReasonCount[] {
  const counts = new Map<string, number>();
  for (const candidate of dropped) {
    const reason = brief(candidate);
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return Array.from(counts, ([reason, count]) => ({ reason, count })).sort(
    (a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1),
  );
}

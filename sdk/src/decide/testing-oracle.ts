import type { Domain, RouteInstance } from './candidate.js';
import type { Stage } from './explanation.js';
import type { DomainSplit, PolicyContent } from './policy.js';
import type { RouteRequest } from './request.js';
import { hash32 } from './strategies/hash.js';
import { NOW, type World } from './testing-world.js';
import { versionRange } from './version-range.js';

/** What must come of a request, found by asking every instance in the plainest way. */
export type Expected = { readonly among: readonly string[] } | { readonly stage: Stage; readonly fell: number };

/** Which instances may be chosen (before the strategy and the binding of keys), or the stage that leaves nobody. */
export function expected(world: World, request: RouteRequest): Expected {
  const { content, table } = world;
  const present = world.instances.filter(({ ref }) => table.instance(ref) !== undefined);
  const matching = present.filter((instance) => isMeant(instance, request));
  const stages: readonly [Stage, (instance: RouteInstance, left: readonly RouteInstance[]) => boolean][] = [
    ['TARGET', (instance) => isListed(instance, request, content)],
    ['PERMISSION', (instance) => mayCall(world, instance, request)],
    ['LIFECYCLE', ({ live, weight }) => live.lifecycle === 'READY' && live.health !== 'OFFLINE' && weight > 0],
    ['DOMAIN', ({ domain }, left) => domain === domainFor(world, request, left)],
    ['ZONE', ({ zone }) => content.allowZoneCrossing || request.zone === undefined || zone === request.zone],
    ['CAPACITY', (instance) => hasRoomFor(instance, request)],
    ['BREAKER', ({ live }) => admits(live.breaker)],
  ];
  let left: readonly RouteInstance[] = matching;
  for (const [stage, passes] of stages) {
    const before = left;
    left = before.filter((instance) => passes(instance, before));
    if (left.length === 0) return { stage, fell: before.length };
  }
  const prefer = (has: (instance: RouteInstance) => boolean) => {
    if (left.some(has)) left = left.filter(has);
  };
  prefer(({ ref }) => request.tried?.has(ref) !== true);
  prefer(({ zone }) => request.zone === undefined || zone === request.zone);
  prefer(({ live }) => (live.utilisation ?? 0) <= 0.9);
  return { among: left.map(({ ref }) => ref) };
}

function isMeant(instance: RouteInstance, { target }: RouteRequest): boolean {
  const { agent, type, capability, tags = [] } = target;
  return (
    (agent === undefined || instance.agent === `shop/${agent}`) &&
    (type === undefined || instance.agentType === type) &&
    instance.capabilities.some(
      (each) =>
        (each.name === capability || each.aliases.includes(capability ?? '')) &&
        tags.every((tag) => each.tags.includes(tag)),
    )
  );
}

function isListed({ agent, version }: RouteInstance, { target }: RouteRequest, content: PolicyContent): boolean {
  const { candidates, versions } = content;
  return (
    (candidates.length === 0 || candidates.includes(agent)) &&
    (versions.range === null || versionRange(versions.range).admits(version)) &&
    (target.versions === undefined || versionRange(target.versions).admits(version))
  );
}

function mayCall({ table }: World, { agent }: RouteInstance, { caller, roles, target }: RouteRequest): boolean {
  const name = target.capability === 'other' ? 'r' : 'q';
  return table.permissions.check(caller, roles, agent, name, NOW.wall).allowed;
}

function domainFor({ content, canaryPercent }: World, request: RouteRequest, left: readonly RouteInstance[]): Domain {
  const order = domainsFor(request, content.domainSplit, canaryPercent);
  return order.find((wanted) => left.some(({ domain }) => domain === wanted)) ?? request.domain;
}

/** The domains that a call may go to, the one that is preferred first. */
function domainsFor(request: RouteRequest, split: DomainSplit | null, canaryPercent: number | undefined): Domain[] {
  if (split !== null) return [drawnDomain(request, split), request.domain];
  if (request.domain === 'CANARY') return ['CANARY', 'PRODUCTION'];
  if (canaryPercent === undefined || request.domain !== 'PRODUCTION') return [request.domain];
  return lot(request) < canaryPercent ? ['CANARY', 'PRODUCTION'] : ['PRODUCTION', 'CANARY'];
}

const lot = ({ requestId }: RouteRequest): number => (hash32(`domain ${requestId}`) % 10_000) / 100;

function drawnDomain(request: RouteRequest, split: DomainSplit): Domain {
  const percent = lot(request);
  if (percent < split.CANARY) return 'CANARY';
  return percent < split.CANARY + split.STAGING ? 'STAGING' : 'PRODUCTION';
}

/** `other` is an alias of the only capability that is a task. */
function hasRoomFor({ live, ...instance }: RouteInstance, { target }: RouteRequest): boolean {
  if (target.capability === 'other') return live.tasks < instance.maxTasks;
  return live.inFlight < instance.maxConcurrency + instance.maxQueue;
}

function admits(breaker: RouteInstance['live']['breaker']): boolean {
  if (breaker.state === 'CLOSED') return true;
  return breaker.state === 'OPEN' ? breaker.until <= NOW.monotonic : !breaker.probing;
}

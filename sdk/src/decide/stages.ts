import type { Health, Lifecycle } from '../protocol/index.js';
import type { Stage } from './explanation.js';
import type { BreakerState } from './live.js';
import type { Policy } from './policy.js';
import type { Instant, RouteRequest } from './request.js';
import type { Candidate } from './route-table.js';

/** Told of each candidate that a stage drops. Only explanations listen; the reason is made only when they do. */
export type OnDropped = (candidate: Candidate, stage: Stage, reason: string) => void;

/** Beyond this utilisation an instance is chosen only when nothing else is left. */
export const SATURATED = 0.9;

type Reason<C> = (candidate: C) => string;

/** Keeps in place what passes; returns how many. */
function keep<C extends Candidate>(
  pool: C[],
  stage: Stage,
  passes: (candidate: C) => boolean,
  reason: Reason<C>,
  onDropped: OnDropped | undefined,
): number {
  let kept = 0;
  for (const candidate of pool) {
    if (passes(candidate)) pool[kept++] = candidate;
    else if (onDropped !== undefined) onDropped(candidate, stage, reason(candidate));
  }
  pool.length = kept;
  return kept;
}

/** Like keep, but when nobody passes, everybody stays: a preference, not a condition. */
function prefer<C extends Candidate>(
  pool: C[],
  stage: Stage,
  passes: (candidate: C) => boolean,
  reason: Reason<C>,
  onDropped: OnDropped | undefined,
): number {
  return pool.some(passes) ? keep(pool, stage, passes, reason, onDropped) : pool.length;
}

/** Only READY is routed to, never OFFLINE, never weight 0. */
export function lifecycleStage<C extends Candidate>(pool: C[], onDropped?: OnDropped): number {
  return keep(pool, 'LIFECYCLE', isRoutable, whyNotRoutable, onDropped);
}

function isRoutable({ instance }: Candidate): boolean {
  return instance.live.lifecycle === 'READY' && instance.live.health !== 'OFFLINE' && instance.weight > 0;
}

function whyNotRoutable({ instance }: Candidate): string {
  const { lifecycle, health, reason }: { lifecycle: Lifecycle; health: Health; reason: string } = instance.live;
  if (lifecycle !== 'READY') return `is ${lifecycle}, not READY (${reason})`;
  if (health === 'OFFLINE') return `is OFFLINE (${reason})`;
  return 'has weight 0: no new work';
}

/** A call stays in its caller's domain. */
export function domainStage<C extends Candidate>(pool: C[], request: RouteRequest, onDropped?: OnDropped): number {
  return keep(
    pool,
    'DOMAIN',
    ({ instance }) => instance.domain === request.domain,
    ({ instance }) => `is in domain ${instance.domain}, the call in ${request.domain}`,
    onDropped,
  );
}

/** The preferred zone first, others only when that has nobody and the policy allows to cross. */
export function zoneStage<C extends Candidate>(
  pool: C[],
  request: RouteRequest,
  policy: Policy,
  onDropped?: OnDropped,
): number {
  const { zone } = request;
  if (zone === undefined) return pool.length;
  const filter = policy.content.allowZoneCrossing ? prefer : keep;
  return filter(
    pool,
    'ZONE',
    ({ instance }) => instance.zone === zone,
    ({ instance }) => `is in zone ${instance.zone}, the call prefers ${zone}`,
    onDropped,
  );
}

/** Not full; then, by preference, not saturated. */
export function capacityStage<C extends Candidate>(pool: C[], onDropped?: OnDropped): number {
  keep(pool, 'CAPACITY', hasRoom, whyFull, onDropped);
  return prefer(pool, 'CAPACITY', isUnsaturated, whySaturated, onDropped);
}

function hasRoom({ instance }: Candidate): boolean {
  return instance.live.inFlight < instance.maxConcurrency + instance.maxQueue;
}

function whyFull({ instance }: Candidate): string {
  return `is full: ${instance.live.inFlight} in flight of ${instance.maxConcurrency} + ${instance.maxQueue} queued`;
}

function isUnsaturated({ instance }: Candidate): boolean {
  return (instance.live.utilisation ?? 0) <= SATURATED;
}

function whySaturated({ instance }: Candidate): string {
  return `utilisation ${(instance.live.utilisation ?? 0).toFixed(2)} over ${SATURATED} while others have room`;
}

/** Not resting after failures; a half-open one takes one probe call at a time. */
export function breakerStage<C extends Candidate>(pool: C[], now: Instant, onDropped?: OnDropped): number {
  return keep(
    pool,
    'BREAKER',
    ({ instance }) => breakerAdmits(instance.live.breaker, now.monotonic),
    ({ instance }) => whyBroken(instance.live.breaker),
    onDropped,
  );
}

/** Whether a breaker lets a call through at this moment. */
export function breakerAdmits(breaker: BreakerState, monotonic: number): boolean {
  switch (breaker.state) {
    case 'CLOSED':
      return true;
    case 'OPEN':
      return breaker.until <= monotonic;
    case 'HALF_OPEN':
      return !breaker.probing;
    default:
      return breaker satisfies never;
  }
}

function whyBroken(breaker: BreakerState): string {
  if (breaker.state === 'OPEN') return `breaker is open: ${breaker.reason}`;
  return 'breaker is half-open and its probe call is under way';
}

/** Instances already tried for this call give way to others. */
export function preferUntried<C extends Candidate>(pool: C[], request: RouteRequest, onDropped?: OnDropped): void {
  const { tried } = request;
  if (tried === undefined) return;
  prefer(
    pool,
    'STRATEGY',
    ({ instance }) => !tried.has(instance.ref),
    () => 'was already tried for this call',
    onDropped,
  );
}

import type { AgentRef, CallerRef, InstanceRef } from '../protocol/index.js';
import type { Candidate, RouteCapability, RouteInstance } from './candidate.js';
import { type BreakerState, createLiveState, type LiveState } from './live.js';

/** Everything that a decision reads of one candidate. Fields that have their usual value are left out. */
export interface RecordedCandidate extends Pick<RouteInstance, 'ref' | 'weight' | 'maxConcurrency' | 'zone'> {
  readonly agentType: string;
  readonly version: string;
  /** Place in the record's list of capabilities. */
  readonly capability: number;
  readonly domain?: RouteInstance['domain'] | undefined;
  readonly maxQueue?: number | undefined;
  readonly maxTasks?: number | undefined;
  readonly lifecycle?: LiveState['lifecycle'] | undefined;
  readonly health?: LiveState['health'] | undefined;
  readonly reason?: string | undefined;
  readonly inFlight?: number | undefined;
  readonly tasks?: number | undefined;
  readonly rampUntil?: number | undefined;
  readonly rampMs?: number | undefined;
  readonly queueDepth?: number | undefined;
  readonly utilisation?: number | undefined;
  readonly meanLatencyMs?: number | undefined;
  readonly successRate?: number | undefined;
  readonly ackOverdue?: true | undefined;
  readonly breaker?: BreakerState | undefined;
  /** Share of this call's caller's recent calls to it that succeeded, when it is not 1. */
  readonly callerShare?: number | undefined;
}

/** @param capability its place in the record's list */
export function recordCandidate(instance: RouteInstance, capability: number, caller: CallerRef): RecordedCandidate {
  const { live } = instance;
  const usable = live.lifecycle === 'READY' && live.health === 'HEALTHY';
  return {
    ref: instance.ref,
    agentType: instance.agentType,
    version: instance.version,
    capability,
    domain: unless(instance.domain, 'PRODUCTION'),
    zone: instance.zone,
    weight: instance.weight,
    maxConcurrency: instance.maxConcurrency,
    maxQueue: unless(instance.maxQueue, 0),
    maxTasks: unless(instance.maxTasks, 100),
    lifecycle: unless(live.lifecycle, 'READY'),
    health: unless(live.health, 'HEALTHY'),
    reason: usable ? undefined : live.reason,
    inFlight: unless(live.inFlight, 0),
    tasks: unless(live.tasks, 0),
    rampUntil: unless(live.rampUntil, 0),
    rampMs: unless(live.rampMs, 0),
    queueDepth: unless(live.queueDepth, 0),
    utilisation: live.utilisation ?? undefined,
    meanLatencyMs: live.meanLatencyMs ?? undefined,
    successRate: live.successRate ?? undefined,
    ackOverdue: live.ackOverdue || undefined,
    breaker: live.breaker.state === 'CLOSED' ? undefined : live.breaker,
    callerShare: live.callerHistory.get(caller),
  };
}

/** The instance as the decision saw it, offering the one capability. */
export function restoreInstance(
  recorded: RecordedCandidate,
  capability: RouteCapability,
  caller: CallerRef,
): RouteInstance {
  const { ref, lifecycle = 'READY', health = 'HEALTHY', reason = '' } = recorded;
  const live = createLiveState(lifecycle, health, reason);
  live.inFlight = recorded.inFlight ?? 0;
  live.tasks = recorded.tasks ?? 0;
  live.rampUntil = recorded.rampUntil ?? 0;
  live.rampMs = recorded.rampMs ?? 0;
  live.queueDepth = recorded.queueDepth ?? 0;
  live.utilisation = recorded.utilisation ?? null;
  live.meanLatencyMs = recorded.meanLatencyMs ?? null;
  live.successRate = recorded.successRate ?? null;
  live.ackOverdue = recorded.ackOverdue ?? false;
  if (recorded.breaker !== undefined) live.breaker = recorded.breaker;
  if (recorded.callerShare !== undefined) live.callerHistory.set(caller, recorded.callerShare);
  const agent = agentOf(ref);
  return {
    ref,
    agent,
    namespace: agent.slice(0, agent.indexOf('/')),
    agentType: recorded.agentType,
    version: recorded.version,
    domain: recorded.domain ?? 'PRODUCTION',
    zone: recorded.zone,
    weight: recorded.weight,
    maxConcurrency: recorded.maxConcurrency,
    maxQueue: recorded.maxQueue ?? 0,
    maxTasks: recorded.maxTasks ?? 100,
    capabilities: [capability],
    live,
  };
}

/** The capabilities of candidates, each once: many instances share few. */
export class CapabilityList {
  readonly all: RouteCapability[] = [];
  readonly #places = new Map<RouteCapability, number>();

  placeOf({ capability }: Candidate): number {
    let place = this.#places.get(capability);
    if (place === undefined) {
      const { name, aliases, tags, idempotent, mode } = capability;
      place = this.all.push({ name, aliases, tags, idempotent, mode }) - 1;
      this.#places.set(capability, place);
    }
    return place;
  }
}

function agentOf(ref: InstanceRef): AgentRef {
  return ref.slice(0, ref.lastIndexOf('/')) as AgentRef;
}

function unless<T>(value: T, usual: T): T | undefined {
  return value === usual ? undefined : value;
}

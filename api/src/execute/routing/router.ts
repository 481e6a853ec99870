import { hash } from 'node:crypto';
import {
  type Decision,
  decide,
  explain,
  type Instant,
  type PolicySet,
  type RouteExplanation,
  recordDecision,
  seededRandom,
} from '@agent-reach/sdk/decide';
import { type CallTarget, type InstanceRef, ReachError } from '@agent-reach/sdk/protocol';
import { type Clock, instant } from '../../perceive/clock.js';
import type { Instance } from '../../perceive/instance.js';
import type { Registry } from '../../perceive/registry.js';
import { type CallRun, markTried } from '../calls/call-run.js';
import { passOver } from '../calls/loops.js';
import type { CallerContext, CallRequest, ExplainPort, NeedResolver, RecentCallsPort } from '../ports.js';
import { namespaceMissing, routeRequest } from './route-request.js';

/** Instances of agents further up that are passed over for one attempt, before the call is refused as a loop. */
const MAX_PASSED_OVER = 8;

export interface RouterDeps {
  readonly clock: Clock;
  /** A number in [0, 1). */
  readonly random: () => number;
  readonly registry: Pick<Registry, 'table'>;
  readonly epoch: string;
  readonly recentCalls: RecentCallsPort;
  readonly needs: NeedResolver;
}

/** Asks the route table for calls and for explanations, by the same code; some calls it also records, with all they saw. */
export class Router implements ExplainPort {
  constructor(private readonly deps: RouterDeps) {}

  /**
   * Where the next attempt of a call goes. What the choice changes is `taken` over in the same tick, or not at all.
   * `avoided`: whom it goes to only when nobody else is left; by default all that were tried.
   */
  route(run: CallRun, now: Instant, avoided?: ReadonlySet<InstanceRef>): Decision<Instance> {
    const { registry, random, recentCalls } = this.deps;
    const { table } = registry;
    if (run.last !== undefined) markTried(run, run.last.instance);
    // A recorded call has a source of its own, so that whoever replays the record draws the same lots.
    const seed =
      run.attempts.length === 0 && run.fallback === undefined && recentCalls.wants(now.wall)
        ? Math.floor(random() * 2 ** 32)
        : undefined;
    for (let passedOver = 0; ; passedOver++) {
      const asked = routeRequest(run.request, run.target, run.caller, run.namespace, avoided ?? run.tried);
      const request = run.fallback === 'AGENT' ? { ...asked, backup: true } : asked;
      const decision = decide(table, request, now, seed === undefined ? random : seededRandom(seed));
      if (passedOver < MAX_PASSED_OVER && passOver(run, decision)) continue;
      if (seed !== undefined) recentCalls.add(recordDecision(table, request, now, seed, decision), now.wall);
      return decision;
    }
  }

  /** The decision is acted upon. */
  taken(decision: Decision<Instance>): void {
    this.deps.registry.table.applied(decision);
  }

  /** The target with its need, if it has one, replaced by the capability that it means; throws what the call would get. */
  understand(target: CallTarget, caller: CallerContext, namespace: string): CallTarget {
    const { need, ...rest } = target;
    if (need === undefined) return target;
    const found = this.deps.needs.resolve(need, caller, namespace, rest);
    if ('error' in found) throw ReachError.fromWire(found.error);
    return { ...rest, capability: found.capability };
  }

  explain(
    request: Pick<CallRequest, 'requestId' | 'target' | 'affinityKey' | 'zone'>,
    caller: CallerContext,
    policies?: PolicySet,
  ): RouteExplanation {
    const namespace = request.target.namespace ?? caller.namespace;
    if (namespace === undefined) throw namespaceMissing();
    const target = this.understand(request.target, caller, namespace);
    const { registry, clock, epoch } = this.deps;
    const { table } = registry;
    // The lots of a request are always the same ones, so that asking again, or with a draft, can be compared.
    const random = seededRandom(seedOf(request.requestId));
    const asked = routeRequest(request, target, caller, namespace);
    return explain(table, asked, instant(clock), random, `${epoch}.${table.version}`, policies);
  }
}

function seedOf(requestId: string): number {
  return Number.parseInt(hash('sha256', requestId, 'hex').slice(0, 8), 16);
}

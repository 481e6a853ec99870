import type { Health, Lifecycle } from '../protocol/index.js';
import { explain } from './explain.js';
import type { RouteExplanation } from './explanation.js';
import { type BreakerState, createLiveState } from './live.js';
import type { PermissionRule } from './permission.js';
import { DEFAULT_POLICY_CONTENT, type Policy, type PolicyContent } from './policy.js';
import type { RouteRequest } from './request.js';
import { type Domain, type RouteInstance, RouteTable } from './route-table.js';

/** A table, a request and what must be decided: the format of `cases/*.yaml`. Times are ms from the moment of the decision. */
export interface DecisionCase {
  readonly name: string;
  readonly table: {
    readonly instances: readonly CaseInstance[];
    readonly permissions?: readonly (Omit<PermissionRule, 'id' | 'expiresAt'> & {
      readonly id?: string;
      readonly expiresInMs?: number;
    })[];
    readonly policies?: readonly {
      readonly name: string;
      readonly namespace: string;
      readonly content: Partial<PolicyContent>;
    }[];
  };
  readonly request: Pick<RouteRequest, 'caller' | 'namespace' | 'target'> &
    Partial<RouteRequest> & { readonly alreadyTried?: readonly string[] };
  readonly expect: {
    readonly outcome: string;
    readonly chosen?: string;
    readonly policy?: string;
    readonly message?: string;
    /** Candidates by instance: the stage that dropped it and its reason, or `kept`. */
    readonly candidates?: Readonly<Record<string, string>>;
  };
}

interface CaseInstance {
  /** `namespace/agent/instance` */
  readonly ref: `${string}/${string}/${string}`;
  readonly type?: string;
  readonly zone?: string;
  readonly domain?: Domain;
  readonly weight?: number;
  readonly maxConcurrency?: number;
  readonly maxQueue?: number;
  readonly lifecycle?: Lifecycle;
  readonly health?: Health;
  readonly reason?: string;
  readonly inFlight?: number;
  readonly utilisation?: number;
  readonly meanLatencyMs?: number;
  readonly breaker?:
    | { readonly open: string; readonly forMs: number }
    | { readonly halfOpen: string; readonly probing: boolean };
  /** Capabilities by name; each may have aliases and tags. */
  readonly capabilities: Readonly<
    Record<string, { readonly aliases?: readonly string[]; readonly tags?: readonly string[] } | null>
  >;
}

/** The wall clock of every case: 2026-01-01. Monotonic time is 1,000,000. */
const WALL = 1_767_225_600_000;
const MONOTONIC = 1_000_000;

/** Runs a case through the router's own code. Randomness is fixed: among equals the first in the table wins. */
export function runCase(data: DecisionCase): RouteExplanation {
  const table = new RouteTable();
  for (const instance of data.table.instances) table.put(toInstance(instance));
  table.setPermissions(
    (data.table.permissions ?? []).map(({ expiresInMs, ...rule }, index) => ({
      ...rule,
      id: rule.id ?? `rule-${index + 1}`,
      ...(expiresInMs === undefined ? {} : { expiresAt: WALL + expiresInMs }),
    })),
  );
  table.setPolicies((data.table.policies ?? []).map(toPolicy));
  const { alreadyTried, ...given } = data.request;
  const request: RouteRequest = {
    requestId: 'case',
    roles: [],
    zone: undefined,
    domain: 'PRODUCTION',
    affinityKey: undefined,
    ...given,
    tried: alreadyTried === undefined ? undefined : new Set(alreadyTried as RouteInstance['ref'][]),
  };
  return explain(table, request, { monotonic: MONOTONIC, wall: WALL }, () => 0, 'case.1');
}

function toPolicy({
  name,
  namespace,
  content,
}: {
  name: string;
  namespace: string;
  content: Partial<PolicyContent>;
}): Policy {
  return { id: name, namespace, name, version: 1, content: { ...DEFAULT_POLICY_CONTENT, ...content } };
}

function toInstance(data: CaseInstance): RouteInstance {
  const [namespace = '', agent = ''] = data.ref.split('/');
  const live = createLiveState(data.lifecycle ?? 'READY', data.health ?? 'HEALTHY', data.reason ?? '');
  live.inFlight = data.inFlight ?? 0;
  live.utilisation = data.utilisation ?? null;
  live.meanLatencyMs = data.meanLatencyMs ?? null;
  live.breaker = toBreaker(data.breaker);
  return {
    ref: data.ref,
    agent: `${namespace}/${agent}`,
    namespace,
    agentType: data.type ?? 'test.agent',
    version: '1.0.0',
    domain: data.domain ?? 'PRODUCTION',
    zone: data.zone ?? 'default',
    weight: data.weight ?? 100,
    maxConcurrency: data.maxConcurrency ?? 10,
    maxQueue: data.maxQueue ?? 0,
    capabilities: Object.entries(data.capabilities).map(([name, more]) => ({
      name,
      aliases: more?.aliases ?? [],
      tags: more?.tags ?? [],
      idempotent: false,
      mode: 'SYNC',
    })),
    live,
  };
}

function toBreaker(data: CaseInstance['breaker']): BreakerState {
  if (data === undefined) return { state: 'CLOSED' };
  if ('open' in data) return { state: 'OPEN', until: MONOTONIC + data.forMs, reason: data.open };
  return { state: 'HALF_OPEN', probing: data.probing, successes: 0, reason: data.halfOpen };
}

import type { AgentRef, CallerRef } from '../protocol/index.js';
import { bindingKey } from './affinity.js';
import type {
  CaseBreaker,
  CaseContent,
  CaseInstance,
  CasePermission,
  CasePolicy,
  CaseRequest,
  CaseTable,
} from './case-format.js';
import { type BreakerState, createLiveState } from './live.js';
import type { PermissionRule } from './permission.js';
import type { Policy, PolicyContent } from './policy.js';
import { validatePolicyContent } from './policy-validation.js';
import type { Instant } from './request.js';
import { type RouteInstance, RouteTable } from './route-table.js';

/** The moment of every case: 2026-01-01 by the wall clock, 1,000,000 ms by the monotonic one. */
export const CASE_NOW: Instant = { monotonic: 1_000_000, wall: 1_767_225_600_000 };

const USUAL_VERSION = '1.0.0';

/** Builds the table that a case describes. Throws where one of its policies could not be saved. */
export function tableOf({ instances, permissions = [], policies = [], canaryPercent }: CaseTable): RouteTable {
  const table = new RouteTable();
  for (const instance of instances) table.put(toInstance(instance));
  table.setPermissions(permissions.map(toRule));
  table.setPolicies(policies.map(toPolicy));
  if (canaryPercent !== undefined) {
    const namespaces = instances.map(({ ref }) => ref.slice(0, ref.indexOf('/')));
    table.setCanaryShares(new Map(namespaces.map((namespace) => [namespace, canaryPercent])));
  }
  return table;
}

/** Binds the request's affinity key as the case says: whichever policy and capability the call will be of. */
export function bindKey(table: RouteTable, { instances, policies = [] }: CaseTable, request: CaseRequest): void {
  const { affinityKey, boundTo, namespace } = request;
  if (!affinityKey || boundTo === undefined) return;
  const version = request.boundVersion ?? table.instance(boundTo)?.version ?? USUAL_VERSION;
  for (const policyId of [null, ...policies.map(({ name }) => name)]) {
    for (const capability of new Set(instances.flatMap(({ capabilities }) => Object.keys(capabilities)))) {
      const key = bindingKey(policyId, namespace, capability, affinityKey);
      table.bindings.bind(key, boundTo, version, CASE_NOW.monotonic);
    }
  }
}

function toRule({ expiresInMs, ...rule }: CasePermission, index: number): PermissionRule {
  return {
    ...rule,
    id: rule.id ?? `rule-${index + 1}`,
    ...(expiresInMs === undefined ? {} : { expiresAt: CASE_NOW.wall + expiresInMs }),
  };
}

function toPolicy({ name, namespace, content, version = 1, rolloutPercent = 100, stable }: CasePolicy): Policy {
  return {
    id: name,
    namespace,
    name,
    version,
    content: toContent(name, content),
    rolloutPercent,
    stable: stable && { version: stable.version, content: toContent(name, stable.content) },
  };
}

function toContent(name: string, given: CaseContent): PolicyContent {
  const { content, faults } = validatePolicyContent(given);
  if (content !== undefined) return content;
  const told = faults.map(({ path, got, allowed }) => `${path} is ${got}, allowed is ${allowed}`);
  throw new Error(`policy ${name}: ${told.join('; ')}`);
}

function toInstance(data: CaseInstance): RouteInstance {
  const [namespace = '', agent = ''] = data.ref.split('/');
  const ref: AgentRef = `${namespace}/${agent}`;
  const live = createLiveState(data.lifecycle ?? 'READY', data.health ?? 'HEALTHY', data.reason ?? '');
  live.inFlight = data.inFlight ?? 0;
  live.tasks = data.tasks ?? 0;
  live.queueDepth = data.queueDepth ?? 0;
  live.utilisation = data.utilisation ?? null;
  live.meanLatencyMs = data.meanLatencyMs ?? null;
  live.successRate = data.successRate ?? null;
  live.ackOverdue = data.ackOverdue ?? false;
  live.breaker = toBreaker(data.breaker);
  if (data.slowStart !== undefined) {
    live.rampUntil = CASE_NOW.monotonic + data.slowStart.forMs;
    live.rampMs = data.slowStart.ofMs;
  }
  for (const [caller, share] of Object.entries(data.callerHistory ?? {})) {
    live.callerHistory.set(caller as CallerRef, share);
  }
  return {
    ref: data.ref,
    agent: ref,
    namespace,
    agentType: data.type ?? 'test.agent',
    version: data.version ?? USUAL_VERSION,
    domain: data.domain ?? 'PRODUCTION',
    zone: data.zone ?? 'default',
    weight: data.weight ?? 100,
    maxConcurrency: data.maxConcurrency ?? 10,
    maxQueue: data.maxQueue ?? 0,
    maxTasks: data.maxTasks ?? 100,
    capabilities: Object.entries(data.capabilities).map(([name, more]) => ({
      name,
      aliases: more?.aliases ?? [],
      tags: more?.tags ?? [],
      idempotent: false,
      mode: more?.mode ?? 'SYNC',
    })),
    live,
  };
}

function toBreaker(data: CaseBreaker | undefined): BreakerState {
  if (data === undefined) return { state: 'CLOSED' };
  if ('open' in data) return { state: 'OPEN', until: CASE_NOW.monotonic + data.forMs, reason: data.open };
  return { state: 'HALF_OPEN', probing: data.probing, successes: 0, failures: 0, reason: data.halfOpen };
}

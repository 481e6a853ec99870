import { qualityOf } from '@agent-reach/sdk/decide';
import type { Health } from '@agent-reach/sdk/protocol';
import type { AgentRecord, AgentVersionRecord, CapabilityRecord, InstanceView } from '../../../perceive/model.js';
import type { InstanceTransition } from '../../../perceive/transition-history.js';
import type { AgentType, AgentVersionType } from '../types/agents.types.js';
import type { CapabilityType } from '../types/capabilities.types.js';
import type { HttpEndpointType, InstanceTransitionType, InstanceType } from '../types/instances.types.js';

/** Best first. */
const HEALTHS: readonly Health[] = ['HEALTHY', 'DEGRADED', 'UNKNOWN', 'OFFLINE'];

/** The agent with the state of its instances at one moment. */
export function agentNode(record: AgentRecord, views: readonly InstanceView[]): AgentType {
  const { settings, versions: _, enrolmentKeyId: __, uid: ___, ...rest } = record;
  const best = HEALTHS.map((health) => views.find((view) => view.health === health)).find((view) => view !== undefined);
  return {
    ...rest,
    ...settings,
    health: best?.health ?? 'OFFLINE',
    healthReason: best === undefined ? 'no instance' : `${best.name}: ${best.reason}`,
    instanceCount: views.length,
    readyCount: views.filter((view) => view.lifecycle === 'READY').length,
    inFlight: views.reduce((sum, view) => sum + view.inFlight, 0),
    record,
    views,
  };
}

export function instanceNode(view: InstanceView): InstanceType {
  const { settings, lease, endpoint, ...rest } = view;
  const { maxConcurrency, maxQueue, maxTasks } = settings;
  const { profile, intervalMs, ttlMs } = lease;
  return {
    ...rest,
    maxConcurrency,
    maxQueue,
    maxTasks,
    lease: profile,
    leaseIntervalMs: intervalMs,
    leaseTtlMs: ttlMs,
    quality: qualityOf(view),
    endpoint: endpointNode(endpoint),
  };
}

function endpointNode(endpoint: InstanceView['endpoint']): HttpEndpointType | null {
  if (endpoint === null) return null;
  const { url, healthPath, encoding, probeIntervalMs, probeTimeoutMs, probes } = endpoint;
  return {
    url: withoutQuery(url),
    healthPath: withoutQuery(healthPath),
    encoding,
    probeIntervalMs,
    probeTimeoutMs,
    goodProbes: probes.good,
    failedProbes: probes.failed,
    probeFailure: probes.reason,
  };
}

function withoutQuery(address: string): string {
  return address.replace(/[?#].*$/s, '');
}

export function transitionNode({ at, from, ...rest }: InstanceTransition): InstanceTransitionType {
  return { ...rest, at: new Date(at), from: from ?? null };
}

export function versionNode(agent: AgentVersionType['agent'], record: AgentVersionRecord): AgentVersionType {
  const { uid, version, domain, createdAt } = record;
  return { id: uid, version, domain, createdAt, record, agent };
}

export function capabilityNode(agent: string, agentVersion: string, record: CapabilityRecord): CapabilityType {
  const { uid, outputSchema, ...rest } = record;
  return { id: uid, agent, agentVersion, outputSchema: outputSchema ?? null, ...rest };
}

/** What the agent can do: by its live instances' versions, or by its newest version while none is live. */
export function capabilitiesOf(record: AgentRecord, views: readonly InstanceView[]): readonly CapabilityType[] {
  const live = views.filter(({ lifecycle }) => lifecycle !== 'SUSPECT' && lifecycle !== 'GONE');
  const names = new Set(live.map(({ version }) => version));
  const versions = [...record.versions.values()].filter(({ version }) => names.has(version));
  if (versions.length === 0) {
    const newest = [...record.versions.values()].sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime())[0];
    if (newest !== undefined) versions.push(newest);
  }
  return versions.flatMap(({ version, capabilities }) =>
    capabilities.map((capability) => capabilityNode(record.ref, version, capability)),
  );
}

/** Whether a text is part of one of several, whatever its case. */
export function contains(search: string | null | undefined, ...texts: readonly string[]): boolean {
  if (search == null || search === '') return true;
  const wanted = search.toLowerCase();
  return texts.some((text) => text.toLowerCase().includes(wanted));
}

import { agentRef, type InstanceRef, instanceRef, type JsonSchema } from '@agent-reach/sdk/protocol';
import type {
  AgentRecord,
  AgentVersionRecord,
  CapabilityRecord,
  HttpEndpoint,
  InstanceRecord,
} from '../../perceive/model.js';
import type { Prisma } from '../../storage/generated/client.js';
import type { CapabilityModel } from '../../storage/generated/models.js';
import { endOf } from '../canary/canary.end.js';
import { settingsOf } from './instance.settings.js';

/** What has to be read with an agent so that its record can be made. */
export const WITH_VERSIONS = {
  versions: { include: { capabilities: { orderBy: { name: 'asc' } } }, orderBy: { createdAt: 'asc' } },
} as const satisfies Prisma.AgentInclude;

export type AgentRow = Prisma.AgentGetPayload<{ include: typeof WITH_VERSIONS }>;

export const WITH_AGENT = {
  agent: { select: { namespaceId: true, id: true } },
  agentVersion: { select: { version: true } },
} as const satisfies Prisma.InstanceInclude;

export type InstanceRow = Prisma.InstanceGetPayload<{ include: typeof WITH_AGENT }>;

/** Makes the record that perceive works with. */
export function agentRecord(row: AgentRow): AgentRecord {
  return {
    uid: row.uid,
    ref: agentRef(row.namespaceId, row.id),
    namespace: row.namespaceId,
    id: row.id,
    type: row.type,
    kind: row.kind,
    description: row.description,
    owner: row.owner,
    labels: textMap(row.labels),
    settings: {
      weight: row.weight,
      paused: row.paused,
      labelOverrides: textMap(row.labelOverrides),
      roles: row.roles,
    },
    enrolmentKeyId: row.enrolmentKeyId,
    version: row.version,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    versions: new Map(row.versions.map((version) => [version.version, versionRecord(version)])),
  };
}

function versionRecord(row: AgentRow['versions'][number]): AgentVersionRecord {
  const { uid, version, domain, canarySince, contentHash, createdAt } = row;
  const capabilities = row.capabilities.map(capabilityRecord);
  return { uid, version, domain, canarySince, canaryEnd: endOf(row.canaryEnd), contentHash, createdAt, capabilities };
}

function capabilityRecord(row: CapabilityModel): CapabilityRecord {
  const { agentVersionUid: _, inputSchema, outputSchema, ...rest } = row;
  return {
    ...rest,
    inputSchema: inputSchema as JsonSchema,
    outputSchema: outputSchema === null ? undefined : (outputSchema as JsonSchema),
  };
}

export function instanceRecord(row: InstanceRow): InstanceRecord {
  const agent = agentRef(row.agent.namespaceId, row.agent.id);
  return {
    ref: instanceRef(agent, row.name),
    agent,
    name: row.name,
    incarnation: row.incarnation,
    version: row.agentVersion.version,
    zone: row.zone,
    settings: settingsOf(row.settings),
    paused: row.paused,
    registeredAt: row.registeredAt,
    endpoint: endpointOf(row.endpoints),
  };
}

/** Stored by this server only, and so in the form that it was stored in. */
function endpointOf(endpoints: Prisma.JsonValue): HttpEndpoint | undefined {
  return Array.isArray(endpoints) ? (endpoints[0] as unknown as HttpEndpoint | undefined) : undefined;
}

/** Splits `namespace/agent/instance`; ids hold no slash. */
export function partsOf(ref: InstanceRef): {
  readonly namespace: string;
  readonly agent: string;
  readonly name: string;
} {
  const [namespace = '', agent = '', name = ''] = ref.split('/');
  return { namespace, agent, name };
}

function textMap(json: Prisma.JsonValue): Readonly<Record<string, string>> {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return {};
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, String(value)]));
}

import { isDeepStrictEqual } from 'node:util';
import { agentRef, type InstanceRef, type JsonObject, ReachError } from '@agent-reach/sdk/protocol';
import type { AgentRecord, AgentVersionRecord, InstanceRecord } from '../../perceive/model.js';
import type { Registration, RegistrationStore } from '../../perceive/ports.js';
import { Prisma } from '../../storage/generated/client.js';
import type { Changes } from '../changes.js';
import type { AgentStore } from './agent.store.js';
import { takeEnrolmentUse } from './enrolment-use.js';
import type { InstanceWriter } from './instance-writer.js';

/** Where registrations become durable. */
export class AgentRegistrations implements RegistrationStore {
  readonly #store: AgentStore;
  readonly #changes: Changes;
  readonly #instances: InstanceWriter;
  readonly #now: () => number;

  constructor(store: AgentStore, changes: Changes, instances: InstanceWriter, now: () => number = Date.now) {
    this.#store = store;
    this.#changes = changes;
    this.#instances = instances;
    this.#now = now;
  }

  save(registration: Registration): Promise<AgentRecord> {
    const ref = agentRef(registration.namespace, registration.agent);
    return this.#changes.run({ caller: registration.actor }, async (tx) => {
      const agent = (await this.#store.lock(tx, ref)) ?? (await this.#enrol(tx, registration));
      const { enrolmentKeyId } = registration;
      if (enrolmentKeyId !== undefined && agent.enrolmentKeyId !== enrolmentKeyId) {
        throw new ReachError(
          'DENIED',
          `The agent ${ref} was not created with this enrolment key, so it cannot join by it.`,
        );
      }
      const before = agent.versions.get(registration.version);
      refuseOtherOutput(before, registration);
      const start = before === undefined ? await this.#start(tx, agent) : {};
      await saveVersion(tx, agent.uid, before, registration, start);
      const { type, kind, description, owner, labels } = registration;
      const after = await this.#store.update(tx, agent.uid, { type, kind, description, owner, labels });
      return {
        action: 'agent.register',
        namespace: registration.namespace,
        target: ref,
        ...(before === undefined ? {} : { before: versionForAudit(agent, before) }),
        after: versionForAudit(after, after.versions.get(registration.version)),
        result: after,
      };
    });
  }

  rememberInstance(record: InstanceRecord): void {
    this.#instances.remember(record);
  }

  forgetInstance(instance: InstanceRef): void {
    this.#instances.forget(instance);
  }

  /**
   * Where a new version starts: on trial in CANARY, when its namespace tries new versions out and the agent has one in
   * PRODUCTION that serves the others meanwhile. An agent's first version has nobody to stand in for it.
   */
  async #start(tx: Prisma.TransactionClient, { namespace, versions }: AgentRecord): Promise<VersionStart> {
    if (![...versions.values()].some(({ domain }) => domain === 'PRODUCTION')) return {};
    if (!(await this.#store.triesVersions(tx, namespace))) return {};
    return { domain: 'CANARY', canarySince: new Date(this.#now()) };
  }

  /** Creates an agent that nobody created before, if an enrolment key lets it. */
  async #enrol(tx: Prisma.TransactionClient, registration: Registration): Promise<AgentRecord> {
    const { namespace, agent: id, enrolmentKeyId } = registration;
    const ref = agentRef(namespace, id);
    if (enrolmentKeyId === undefined) {
      throw new ReachError('NOT_FOUND', `There is no agent ${ref}; create it first, or join with an enrolment key.`);
    }
    // Instances of a new agent that start together come here together; one of them creates it.
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${`agent ${ref}`}, 0))`;
    const created = await this.#store.lock(tx, ref);
    if (created !== undefined) return created;
    await takeEnrolmentUse(tx, enrolmentKeyId, namespace, new Date(this.#now()));
    return this.#store.create(tx, { namespaceId: namespace, id, enrolmentKeyId });
  }
}

/** Callers rely on what a version answers, so that it can't become another under them. */
function refuseOtherOutput(before: AgentVersionRecord | undefined, registration: Registration): void {
  const known = new Map(before?.capabilities.map((capability) => [capability.name, capability.outputSchema]));
  const changed = registration.capabilities.filter(
    ({ name, outputSchema }) => known.has(name) && !isDeepStrictEqual(known.get(name), outputSchema),
  );
  if (changed.length === 0) return;
  throw new ReachError(
    'CONFLICT',
    `Version ${registration.version} was registered before with another outputSchema; raise the version.`,
    {
      fields: changed.map(({ name }) => ({
        path: `capabilities.${registration.capabilities.findIndex((each) => each.name === name)}.outputSchema`,
        got: `another schema of ${name} under version ${registration.version}`,
        allowed: 'the schema that the version was first registered with, or a new version',
      })),
    },
  );
}

/** The domain that a version begins in, where it isn't the usual one. */
type VersionStart = Pick<Prisma.AgentVersionUncheckedCreateInput, 'domain' | 'canarySince'>;

async function saveVersion(
  tx: Prisma.TransactionClient,
  agentUid: string,
  before: AgentVersionRecord | undefined,
  { version, contentHash, capabilities }: Registration,
  start: VersionStart,
): Promise<void> {
  const { uid } = await tx.agentVersion.upsert({
    where: { agentUid_version: { agentUid, version } },
    create: { agentUid, version, contentHash, ...start },
    update: { contentHash },
  });
  await tx.capability.deleteMany({ where: { agentVersionUid: uid } });
  const uids = new Map(before?.capabilities.map((capability) => [capability.name, capability.uid]));
  await tx.capability.createMany({
    data: capabilities.map(({ inputSchema, outputSchema, aliases, tags, sensitive, headers, ...rest }) => {
      const known = uids.get(rest.name);
      return {
        ...(known === undefined ? {} : { uid: known }),
        ...rest,
        agentVersionUid: uid,
        inputSchema: inputSchema as Prisma.InputJsonValue,
        outputSchema: outputSchema === undefined ? Prisma.DbNull : (outputSchema as Prisma.InputJsonValue),
        aliases: [...aliases],
        tags: [...tags],
        sensitive: [...sensitive],
        headers: [...headers],
      };
    }),
  });
}

function versionForAudit(agent: AgentRecord, version: AgentVersionRecord | undefined): JsonObject {
  const { type, kind, description, owner, labels } = agent;
  return {
    type,
    kind,
    description,
    owner,
    labels,
    version: version?.version ?? null,
    domain: version?.domain ?? null,
    contentHash: version?.contentHash ?? null,
    capabilities: version?.capabilities.map((capability) => capability.name) ?? [],
  };
}

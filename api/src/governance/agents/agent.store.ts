import type { AgentRef } from '@agent-reach/sdk/protocol';
import type { AgentRecord, InstanceRecord } from '../../perceive/model.js';
import type { Prisma, PrismaClient } from '../../storage/generated/client.js';
import { agentRecord, instanceRecord, WITH_AGENT, WITH_VERSIONS } from './agent.record.js';

/** The namespace and id of `namespace/id`; undefined when it has another form. */
export function splitRef(ref: string): { readonly namespaceId: string; readonly id: string } | undefined {
  const [namespaceId, id, ...rest] = ref.split('/');
  return namespaceId && id && rest.length === 0 ? { namespaceId, id } : undefined;
}

/** Agents in Postgres. */
export class AgentStore {
  readonly #prisma: PrismaClient;

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma;
  }

  /** Every agent with its versions and capabilities, for the start of the server. */
  async all(): Promise<readonly AgentRecord[]> {
    return (await this.#prisma.agent.findMany({ include: WITH_VERSIONS })).map(agentRecord);
  }

  /** Every instance that was registered when the server ended. */
  async allInstances(): Promise<readonly InstanceRecord[]> {
    return (await this.#prisma.instance.findMany({ include: WITH_AGENT })).map(instanceRecord);
  }

  /** Reads an agent and keeps others from changing it until the transaction ends. */
  async lock(tx: Prisma.TransactionClient, ref: string): Promise<AgentRecord | undefined> {
    const key = splitRef(ref);
    if (key === undefined) return undefined;
    await tx.$queryRaw`SELECT 1 FROM agents WHERE namespace = ${key.namespaceId} AND id = ${key.id} FOR UPDATE`;
    const row = await tx.agent.findUnique({ where: { namespaceId_id: key }, include: WITH_VERSIONS });
    return row === null ? undefined : agentRecord(row);
  }

  async create(tx: Prisma.TransactionClient, data: Prisma.AgentUncheckedCreateInput): Promise<AgentRecord> {
    return agentRecord(await tx.agent.create({ data, include: WITH_VERSIONS }));
  }

  async update(tx: Prisma.TransactionClient, uid: string, data: Prisma.AgentUpdateInput): Promise<AgentRecord> {
    const row = await tx.agent.update({
      where: { uid },
      data: { ...data, version: { increment: 1 } },
      include: WITH_VERSIONS,
    });
    return agentRecord(row);
  }

  /** Whether a namespace tries new versions out in CANARY. */
  async triesVersions(tx: Prisma.TransactionClient, namespace: string): Promise<boolean> {
    const row = await tx.namespace.findUnique({ where: { id: namespace }, select: { canaryEnabled: true } });
    return row?.canaryEnabled ?? false;
  }

  /** Takes away the rules that name the agent exactly, as caller or as target, in every namespace. */
  async removeRulesNaming(tx: Prisma.TransactionClient, ref: AgentRef): Promise<readonly RemovedRule[]> {
    const where = { OR: [{ target: ref }, { caller: `agent:${ref}` }] };
    const rules = await tx.permission.findMany({ where, orderBy: { uid: 'asc' } });
    await tx.permission.deleteMany({ where: { uid: { in: rules.map((rule) => rule.uid) } } });
    return rules.map(({ uid, namespaceId, caller, target, capability, effect }) => ({
      id: uid,
      namespace: namespaceId,
      caller,
      target,
      capability,
      effect,
    }));
  }
}

/** A rule that went with its agent. */
export interface RemovedRule {
  readonly id: string;
  readonly namespace: string;
  readonly caller: string;
  readonly target: string;
  readonly capability: string;
  readonly effect: 'ALLOW' | 'DENY';
}

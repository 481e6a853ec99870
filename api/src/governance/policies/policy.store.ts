import type { PolicyContent, PolicyTest } from '@agent-reach/sdk/decide';
import { Prisma, type PrismaClient } from '../../storage/generated/client.js';
import type { Scope } from '../access/principal.js';
import { isUuid, keysetPage, keysetQuery, type Page, type PageRequest } from '../page.js';
import { readPolicies } from './policy.rows.js';
import { type PolicyView, policyOf } from './policy.view.js';
import type { PolicyState } from './policy-book.js';

/** What a save stores as a new version. */
export interface NewVersion {
  readonly name: string;
  readonly content: PolicyContent;
  readonly tests: readonly PolicyTest[];
  readonly author: string;
  readonly comment: string;
  readonly rolloutPercent: number;
  readonly restoredFrom: number | null;
}

type Tx = Prisma.TransactionClient;

/** Policies and their versions in Postgres. */
export class PolicyStore {
  readonly #prisma: PrismaClient;

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma;
  }

  async page(scope: Scope, namespace: string | null | undefined, request: PageRequest): Promise<Page<PolicyView>> {
    const { take, order, range } = keysetQuery(request);
    const where = [
      within(scope),
      ...(namespace == null ? [] : [Prisma.sql`p.namespace = ${namespace}`]),
      ...(range.gt === undefined ? [] : [Prisma.sql`p.uid > ${range.gt}::uuid`]),
      ...(range.lt === undefined ? [] : [Prisma.sql`p.uid < ${range.lt}::uuid`]),
    ];
    const tail = Prisma.sql`ORDER BY p.uid ${order === 'asc' ? Prisma.sql`ASC` : Prisma.sql`DESC`} LIMIT ${take}`;
    return keysetPage(request, await readPolicies(this.#prisma, Prisma.join(where, ' AND '), tail));
  }

  async find(scope: Scope, id: string): Promise<PolicyView | undefined> {
    if (!isUuid(id)) return undefined;
    const [policy] = await readPolicies(this.#prisma, Prisma.sql`p.uid = ${id}::uuid AND ${within(scope)}`);
    return policy;
  }

  /** Every policy as routers take it. */
  async all(): Promise<readonly PolicyState[]> {
    const policies = await readPolicies(this.#prisma, Prisma.sql`true`);
    return policies.map((view) => ({ policy: policyOf(view), revision: view.revision }));
  }

  /** Reads a policy and keeps others from changing it until the transaction ends. */
  async lock(tx: Tx, id: string): Promise<PolicyView | undefined> {
    if (!isUuid(id)) return undefined;
    await tx.$queryRaw`SELECT 1 FROM policies WHERE uid = ${id}::uuid FOR UPDATE`;
    // A statement of its own, so that it sees what was committed while this one waited.
    const [policy] = await readPolicies(tx, Prisma.sql`p.uid = ${id}::uuid`);
    return policy;
  }

  async create(tx: Tx, namespace: string, { name, ...version }: NewVersion): Promise<PolicyView> {
    const { uid } = await tx.policy.create({
      data: { namespaceId: namespace, name, versions: { create: { version: 1, ...stored(version) } } },
    });
    return this.#read(tx, uid);
  }

  async addVersion(tx: Tx, before: PolicyView, { name, ...next }: NewVersion): Promise<PolicyView> {
    const version = before.version + 1;
    await tx.policy.update({
      where: { uid: before.id },
      data: {
        name,
        currentVersion: version,
        revision: { increment: 1 },
        versions: { create: { version, ...stored(next) } },
      },
    });
    return this.#read(tx, before.id);
  }

  /** Changes the newest version's share of the calls. */
  async setRollout(tx: Tx, before: PolicyView, rolloutPercent: number): Promise<PolicyView> {
    await tx.policy.update({ where: { uid: before.id }, data: { revision: { increment: 1 } } });
    await tx.policyVersion.update({
      where: { policyUid_version: { policyUid: before.id, version: before.version } },
      data: { rolloutPercent },
    });
    return this.#read(tx, before.id);
  }

  async delete(tx: Tx, id: string): Promise<void> {
    await tx.policy.delete({ where: { uid: id } });
  }

  async #read(tx: Tx, id: string): Promise<PolicyView> {
    const [policy] = await readPolicies(tx, Prisma.sql`p.uid = ${id}::uuid`);
    if (policy === undefined) throw new Error(`policy ${id} is gone within its own transaction`);
    return policy;
  }
}

function stored({ content, tests, ...rest }: Omit<NewVersion, 'name'>) {
  return {
    ...rest,
    content: content as unknown as Prisma.InputJsonObject,
    tests: tests as unknown as Prisma.InputJsonArray,
  };
}

function within(scope: Scope): Prisma.Sql {
  return scope.all ? Prisma.sql`true` : Prisma.sql`p.namespace = ANY(${[...scope.namespaces]}::text[])`;
}

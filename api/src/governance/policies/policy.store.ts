import type { Policy, PolicyContent } from '@agent-reach/sdk/decide';
import type { Prisma, PrismaClient } from '../../storage/generated/client.js';
import type { Scope } from '../access/principal.js';
import { isUuid, keysetPage, keysetQuery, type Page, type PageRequest } from '../page.js';

/** The current version of a policy. */
export interface PolicyView {
  readonly id: string;
  readonly namespace: string;
  readonly name: string;
  readonly version: number;
  readonly content: PolicyContent;
  readonly author: string;
  readonly comment: string;
  readonly createdAt: Date;
  /** When this version was saved. */
  readonly updatedAt: Date;
}

const CURRENT = { versions: { orderBy: { version: 'desc' }, take: 1 } } as const satisfies Prisma.PolicyInclude;

type Row = Prisma.PolicyGetPayload<{ include: typeof CURRENT }>;

function viewOf(row: Row): PolicyView {
  const [newest] = row.versions;
  if (newest === undefined) throw new Error(`policy ${row.uid} has no version`);
  return {
    id: row.uid,
    namespace: row.namespaceId,
    name: row.name,
    version: newest.version,
    content: newest.content as unknown as PolicyContent,
    author: newest.author,
    comment: newest.comment,
    createdAt: row.createdAt,
    updatedAt: newest.createdAt,
  };
}

/** The policy as routers take it. */
export function policyOf({ id, namespace, name, version, content }: PolicyView): Policy {
  return { id, namespace, name, version, content };
}

/** Policies in Postgres. */
export class PolicyStore {
  readonly #prisma: PrismaClient;

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma;
  }

  async page(scope: Scope, namespace: string | null | undefined, request: PageRequest): Promise<Page<PolicyView>> {
    const { take, order, range } = keysetQuery(request);
    const rows = await this.#prisma.policy.findMany({
      where: { uid: range, AND: [within(scope), namespace == null ? {} : { namespaceId: namespace }] },
      orderBy: { uid: order },
      take,
      include: CURRENT,
    });
    return keysetPage(request, rows.map(viewOf));
  }

  async find(scope: Scope, id: string): Promise<PolicyView | undefined> {
    if (!isUuid(id)) return undefined;
    const row = await this.#prisma.policy.findFirst({ where: { uid: id, ...within(scope) }, include: CURRENT });
    return row === null ? undefined : viewOf(row);
  }

  /** Every policy in its current version. */
  async all(): Promise<readonly Policy[]> {
    return (await this.#prisma.policy.findMany({ include: CURRENT })).map(viewOf).map(policyOf);
  }

  /** Reads a policy and keeps others from changing it until the transaction ends. */
  async lock(tx: Prisma.TransactionClient, id: string): Promise<PolicyView | undefined> {
    if (!isUuid(id)) return undefined;
    await tx.$queryRaw`SELECT 1 FROM policies WHERE uid = ${id}::uuid FOR UPDATE`;
    const row = await tx.policy.findUnique({ where: { uid: id }, include: CURRENT });
    return row === null ? undefined : viewOf(row);
  }

  async create(
    tx: Prisma.TransactionClient,
    policy: Pick<PolicyView, 'namespace' | 'name' | 'content' | 'author' | 'comment'>,
  ): Promise<PolicyView> {
    const { namespace, name, content, author, comment } = policy;
    const row = await tx.policy.create({
      data: {
        namespaceId: namespace,
        name,
        versions: { create: { version: 1, content: content as unknown as Prisma.InputJsonObject, author, comment } },
      },
      include: CURRENT,
    });
    return viewOf(row);
  }

  async addVersion(
    tx: Prisma.TransactionClient,
    before: PolicyView,
    next: Pick<PolicyView, 'name' | 'content' | 'author' | 'comment'>,
  ): Promise<PolicyView> {
    const { name, content, author, comment } = next;
    const version = before.version + 1;
    const row = await tx.policy.update({
      where: { uid: before.id },
      data: {
        name,
        currentVersion: version,
        versions: { create: { version, content: content as unknown as Prisma.InputJsonObject, author, comment } },
      },
      include: CURRENT,
    });
    return viewOf(row);
  }
}

function within(scope: Scope): Prisma.PolicyWhereInput {
  return scope.all ? {} : { namespaceId: { in: [...scope.namespaces] } };
}

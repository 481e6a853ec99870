import type { Prisma, PrismaClient } from '../../storage/generated/client.js';
import type { NamespaceModel } from '../../storage/generated/models.js';
import type { Scope } from '../access/principal.js';
import type { NamespaceCanary } from '../canary/canary.book.js';
import { canaryOf } from '../canary/canary.settings.js';
import { keysetPage, keysetQuery, type Page, type PageRequest } from '../page.js';

export type NamespaceRow = NamespaceModel;

/** What stands in a namespace and keeps it from being deleted. */
export interface NamespaceContents {
  readonly agents: number;
  readonly policies: number;
  readonly permissions: number;
  readonly tokens: number;
  readonly enrolmentKeys: number;
}

/** Namespaces in Postgres. */
export class NamespaceStore {
  readonly #prisma: PrismaClient;

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma;
  }

  async page(scope: Scope, request: PageRequest): Promise<Page<NamespaceRow>> {
    const { take, order, range } = keysetQuery(request, (text) => text.length <= 64);
    const rows = await this.#prisma.namespace.findMany({
      where: { id: { ...range, ...(scope.all ? {} : { in: [...scope.namespaces] }) } },
      orderBy: { id: order },
      take,
    });
    return keysetPage(request, rows);
  }

  find(id: string): Promise<NamespaceRow | null> {
    return this.#prisma.namespace.findUnique({ where: { id } });
  }

  /** How every namespace tries new versions out. */
  async canaries(): Promise<readonly NamespaceCanary[]> {
    const rows = await this.#prisma.namespace.findMany();
    return rows.map((row) => ({ namespace: row.id, version: row.version, settings: canaryOf(row) }));
  }

  /** Reads a namespace and keeps others from changing it, or adding to it, until the transaction ends. */
  async lock(tx: Prisma.TransactionClient, id: string): Promise<NamespaceRow | null> {
    await tx.$queryRaw`SELECT 1 FROM namespaces WHERE id = ${id} FOR UPDATE`;
    return tx.namespace.findUnique({ where: { id } });
  }

  /** Counts what is in it. Credentials that have ended don't count: they can be of no use to anybody any more. */
  async contents(tx: Prisma.TransactionClient, id: string, now: Date): Promise<NamespaceContents> {
    const where = { namespaceId: id };
    const living = { ...where, revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] };
    return {
      agents: await tx.agent.count({ where }),
      policies: await tx.policy.count({ where }),
      permissions: await tx.permission.count({ where }),
      tokens: await tx.token.count({ where: living }),
      enrolmentKeys: await tx.enrolmentKey.count({ where: living }),
    };
  }

  async removeWithEndedCredentials(tx: Prisma.TransactionClient, id: string): Promise<void> {
    await tx.token.deleteMany({ where: { namespaceId: id } });
    await tx.enrolmentKey.deleteMany({ where: { namespaceId: id } });
    await tx.namespace.delete({ where: { id } });
  }
}

import type { PermissionRule } from '@agent-reach/sdk/decide';
import type { Prisma, PrismaClient } from '../../storage/generated/client.js';
import type { PermissionModel } from '../../storage/generated/models.js';
import type { Scope } from '../access/principal.js';
import { isUuid, keysetPage, keysetQuery, type Page, type PageRequest } from '../page.js';

export type PermissionRow = PermissionModel;

/** Which rules a list is about; what is given must all match. */
export interface PermissionSelection {
  readonly scope: Scope;
  readonly namespace?: string | null | undefined;
  readonly filter?:
    | {
        readonly search?: string | null | undefined;
        readonly caller?: string | null | undefined;
        readonly target?: string | null | undefined;
        readonly effect?: 'ALLOW' | 'DENY' | null | undefined;
      }
    | null
    | undefined;
}

/** The rule as the decision takes it. */
export function ruleOf(row: PermissionRow): PermissionRule {
  const { uid, namespaceId, caller, target, capability, effect, expiresAt } = row;
  return {
    id: uid,
    namespace: namespaceId,
    caller,
    target,
    capability,
    effect,
    ...(expiresAt === null ? {} : { expiresAt: expiresAt.getTime() }),
  };
}

/** Permission rules in Postgres. */
export class PermissionStore {
  readonly #prisma: PrismaClient;

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma;
  }

  async page({ scope, namespace, filter }: PermissionSelection, request: PageRequest): Promise<Page<PermissionRow>> {
    const { take, order, range } = keysetQuery(request);
    const contains = { contains: filter?.search ?? '', mode: 'insensitive' } as const;
    const fields = ['caller', 'target', 'capability', 'comment'] as const;
    const rows = await this.#prisma.permission.findMany({
      where: {
        uid: range,
        AND: [
          scope.all ? {} : { namespaceId: { in: [...scope.namespaces] } },
          namespace == null ? {} : { namespaceId: namespace },
          filter?.caller == null ? {} : { caller: filter.caller },
          filter?.target == null ? {} : { target: filter.target },
          filter?.effect == null ? {} : { effect: filter.effect },
          filter?.search == null ? {} : { OR: fields.map((field) => ({ [field]: contains })) },
        ],
      },
      orderBy: { uid: order },
      take,
    });
    return keysetPage(request, rows);
  }

  async byIds(ids: readonly string[]): Promise<readonly PermissionRow[]> {
    return this.#prisma.permission.findMany({ where: { uid: { in: ids.filter(isUuid) } } });
  }

  /** Every rule that counts. */
  async active(): Promise<readonly PermissionRule[]> {
    return (await this.#prisma.permission.findMany({ where: { status: 'ACTIVE' } })).map(ruleOf);
  }

  /** Reads a rule and keeps others from changing it until the transaction ends. */
  async lock(tx: Prisma.TransactionClient, id: string): Promise<PermissionRow | null> {
    if (!isUuid(id)) return null;
    await tx.$queryRaw`SELECT 1 FROM permissions WHERE uid = ${id}::uuid FOR UPDATE`;
    return tx.permission.findUnique({ where: { uid: id } });
  }
}

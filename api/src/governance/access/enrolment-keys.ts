import { idFault, ReachError } from '@agent-reach/sdk/protocol';
import type { Prisma, PrismaClient } from '../../storage/generated/client.js';
import type { Changes } from '../changes.js';
import { InputCheck } from '../input.js';
import { isUuid, keysetPage, keysetQuery, type Page, type PageRequest } from '../page.js';
import { toReachError } from '../storage-errors.js';
import { demand } from './actions.js';
import type { Principal } from './principal.js';
import { hashSecret, newSecret, shownPrefix } from './secrets.js';
import { scopeOf } from './tokens.js';

/** An enrolment key as people see it; never its secret. */
export interface EnrolmentKeyView {
  readonly id: string;
  readonly namespace: string;
  readonly name: string;
  readonly prefix: string;
  /** How many agents it may create; null for any number. */
  readonly maxUses: number | null;
  readonly uses: number;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

export interface IssueEnrolmentKeyInput {
  readonly namespace: string;
  readonly name: string;
  readonly maxUses?: number | null | undefined;
  readonly expiresAt?: Date | null | undefined;
}

const MAX_USES = 1_000_000;

type Row = Prisma.EnrolmentKeyGetPayload<Record<string, never>>;

/** Issues and revokes the keys with which many agents join a namespace. Its uses are counted where agents are created. */
export class EnrolmentKeys {
  readonly #prisma: PrismaClient;
  readonly #changes: Changes;
  readonly #now: () => number;

  constructor(prisma: PrismaClient, changes: Changes, options: { readonly now?: () => number } = {}) {
    this.#prisma = prisma;
    this.#changes = changes;
    this.#now = options.now ?? Date.now;
  }

  /** Makes a key; its secret is in the answer and nowhere else. Throws INVALID_INPUT, NOT_FOUND, DENIED. */
  async issue(
    principal: Principal,
    input: IssueEnrolmentKeyInput,
  ): Promise<{ readonly key: EnrolmentKeyView; readonly secret: string }> {
    demand(principal, 'tokens.issue', input.namespace);
    const { maxUses } = input;
    const check = new InputCheck();
    check.add(idFault('input.name', input.name));
    check.whole('input.maxUses', maxUses, 1, MAX_USES);
    check.future('input.expiresAt', input.expiresAt, this.#now());
    check.finish('The enrolment key');
    const secret = newSecret('enrol');
    const key = await this.#changes.run({ caller: principal.caller }, async (tx) => {
      const row = await tx.enrolmentKey.create({
        data: {
          namespaceId: input.namespace,
          name: input.name,
          prefix: shownPrefix(secret),
          hash: hashSecret(secret),
          maxUses: maxUses ?? null,
          createdBy: principal.caller,
          expiresAt: input.expiresAt ?? null,
        },
      });
      const view = viewOf(row);
      return {
        action: 'enrolmentKey.issue',
        namespace: view.namespace,
        target: view.name,
        after: auditOf(view),
        result: view,
      };
    });
    return { key, secret };
  }

  /** Ends a key at once; agents that it created keep their record. Throws NOT_FOUND, DENIED. */
  async revoke(principal: Principal, id: string): Promise<EnrolmentKeyView> {
    const found = await this.find(principal, id);
    if (found === null)
      throw new ReachError('NOT_FOUND', `There is no enrolment key ${JSON.stringify(id.slice(0, 64))}.`);
    demand(principal, 'tokens.issue', found.namespace);
    if (found.revokedAt !== null) return found;
    return this.#changes.run({ caller: principal.caller }, async (tx) => {
      const before = viewOf(await tx.enrolmentKey.findUniqueOrThrow({ where: { uid: id } }));
      const revokedAt = before.revokedAt ?? new Date(this.#now());
      const view = viewOf(await tx.enrolmentKey.update({ where: { uid: id }, data: { revokedAt } }));
      return {
        action: 'enrolmentKey.revoke',
        namespace: view.namespace,
        target: view.name,
        before: auditOf(before),
        after: auditOf(view),
        result: view,
      };
    });
  }

  /** One key, or null when it doesn't exist for this principal. */
  async find(principal: Principal, id: string): Promise<EnrolmentKeyView | null> {
    if (!isUuid(id)) return null;
    try {
      const row = await this.#prisma.enrolmentKey.findFirst({ where: { uid: id, ...scopeOf(principal) } });
      return row === null ? null : viewOf(row);
    } catch (error) {
      throw toReachError(error);
    }
  }

  /** One page in the order of issue, revoked ones included. The page's key is the id. */
  async page(
    principal: Principal,
    filter: { readonly namespace?: string | null | undefined },
    request: PageRequest,
  ): Promise<Page<EnrolmentKeyView>> {
    const { range, order, take } = keysetQuery(request);
    try {
      const namespace = filter.namespace == null ? {} : { namespaceId: filter.namespace };
      const rows = await this.#prisma.enrolmentKey.findMany({
        where: { AND: [scopeOf(principal), namespace, { uid: range }] },
        orderBy: { uid: order },
        take,
      });
      return keysetPage(request, rows.map(viewOf));
    } catch (error) {
      throw toReachError(error);
    }
  }
}

function viewOf(row: Row): EnrolmentKeyView {
  const { uid, namespaceId, name, prefix, maxUses, uses, createdBy, createdAt, expiresAt, revokedAt } = row;
  return { id: uid, namespace: namespaceId, name, prefix, maxUses, uses, createdBy, createdAt, expiresAt, revokedAt };
}

function auditOf(view: EnrolmentKeyView): Record<string, unknown> {
  const { id, name, prefix, maxUses, expiresAt, revokedAt } = view;
  return {
    id,
    name,
    prefix,
    maxUses,
    expiresAt: expiresAt?.toISOString() ?? null,
    revokedAt: revokedAt?.toISOString() ?? null,
  };
}

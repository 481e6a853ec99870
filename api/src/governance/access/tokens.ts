import { type AgentRef, agentRef, ReachError } from '@agent-reach/sdk/protocol';
import type { Prisma, PrismaClient } from '../../storage/generated/client.js';
import type { Changes } from '../changes.js';
import { isUuid, keysetPage, keysetQuery, type Page, type PageRequest } from '../page.js';
import { toReachError } from '../storage-errors.js';
import { demand } from './actions.js';
import type { Principal, Role } from './principal.js';
import { hashSecret, newSecret, shownPrefix } from './secrets.js';
import { checkTokenInput, type IssueTokenInput } from './tokens.input.js';

/** Two, so that one can be replaced without a gap. */
const MAX_LIVE_PER_AGENT = 2;

/** A token as people see it; never its secret. */
export interface TokenView {
  readonly id: string;
  readonly kind: 'AGENT' | 'APP';
  readonly namespace: string;
  readonly name: string;
  readonly prefix: string;
  readonly agent: AgentRef | null;
  readonly role: Role | null;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
}

const PARTS = {
  agent: { select: { namespaceId: true, id: true } },
  roleBindings: { select: { role: true } },
} as const satisfies Prisma.TokenInclude;

type Row = Prisma.TokenGetPayload<{ include: typeof PARTS }>;

/** Issues and revokes the credentials of agents and programs. */
export class Tokens {
  readonly #prisma: PrismaClient;
  readonly #changes: Changes;
  readonly #now: () => number;

  constructor(prisma: PrismaClient, changes: Changes, options: { readonly now?: () => number } = {}) {
    this.#prisma = prisma;
    this.#changes = changes;
    this.#now = options.now ?? Date.now;
  }

  /**
   * Makes a token; its secret is in the answer and nowhere else. Throws INVALID_INPUT, NOT_FOUND (no such namespace or
   * agent), CONFLICT (the agent has two live tokens), DENIED.
   */
  async issue(
    principal: Principal,
    input: IssueTokenInput,
  ): Promise<{ readonly token: TokenView; readonly secret: string }> {
    demand(principal, 'tokens.issue', input.namespace);
    const agent = checkTokenInput(input, this.#now());
    const secret = newSecret(input.kind === 'AGENT' ? 'agent' : 'app');
    const token = await this.#changes.run({ caller: principal.caller }, async (tx) => {
      const agentUid = agent === undefined ? null : await this.#lockAgent(tx, input.namespace, agent);
      const row = await tx.token.create({
        data: {
          kind: input.kind,
          namespaceId: input.namespace,
          name: input.name,
          prefix: shownPrefix(secret),
          hash: hashSecret(secret),
          agentUid,
          createdBy: principal.caller,
          expiresAt: input.expiresAt ?? null,
          ...(input.role == null
            ? {}
            : { roleBindings: { create: { namespaceId: input.namespace, role: input.role } } }),
        },
        include: PARTS,
      });
      const view = viewOf(row);
      return {
        action: 'token.issue',
        namespace: view.namespace,
        target: targetOf(view),
        after: auditOf(view),
        result: view,
      };
    });
    return { token, secret };
  }

  /** Ends a token at once; ending it again changes nothing. Throws NOT_FOUND, DENIED. */
  async revoke(principal: Principal, id: string): Promise<TokenView> {
    const found = await this.find(principal, id);
    if (found === null) throw new ReachError('NOT_FOUND', `There is no token ${JSON.stringify(id.slice(0, 64))}.`);
    demand(principal, 'tokens.issue', found.namespace);
    if (found.revokedAt !== null) return found;
    return this.#changes.run({ caller: principal.caller }, async (tx) => {
      const before = viewOf(await tx.token.findUniqueOrThrow({ where: { uid: id }, include: PARTS }));
      const row = await tx.token.update({
        where: { uid: id },
        data: { revokedAt: before.revokedAt ?? new Date(this.#now()) },
        include: PARTS,
      });
      const view = viewOf(row);
      return {
        action: 'token.revoke',
        namespace: view.namespace,
        target: targetOf(view),
        before: auditOf(before),
        after: auditOf(view),
        result: view,
      };
    });
  }

  /** One token, or null when it doesn't exist for this principal. */
  async find(principal: Principal, id: string): Promise<TokenView | null> {
    if (!isUuid(id)) return null;
    const row = await this.#read(
      this.#prisma.token.findFirst({ where: { uid: id, ...scopeOf(principal) }, include: PARTS }),
    );
    return row === null ? null : viewOf(row);
  }

  /** One page in the order of issue, revoked ones included. `agent` is `namespace/id`; the page's key is the id. */
  async page(
    principal: Principal,
    filter: { readonly namespace?: string | null | undefined; readonly agent?: string | null | undefined },
    request: PageRequest,
  ): Promise<Page<TokenView>> {
    const [namespace, id] = filter.agent?.split('/', 2) ?? [];
    const { range, order, take } = keysetQuery(request);
    const rows = await this.#read(
      this.#prisma.token.findMany({
        where: {
          AND: [
            scopeOf(principal),
            filter.namespace == null ? {} : { namespaceId: filter.namespace },
            namespace === undefined ? {} : { agent: { namespaceId: namespace, id: id ?? '' } },
            { uid: range },
          ],
        },
        orderBy: { uid: order },
        take,
        include: PARTS,
      }),
    );
    return keysetPage(request, rows.map(viewOf));
  }

  /** The tokens of several agents at once, by the agent's uid, newest first. */
  async ofAgents(agentUids: readonly string[]): Promise<ReadonlyMap<string, readonly TokenView[]>> {
    const rows = await this.#read(
      this.#prisma.token.findMany({
        where: { agentUid: { in: [...agentUids] } },
        orderBy: { uid: 'desc' },
        include: PARTS,
      }),
    );
    const views = new Map<string, TokenView[]>(agentUids.map((uid) => [uid, []]));
    for (const row of rows) if (row.agentUid !== null) views.get(row.agentUid)?.push(viewOf(row));
    return views;
  }

  async #lockAgent(tx: Prisma.TransactionClient, namespace: string, id: string): Promise<string> {
    // The lock makes two issues at the same time count each other's token.
    const [row] = await tx.$queryRaw<{ uid: string }[]>`
      SELECT uid FROM agents WHERE namespace = ${namespace} AND id = ${id} FOR UPDATE`;
    if (row === undefined) throw new ReachError('NOT_FOUND', `There is no agent ${agentRef(namespace, id)}.`);
    const now = new Date(this.#now());
    const live = await tx.token.count({
      where: { agentUid: row.uid, revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] },
    });
    if (live >= MAX_LIVE_PER_AGENT) {
      throw new ReachError(
        'CONFLICT',
        `The agent ${agentRef(namespace, id)} has ${live} live tokens, and ${MAX_LIVE_PER_AGENT} is the most; revoke one first.`,
      );
    }
    return row.uid;
  }

  async #read<T>(query: Promise<T>): Promise<T> {
    try {
      return await query;
    } catch (error) {
      throw toReachError(error);
    }
  }
}

/** The scope as a condition on rows that belong to a namespace. */
export function scopeOf(principal: Principal): { namespaceId?: { in: string[] } } {
  return principal.scope.all ? {} : { namespaceId: { in: [...principal.scope.namespaces] } };
}

function viewOf(row: Row): TokenView {
  return {
    id: row.uid,
    kind: row.kind,
    namespace: row.namespaceId,
    name: row.name,
    prefix: row.prefix,
    agent: row.agent === null ? null : agentRef(row.agent.namespaceId, row.agent.id),
    role: row.roleBindings[0]?.role ?? null,
    createdBy: row.createdBy,
    createdAt: row.createdAt,
    expiresAt: row.expiresAt,
    revokedAt: row.revokedAt,
    lastUsedAt: row.lastUsedAt,
  };
}

function targetOf(view: TokenView): string {
  return view.agent ?? `app:${view.namespace}/${view.name}`;
}

function auditOf(view: TokenView): Record<string, unknown> {
  const { id, kind, name, prefix, role, expiresAt, revokedAt } = view;
  return {
    id,
    kind,
    name,
    prefix,
    role,
    expiresAt: expiresAt?.toISOString() ?? null,
    revokedAt: revokedAt?.toISOString() ?? null,
  };
}

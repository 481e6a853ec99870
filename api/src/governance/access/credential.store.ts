import { agentRef } from '@agent-reach/sdk/protocol';
import type { Prisma, PrismaClient } from '../../storage/generated/client.js';
import type { Principal } from './principal.js';

/** A token or key as the database has it, ended or not. */
export interface Credential {
  readonly hash: string;
  readonly principal: Principal;
  readonly revokedAt: Date | null;
}

/** Reads tokens and enrolment keys. Throws what Prisma throws. */
export interface CredentialStore {
  /** All that are neither revoked nor expired at `now`. */
  live(now: Date): Promise<readonly Credential[]>;
  byHashes(hashes: readonly string[]): Promise<readonly Credential[]>;
  byId(id: string): Promise<Credential | undefined>;
  /** Notes when tokens were last used, by token id. */
  noteUses(uses: ReadonlyMap<string, Date>): Promise<void>;
}

const TOKEN_PARTS = {
  agent: { select: { uid: true, namespaceId: true, id: true } },
  roleBindings: { select: { namespaceId: true, role: true } },
} as const satisfies Prisma.TokenInclude;

type TokenRow = Prisma.TokenGetPayload<{ include: typeof TOKEN_PARTS }>;
type KeyRow = Prisma.EnrolmentKeyGetPayload<Record<string, never>>;

export class PrismaCredentialStore implements CredentialStore {
  readonly #prisma: PrismaClient;

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma;
  }

  live(now: Date): Promise<readonly Credential[]> {
    return this.#read({ revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] });
  }

  byHashes(hashes: readonly string[]): Promise<readonly Credential[]> {
    return this.#read({ hash: { in: [...hashes] } });
  }

  async byId(id: string): Promise<Credential | undefined> {
    return (await this.#read({ uid: id }))[0];
  }

  async noteUses(uses: ReadonlyMap<string, Date>): Promise<void> {
    if (uses.size === 0) return;
    const ids = [...uses.keys()];
    const times = [...uses.values()].map((time) => time.toISOString());
    await this.#prisma.$executeRaw`
      UPDATE tokens SET last_used_at = used.at
        FROM unnest(${ids}::uuid[], ${times}::timestamptz[]) AS used (uid, at)
       WHERE tokens.uid = used.uid AND (tokens.last_used_at IS NULL OR tokens.last_used_at < used.at)`;
  }

  async #read(where: Prisma.TokenWhereInput & Prisma.EnrolmentKeyWhereInput): Promise<readonly Credential[]> {
    const [tokens, keys] = await this.#prisma.$transaction([
      this.#prisma.token.findMany({ where, include: TOKEN_PARTS }),
      this.#prisma.enrolmentKey.findMany({ where }),
    ]);
    return [...tokens.map(ofToken), ...keys.map(ofKey)];
  }
}

function ofToken(row: TokenRow): Credential {
  const shared = {
    namespace: row.namespaceId,
    roles: row.roleBindings.map(({ namespaceId, role }) => ({ namespace: namespaceId, role })),
    scope: { all: false, namespaces: new Set([row.namespaceId, ...row.scopes]) },
  } as const;
  const credential = { id: row.uid, expiresAt: row.expiresAt ?? undefined } as const;
  const principal: Principal =
    row.agent === null
      ? {
          ...shared,
          caller: `app:${row.namespaceId}/${row.name}`,
          kind: 'APP',
          name: row.name,
          agent: undefined,
          credential: { ...credential, kind: 'APP_TOKEN' },
        }
      : {
          ...shared,
          caller: `agent:${row.agent.namespaceId}/${row.agent.id}`,
          kind: 'AGENT',
          name: row.agent.id,
          agent: { uid: row.agent.uid, ref: agentRef(row.agent.namespaceId, row.agent.id) },
          credential: { ...credential, kind: 'AGENT_TOKEN' },
        };
  return { hash: row.hash, principal, revokedAt: row.revokedAt };
}

/** A key acts for no agent until one registers; until then it goes by a name that no app token can have. */
function ofKey(row: KeyRow): Credential {
  const principal: Principal = {
    caller: `app:${row.namespaceId}/${ENROLMENT_NAME_PREFIX}${row.name}`,
    kind: 'APP',
    name: row.name,
    namespace: row.namespaceId,
    roles: [],
    scope: { all: false, namespaces: new Set([row.namespaceId]) },
    agent: undefined,
    credential: { kind: 'ENROLMENT_KEY', id: row.uid, expiresAt: row.expiresAt ?? undefined },
  };
  return { hash: row.hash, principal, revokedAt: row.revokedAt };
}

/** App tokens may not be named so, lest one passes for an enrolment key. */
export const ENROLMENT_NAME_PREFIX = 'enrol.';

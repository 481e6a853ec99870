import { ReachError } from '@agent-reach/sdk/protocol';
import type { Prisma, PrismaClient } from '../../storage/generated/client.js';
import type { Changes } from '../changes.js';
import { isStorageAway, toReachError } from '../storage-errors.js';
import type { CredentialEnds } from './credential-ends.js';
import { verifyPassword } from './passwords.js';
import type { Principal } from './principal.js';
import { hashSecret, newSecret, secretKind } from './secrets.js';
import { rolesOf, scopeOfRoles, USER_PARTS, type UserRow } from './users.js';

export const SESSION_COOKIE = 'reach_session';
const HOUR_MS = 3_600_000;
/** A session ends so long after its last use … */
export const SESSION_IDLE_MS = 12 * HOUR_MS;
/** … and so long after its start in any case. */
const SESSION_MAX_MS = 7 * 24 * HOUR_MS;
/** Its end is moved on in steps, so that not every request writes. */
const SLIDE_STEP_MS = 5 * 60_000;
/** So long a change made by another process may stay unseen. */
const FRESH_MS = 3_000;
const TICK_MS = 500;
const MAX_CACHED = 10_000;

interface Cached {
  readonly principal: Principal;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly readAt: number;
}

/** A session that was just begun; the secret goes into the cookie and nowhere else. */
export interface StartedSession {
  readonly secret: string;
  readonly user: string;
  readonly expiresAt: Date;
}

export interface SessionsOptions {
  readonly prisma: PrismaClient;
  readonly changes: Changes;
  readonly ends: CredentialEnds;
  readonly now?: () => number;
  readonly onError?: (error: unknown) => void;
}

const SESSION_PARTS = {
  uid: true,
  hash: true,
  createdAt: true,
  expiresAt: true,
  revokedAt: true,
  user: { select: USER_PARTS },
} as const satisfies Prisma.SessionSelect;

type Row = Prisma.SessionGetPayload<{ select: typeof SESSION_PARTS }>;

/** Sessions of people: begun by password or link, kept on the server, named by a cookie. */
export class Sessions {
  readonly #prisma: PrismaClient;
  readonly #changes: Changes;
  readonly #ends: CredentialEnds;
  readonly #now: () => number;
  readonly #onError: (error: unknown) => void;
  readonly #cache = new Map<string, Cached>();
  /** Grows with each end, so that a read that began before cannot bring the ended one back. */
  #generation = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Writes that nobody waits for. They never reject. */
  #background: Promise<unknown> = Promise.resolve();

  constructor(options: SessionsOptions) {
    this.#prisma = options.prisma;
    this.#changes = options.changes;
    this.#ends = options.ends;
    this.#now = options.now ?? Date.now;
    this.#onError = options.onError ?? (() => {});
  }

  /** Watches for expiry until `close`. */
  start(): void {
    this.#timer = setInterval(() => this.tick(), TICK_MS);
    this.#timer.unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#background;
  }

  /** Begins a session for a name and password. Throws UNAUTHENTICATED, in the same words and time whatever is wrong. */
  async signIn(name: string, password: string, address: string): Promise<StartedSession> {
    const user = await this.#prisma.user
      .findUnique({ where: { name }, select: { ...USER_PARTS, passwordHash: true } })
      .catch((error: unknown) => {
        throw toReachError(error);
      });
    const right = await verifyPassword(password, user?.passwordHash ?? null);
    if (user === null || !right || user.disabled) {
      throw new ReachError('UNAUTHENTICATED', 'The name or the password is wrong.');
    }
    return this.#changes.run({ caller: `user:${name}` }, async (tx) => {
      const session = await this.begin(tx, user, address);
      return { action: 'session.start', namespace: '', target: `user:${name}`, after: { address }, result: session };
    });
  }

  /** Writes a new session of a user within a transaction. */
  async begin(
    tx: Prisma.TransactionClient,
    user: Pick<UserRow, 'uid' | 'name'>,
    address: string,
  ): Promise<StartedSession> {
    const secret = newSecret('session');
    const now = this.#now();
    const expiresAt = new Date(now + SESSION_IDLE_MS);
    await tx.session.create({
      data: { hash: hashSecret(secret), userUid: user.uid, createdAt: new Date(now), expiresAt, address },
    });
    return { secret, user: user.name, expiresAt };
  }

  /**
   * The person behind a cookie's value, or undefined when there is no such session any more. A use moves its end on.
   * Throws STORAGE_UNAVAILABLE for a session that this process has not seen while the database is away.
   */
  async principalOfSession(secret: string): Promise<Principal | undefined> {
    if (secretKind(secret) !== 'session') return undefined;
    const hash = hashSecret(secret);
    const now = this.#now();
    let cached = this.#cache.get(hash);
    if (cached === undefined || now - cached.readAt > FRESH_MS) cached = await this.#read(hash, cached);
    if (cached === undefined) return undefined;
    if (cached.expiresAt <= now) {
      this.#end(hash, cached.principal.credential.id, 'EXPIRED');
      return undefined;
    }
    this.#slide(hash, cached);
    return cached.principal;
  }

  /** Ends a session at once, here and in the database. Unknown ones are left alone. */
  async end(secret: string): Promise<void> {
    const principal = await this.principalOfSession(secret);
    if (principal === undefined) return;
    const hash = hashSecret(secret);
    await this.#changes.run({ caller: principal.caller }, async (tx) => {
      await tx.session.updateMany({ where: { hash, revokedAt: null }, data: { revokedAt: new Date(this.#now()) } });
      return { action: 'session.end', namespace: '', target: principal.caller, result: undefined };
    });
    this.#end(hash, principal.credential.id, 'REVOKED');
  }

  /** Forgets the sessions of a user after they were ended or the user's rights changed in the database. */
  ended(user: string): void {
    this.#generation += 1;
    for (const [hash, { principal }] of [...this.#cache]) {
      if (principal.name === user) this.#end(hash, principal.credential.id, 'REVOKED');
    }
  }

  /** Ends what expired. Called by a timer, or by a test with its own clock. */
  tick(): void {
    const now = this.#now();
    for (const [hash, { principal, expiresAt }] of [...this.#cache]) {
      if (expiresAt <= now) this.#end(hash, principal.credential.id, 'EXPIRED');
    }
  }

  async #read(hash: string, stale: Cached | undefined): Promise<Cached | undefined> {
    for (;;) {
      const generation = this.#generation;
      let row: Row | null;
      try {
        row = await this.#prisma.session.findUnique({ where: { hash }, select: SESSION_PARTS });
      } catch (error) {
        // Operators need the console most while the database is away; what was known a moment ago still counts.
        if (isStorageAway(error) && stale !== undefined && generation === this.#generation) return stale;
        throw toReachError(error);
      }
      if (generation !== this.#generation) continue;
      if (row === null || row.revokedAt !== null || row.user.disabled) {
        if (stale !== undefined) this.#end(hash, stale.principal.credential.id, 'REVOKED');
        return undefined;
      }
      return this.#remember(row);
    }
  }

  #remember(row: Row): Cached {
    const roles = rolesOf(row.user);
    const principal: Principal = {
      caller: `user:${row.user.name}`,
      kind: 'USER',
      name: row.user.name,
      namespace: undefined,
      roles,
      scope: scopeOfRoles(roles),
      agent: undefined,
      credential: { kind: 'SESSION', id: row.uid, expiresAt: row.expiresAt },
    };
    const cached = {
      principal,
      createdAt: row.createdAt.getTime(),
      expiresAt: row.expiresAt.getTime(),
      readAt: this.#now(),
    };
    this.#cache.delete(row.hash);
    this.#cache.set(row.hash, cached);
    if (this.#cache.size > MAX_CACHED) {
      const oldest = this.#cache.keys().next();
      if (!oldest.done) this.#cache.delete(oldest.value);
    }
    return cached;
  }

  #slide(hash: string, cached: Cached): void {
    const expiresAt = Math.min(this.#now() + SESSION_IDLE_MS, cached.createdAt + SESSION_MAX_MS);
    if (expiresAt - cached.expiresAt < SLIDE_STEP_MS) return;
    const { principal } = cached;
    const credential = { ...principal.credential, expiresAt: new Date(expiresAt) };
    this.#cache.set(hash, { ...cached, expiresAt, principal: { ...principal, credential } });
    const write = this.#prisma.session
      .updateMany({ where: { hash, revokedAt: null }, data: { expiresAt: new Date(expiresAt) } })
      .catch(this.#onError);
    this.#background = this.#background.then(() => write);
  }

  #end(hash: string, id: string, reason: 'EXPIRED' | 'REVOKED'): void {
    this.#generation += 1;
    this.#cache.delete(hash);
    this.#ends.end(id, reason);
  }
}

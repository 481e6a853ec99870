import { ReachError } from '@agent-reach/sdk/protocol';
import type { PrismaClient } from '../../storage/generated/client.js';
import { Changes } from '../changes.js';
import { toReachError } from '../storage-errors.js';
import { hashPassword, passwordFault } from './passwords.js';
import { hashSecret, newSecret, secretKind } from './secrets.js';
import type { Sessions, StartedSession } from './sessions.js';

/** How long a link can be used. */
const VALID_MS = 15 * 60_000;

/**
 * Makes a link's token for a user, valid for 15 minutes and once; earlier links of that user are void. It is for the
 * eyes of who started the server and for no log. Throws NOT_FOUND, STORAGE_UNAVAILABLE.
 */
export async function issueSignInLink(
  prisma: PrismaClient,
  userName: string,
  options: { readonly changes?: Changes; readonly now?: () => number } = {},
): Promise<{ readonly token: string; readonly expiresAt: Date }> {
  const changes = options.changes ?? new Changes(prisma);
  const now = (options.now ?? Date.now)();
  const token = newSecret('link');
  const expiresAt = new Date(now + VALID_MS);
  return changes.run({ caller: 'system' }, async (tx) => {
    const user = await tx.user.findUnique({ where: { name: userName }, select: { uid: true, disabled: true } });
    if (user === null || user.disabled) {
      throw new ReachError('NOT_FOUND', `There is no active user ${JSON.stringify(userName.slice(0, 64))}.`);
    }
    await tx.signInLink.deleteMany({ where: { userUid: user.uid } });
    await tx.signInLink.create({ data: { hash: hashSecret(token), userUid: user.uid, expiresAt } });
    return {
      action: 'signInLink.issue',
      namespace: '',
      target: `user:${userName}`,
      after: { expiresAt: expiresAt.toISOString() },
      result: { token, expiresAt },
    };
  });
}

/** Spends links: once each, against a password. */
export class SignInLinks {
  readonly #prisma: PrismaClient;
  readonly #changes: Changes;
  readonly #sessions: Sessions;
  readonly #now: () => number;

  constructor(
    prisma: PrismaClient,
    changes: Changes,
    sessions: Sessions,
    options: { readonly now?: () => number } = {},
  ) {
    this.#prisma = prisma;
    this.#changes = changes;
    this.#sessions = sessions;
    this.#now = options.now ?? Date.now;
  }

  /**
   * Sets the user's password, ends the user's other sessions and begins one. A password that is not allowed leaves the
   * link as it was. Throws INVALID_INPUT, and UNAUTHENTICATED for a link that is unknown, used or too old.
   */
  async spend(token: string, password: unknown, address: string): Promise<StartedSession> {
    const fault = passwordFault('password', password);
    if (fault !== undefined || typeof password !== 'string') {
      throw new ReachError('INVALID_INPUT', 'This password is not allowed.', {
        fields: fault === undefined ? [] : [fault],
      });
    }
    if (secretKind(token) !== 'link') throw invalidLink();
    const hash = hashSecret(token);
    // Looked at before the costly hashing, so that made-up links cost little; decided by the update below.
    const found = await this.#prisma.signInLink.findUnique({ where: { hash } }).catch((error: unknown) => {
      throw toReachError(error);
    });
    if (found === null || found.usedAt !== null || found.expiresAt.getTime() <= this.#now()) throw invalidLink();
    const passwordHash = await hashPassword(password);
    const user = await this.#prisma.user.findUnique({ where: { uid: found.userUid } }).catch((error: unknown) => {
      throw toReachError(error);
    });
    if (user === null || user.disabled) throw invalidLink();
    const session = await this.#changes.run({ caller: `user:${user.name}` }, async (tx) => {
      const now = new Date(this.#now());
      const spent = await tx.signInLink.updateMany({
        where: { hash, usedAt: null, expiresAt: { gt: now } },
        data: { usedAt: now },
      });
      if (spent.count !== 1) throw invalidLink();
      await tx.user.update({ where: { uid: user.uid }, data: { passwordHash } });
      await tx.session.updateMany({ where: { userUid: user.uid, revokedAt: null }, data: { revokedAt: now } });
      const started = await this.#sessions.begin(tx, user, address);
      return {
        action: 'user.setPassword',
        namespace: '',
        target: `user:${user.name}`,
        before: { hadPassword: user.passwordHash !== null },
        after: { by: 'sign-in link', address },
        result: started,
      };
    });
    this.#sessions.ended(user.name);
    return session;
  }
}

function invalidLink(): ReachError {
  return new ReachError(
    'UNAUTHENTICATED',
    'This sign-in link is not valid: it was used, is older than 15 minutes, or a newer one was made. ' +
      'On the server, `npm run admin:link` makes another.',
  );
}

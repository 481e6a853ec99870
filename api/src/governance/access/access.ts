import type { Settings } from '../../settings.js';
import type { PrismaClient } from '../../storage/generated/client.js';
import type { Log } from '../../telemetry/log.js';
import type { Changes } from '../changes.js';
import { localAdminToken, type PresetToken } from './admin-token.js';
import { Authenticator } from './authenticator.js';
import { PrismaCredentialStore } from './credential.store.js';
import { CredentialEnds } from './credential-ends.js';
import { EnrolmentKeys } from './enrolment-keys.js';
import { createPrincipalOf, type PrincipalOf, type RequestHead } from './principal-of.js';
import { Sessions } from './sessions.js';
import { issueSignInLink, SignInLinks } from './sign-in-links.js';
import { SignInThrottle } from './sign-in-throttle.js';
import { Tokens } from './tokens.js';
import { ensureFirstStart, FIRST_USER } from './users.js';

export type Access = Awaited<ReturnType<typeof createAccess>>;

/** Wires who may come in: tokens, enrolment keys, people and their sessions. Throws STORAGE_UNAVAILABLE. */
export async function createAccess(deps: {
  readonly settings: Settings;
  readonly prisma: PrismaClient;
  readonly changes: Changes;
  readonly now: () => number;
  readonly log: Log;
}) {
  const { settings, prisma, changes, now, log } = deps;
  await ensureFirstStart(prisma, { changes });
  const ends = new CredentialEnds();
  const onError = (error: unknown) => log.error({ err: error }, 'credentials could not be read or written');
  const authenticator = new Authenticator({
    store: new PrismaCredentialStore(prisma),
    ends,
    presets: presetTokens(settings),
    now,
    onError,
  });
  await authenticator.start();
  changes.onCommitted((change) => authenticator.changed(change));
  changes.onUncertain(() => authenticator.doubt());
  const sessions = new Sessions({ prisma, changes, ends, now, onError });
  sessions.start();

  return {
    authenticator,
    ends,
    sessions,
    tokens: new Tokens(prisma, changes, { now }),
    enrolmentKeys: new EnrolmentKeys(prisma, changes, { now }),
    links: new SignInLinks(prisma, changes, sessions, { now }),
    throttle: new SignInThrottle({ now }),

    principalOf: (cookiesCount: (request: RequestHead) => boolean): PrincipalOf =>
      createPrincipalOf({ authenticator, sessions, cookiesCount }),

    /** A new link for the first administrator while that one has no password yet. */
    async firstSignInLink(consoleUrl: string): Promise<string | undefined> {
      const user = await prisma.user.findUnique({ where: { name: FIRST_USER }, select: { passwordHash: true } });
      if (user === null || user.passwordHash !== null) return undefined;
      const { token } = await issueSignInLink(prisma, FIRST_USER, { changes, now });
      return `${consoleUrl}/sign-in#token=${token}`;
    },

    async close(): Promise<void> {
      await sessions.close();
      await authenticator.close();
    },
  };
}

function presetTokens(settings: Settings): PresetToken[] {
  const local: PresetToken = { name: 'local-admin', secret: localAdminToken(settings.dataDir) };
  return settings.adminToken === undefined ? [local] : [{ name: 'admin-token', secret: settings.adminToken }, local];
}

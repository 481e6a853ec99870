import { ReachError } from '@agent-reach/sdk/protocol';
import { issueSignInLink } from './governance/access/sign-in-links.js';
import { auditKeys } from './governance/audit/chain/chain.keys.js';
import { Changes } from './governance/changes.js';
import { loadSettings } from './settings.js';
import { currentOwner } from './storage/data-dir-lock.js';
import { runningEmbeddedUrl } from './storage/embedded-postgres.js';
import { openPrisma } from './storage/prisma.js';
import { openServerKey } from './storage/server-key.js';

/** `npm run admin:link [-- name]`: prints another sign-in link of a user, `admin` by default. */
async function main(userName: string): Promise<void> {
  const settings = loadSettings();
  const owner = currentOwner(settings.dataDir);
  const databaseUrl = settings.databaseUrl ?? runningEmbeddedUrl(settings.dataDir);
  if (databaseUrl === undefined) {
    throw new ReachError(
      'STORAGE_UNAVAILABLE',
      `No server runs on ${settings.dataDir}. Start it first, with "npm start".`,
    );
  }
  const consoleUrl = settings.publicUrl ?? owner?.consoleUrl ?? `http://${settings.host}:${settings.consolePort}`;
  const auditKey = auditKeys(openServerKey(settings.dataDir, settings.secretKey, true)).current;
  const prisma = openPrisma(databaseUrl);
  try {
    const changes = new Changes(prisma, { auditKey });
    const { token, expiresAt } = await issueSignInLink(prisma, userName, { changes });
    process.stdout.write(`\n  ${consoleUrl}/sign-in#token=${token}\n`);
    process.stdout.write(`  For ${userName}: once, until ${expiresAt.toISOString()}; it sets a new password.\n\n`);
  } finally {
    await prisma.$disconnect();
  }
}

try {
  await main(process.argv[2] ?? 'admin');
} catch (error) {
  const reason = error instanceof ReachError ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`\n${reason}\n\n`);
  process.exitCode = 1;
}

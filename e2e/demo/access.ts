import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CHECKOUT } from '../support/server.js';

/** Where the running server is, and the credential of an administrator. */
export interface Access {
  readonly apiUrl: string;
  readonly consoleUrl: string;
  readonly adminToken: string;
}

/**
 * Finds the server: `REACH_URL`, else what the server that owns the data directory says of itself; and the credential:
 * `REACH_ADMIN_TOKEN`, else the file that the server writes for local automation. Throws what to do when either is
 * missing or nobody answers.
 */
export async function findAccess(env: NodeJS.ProcessEnv): Promise<Access> {
  const dataDir = resolve(CHECKOUT, env.REACH_DATA_DIR ?? '.reach');
  const lock = read(join(dataDir, 'server.lock'));
  const owner = lock === undefined ? {} : (JSON.parse(lock) as { apiUrl?: string; consoleUrl?: string });
  const apiUrl = env.REACH_URL ?? owner.apiUrl ?? 'http://127.0.0.1:4000';
  const adminToken = env.REACH_ADMIN_TOKEN ?? read(join(dataDir, 'admin.token'))?.trim();
  await checkThatItAnswers(apiUrl);
  if (adminToken === undefined || adminToken === '')
    throw new Error(
      `No administrator's token: set REACH_ADMIN_TOKEN to the server's, or run the demo on the server's machine with ` +
        `its REACH_DATA_DIR (there is no ${join(dataDir, 'admin.token')}).`,
    );
  return { apiUrl, adminToken, consoleUrl: owner.consoleUrl ?? env.REACH_PUBLIC_URL ?? 'http://127.0.0.1:3000' };
}

async function checkThatItAnswers(apiUrl: string): Promise<void> {
  try {
    await fetch(new URL('/health', apiUrl), { signal: AbortSignal.timeout(5000) });
  } catch (error) {
    throw new Error(
      `No server answers at ${apiUrl}. Start one with \`npm start\` in another terminal, or name it with REACH_URL.`,
      { cause: error },
    );
  }
}

function read(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

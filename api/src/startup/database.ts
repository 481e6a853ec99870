import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ReachError } from '@agent-reach/sdk/protocol';
import { CHECKOUT, type Settings } from '../settings.js';
import { lockDatabase } from '../storage/database-lock.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../storage/embedded-postgres.js';
import { migrate } from '../storage/migrate.js';
import type { Log } from '../telemetry/log.js';

/** The database that the server works with. */
export interface OpenedDatabase {
  readonly url: string;
  /** What was found, for a person: "embedded Postgres, started". */
  readonly description: string;
  /** Stops the embedded server; leaves your own alone. */
  stop(): Promise<void>;
  /** As `stop`, at once. */
  kill(): void;
}

/** Your own Postgres may be starting at the same time, in a compose file for instance. */
const WAIT_FOR_OWN_MS = 30_000;
const RETRY_MS = 1_000;

const ORIGINS: Readonly<Record<EmbeddedPostgres['origin'], string>> = {
  CREATED: 'embedded Postgres, new',
  STARTED: 'embedded Postgres, started',
  TAKEN_OVER: 'embedded Postgres, taken over from a server that was killed',
};

/**
 * Starts the embedded Postgres, or waits for the one that DATABASE_URL names (until `signal` aborts), and brings it up to
 * date. It is then this server's alone; `onLost` is called when another one took it during an outage.
 * @throws ReachError STORAGE_UNAVAILABLE with a sentence that says what to do.
 */
export async function openDatabase(
  settings: Settings,
  log: Log,
  signal: AbortSignal,
  onLost: (error: unknown) => void,
): Promise<OpenedDatabase> {
  const database = settings.databaseUrl === undefined ? await embedded(settings, log) : own(settings.databaseUrl);
  try {
    const waitMs = settings.databaseUrl === undefined ? 0 : WAIT_FOR_OWN_MS;
    const applied = await migrateWhenUp(database.url, waitMs, log, signal);
    for (const migration of applied) log.info({ migration }, 'migration applied');
    const lock = await lockDatabase(database.url, onLost);
    return {
      ...database,
      stop: async () => {
        await lock.release();
        await database.stop();
      },
    };
  } catch (error) {
    await database.stop();
    throw error;
  }
}

async function embedded(settings: Settings, log: Log): Promise<OpenedDatabase> {
  const postgres = await startEmbeddedPostgres(settings.dataDir, {
    onLost: () => log.error('the embedded Postgres ended by itself and is started again'),
    onRestarted: () => log.warn('the embedded Postgres runs again'),
    onRestartFailed: (error) => log.error({ err: error }, 'the embedded Postgres could not be started again'),
  });
  return {
    url: postgres.url,
    description: ORIGINS[postgres.origin],
    stop: () => postgres.stop(),
    kill: () => postgres.kill(),
  };
}

function own(url: string): OpenedDatabase {
  const { hostname, port, pathname } = new URL(url);
  const where = `${hostname}${port === '' ? '' : `:${port}`}${pathname}`;
  return { url, description: `your Postgres at ${where}`, stop: async () => {}, kill: () => {} };
}

async function migrateWhenUp(url: string, waitMs: number, log: Log, signal: AbortSignal): Promise<string[]> {
  for (let waited = 0; ; waited += RETRY_MS) {
    try {
      return await migrate(url, join(CHECKOUT, 'prisma/migrations'));
    } catch (error) {
      if (error instanceof ReachError) throw error;
      const reason = reasonOf(error);
      if (!isNotUp(error) || waited >= waitMs) {
        throw new ReachError('STORAGE_UNAVAILABLE', `The database cannot be used: ${reason}.`, {
          cause: error,
        });
      }
      if (waited === 0) log.warn({ reason }, 'waiting for Postgres');
      await sleep(RETRY_MS, undefined, { signal });
    }
  }
}

/** Whether the failure may pass by itself. 57P03: Postgres says that it is starting. */
function isNotUp(error: unknown): boolean {
  const passing = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'ECONNRESET', '57P03'];
  return error instanceof Error && 'code' in error && passing.includes(String(error.code));
}

function reasonOf(error: unknown): string {
  // Node tries each address of a name and says nothing in the message of the sum.
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}

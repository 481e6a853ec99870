import { ReachError } from '@agent-reach/sdk/protocol';
import type { Settings } from '../settings.js';
import { lockDataDir } from '../storage/data-dir-lock.js';
import { readHome } from '../storage/embedded/home.js';
import { runningEmbeddedUrl, startEmbeddedPostgres } from '../storage/embedded-postgres.js';

/**
 * Runs work on the database of a data directory, for commands: beside the server where one runs, else on the embedded
 * Postgres, which is started for the time.
 * @throws ReachError STORAGE_UNAVAILABLE where there is no database, CONFLICT while a server is starting or stopping.
 */
export async function withDatabase<T>(
  settings: Pick<Settings, 'databaseUrl' | 'dataDir'>,
  work: (databaseUrl: string) => Promise<T>,
): Promise<T> {
  const { dataDir } = settings;
  const running = settings.databaseUrl ?? runningEmbeddedUrl(dataDir);
  if (running !== undefined) return work(running);
  if (readHome(dataDir) === undefined) {
    throw new ReachError('STORAGE_UNAVAILABLE', `There is no database in ${dataDir}, and DATABASE_URL names none.`, {
      fields: [{ path: 'REACH_DATA_DIR', got: dataDir, allowed: 'the data directory of a server that was started' }],
    });
  }
  const lock = await lockDataDir(dataDir, new Date());
  try {
    const postgres = await startEmbeddedPostgres(dataDir);
    try {
      return await work(postgres.url);
    } finally {
      await postgres.stop();
    }
  } finally {
    lock.release();
  }
}

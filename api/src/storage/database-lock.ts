import { setTimeout as sleep } from 'node:timers/promises';
import { ReachError } from '@agent-reach/sdk/protocol';
import pg from 'pg';

/** Held by the one server that works on the database. */
const ADVISORY_LOCK = 72_650_000;

/** A server that has just been killed may still be connected for a moment. */
const DEFAULT_PATIENCE_MS = 5_000;
const RETRY_MS = 250;
const RECONNECT_MS = 1_000;

/** A held database. */
export interface DatabaseLock {
  release(): Promise<void>;
}

/**
 * Makes this process the only server on a database: two would route by tables that do not know of each other. The lock
 * lives with a connection, so it ends with the process; after an outage of Postgres it is taken again.
 *
 * @param onLost called when another server took the database during an outage; this one must stop.
 * @throws ReachError CONFLICT when another server works on the database.
 */
export async function lockDatabase(
  databaseUrl: string,
  onLost: (error: ReachError) => void,
  patienceMs = DEFAULT_PATIENCE_MS,
): Promise<DatabaseLock> {
  const stopping = new AbortController();
  let client = await connectAndLock(databaseUrl, patienceMs);

  const keep = (): void => {
    client.once('error', () => {});
    client.once('end', () => {
      if (!stopping.signal.aborted) void takeAgain();
    });
  };
  const takeAgain = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        client = await connectAndLock(databaseUrl, patienceMs);
        if (stopping.signal.aborted) await client.end();
        else keep();
        return;
      } catch (error) {
        if (error instanceof ReachError) return onLost(error);
        await sleep(RECONNECT_MS, undefined, { signal: stopping.signal }).catch(() => {});
      }
    }
  };
  keep();
  return {
    release: async () => {
      stopping.abort();
      // Already broken, when Postgres is away.
      await client.end().catch(() => {});
    },
  };
}

async function connectAndLock(databaseUrl: string, patienceMs: number): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000, keepAlive: true });
  // What follows a failed connection is told by the promise.
  client.on('error', () => {});
  await client.connect();
  for (let waited = 0; waited <= patienceMs; waited += RETRY_MS) {
    const { rows } = await client.query<{ held: boolean }>('SELECT pg_try_advisory_lock($1) AS held', [ADVISORY_LOCK]);
    if (rows[0]?.held) return client;
    await sleep(RETRY_MS);
  }
  const owner = await ownerOf(client);
  await client.end();
  throw new ReachError(
    'CONFLICT',
    `Another server works on this database (connected ${owner}). Stop it, or give this one a database of its own.`,
  );
}

async function ownerOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ address: string | null; since: Date }>(
    `SELECT host(client_addr) AS address, backend_start AS since
       FROM pg_locks JOIN pg_stat_activity USING (pid)
      WHERE locktype = 'advisory' AND granted AND classid = 0 AND objid = $1
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    [ADVISORY_LOCK],
  );
  const [owner] = rows;
  if (owner === undefined) return 'a moment ago';
  return `from ${owner.address ?? 'its own machine'} since ${owner.since.toISOString()}`;
}

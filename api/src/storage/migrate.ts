import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ReachError } from '@agent-reach/sdk/protocol';
import pg from 'pg';

/** The lock that Prisma's own tools take, so that the two never migrate at the same time. */
const ADVISORY_LOCK = 72_707_369;

/** Oldest server that knows NULLS NOT DISTINCT. */
const MIN_SERVER_VERSION = 150_000;

// As Prisma's tools create and read it.
const HISTORY_TABLE = `
  CREATE TABLE IF NOT EXISTS _prisma_migrations (
    id                  VARCHAR(36) PRIMARY KEY NOT NULL,
    checksum            VARCHAR(64) NOT NULL,
    finished_at         TIMESTAMPTZ,
    migration_name      VARCHAR(255) NOT NULL,
    logs                TEXT,
    rolled_back_at      TIMESTAMPTZ,
    started_at          TIMESTAMPTZ NOT NULL DEFAULT now(),
    applied_steps_count INTEGER NOT NULL DEFAULT 0
  )`;

interface Migration {
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

/**
 * Brings the database to the state of `prisma/migrations`; returns the names of the migrations applied now. The history
 * is kept as `prisma migrate deploy` keeps it, but each migration commits together with its entry: a server that is
 * killed midway leaves nothing behind that somebody has to repair by hand.
 * @throws ReachError STORAGE_UNAVAILABLE when the database is too old, newer than this program, or a migration fails.
 */
export async function migrate(databaseUrl: string, migrationsDir: string): Promise<string[]> {
  const migrations = readMigrations(migrationsDir);
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  // A connection that breaks rejects the query under way; the event beside it must not end the process.
  client.on('error', () => {});
  await client.connect();
  try {
    await checkServer(client);
    await client.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCK]);
    await client.query(HISTORY_TABLE);
    const pending = await pendingOf(client, migrations);
    for (const migration of pending) await apply(client, migration);
    return pending.map(({ name }) => name);
  } finally {
    // Ending the session releases the lock.
    await client.end();
  }
}

function readMigrations(directory: string): Migration[] {
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
    .map((name) => {
      const sql = readFileSync(join(directory, name, 'migration.sql'), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    });
}

async function checkServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ version: string; encoding: string }>(
    "SELECT current_setting('server_version_num') AS version, current_setting('server_encoding') AS encoding",
  );
  const { version, encoding } = rows[0] ?? { version: '0', encoding: '' };
  if (Number(version) < MIN_SERVER_VERSION)
    throw unusable(`its version number is ${version}; Postgres 15 or later is needed`);
  if (encoding !== 'UTF8') throw unusable(`its encoding is ${encoding}; UTF8 is needed`);
}

/** Migrations that were not applied; one that was changed since, or is unknown here, means another program's database. */
async function pendingOf(client: pg.Client, migrations: readonly Migration[]): Promise<Migration[]> {
  const { rows } = await client.query<{ name: string; checksum: string; finished: boolean }>(
    `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished
       FROM _prisma_migrations WHERE rolled_back_at IS NULL`,
  );
  for (const row of rows) {
    const known = migrations.find(({ name }) => name === row.name);
    if (known === undefined)
      throw unusable(`it has the migration ${row.name}, which this version does not know; use a newer version`);
    if (!row.finished) throw unusable(`the migration ${row.name} failed earlier; see "prisma migrate resolve"`);
    if (known.checksum !== row.checksum) throw unusable(`the migration ${row.name} was changed after it was applied`);
  }
  return migrations.filter(({ name }) => !rows.some((row) => row.name === name));
}

async function apply(client: pg.Client, { name, sql, checksum }: Migration): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query(sql);
    await client.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
       VALUES ($1, $2, $3, now(), clock_timestamp(), 1)`,
      [randomUUID(), checksum, name],
    );
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    const reason = error instanceof Error ? error.message : String(error);
    throw new ReachError('STORAGE_UNAVAILABLE', `The migration ${name} failed and changed nothing: ${reason}`, {
      cause: error,
    });
  }
}

function unusable(reason: string): ReachError {
  return new ReachError('STORAGE_UNAVAILABLE', `The database cannot be used: ${reason}.`);
}

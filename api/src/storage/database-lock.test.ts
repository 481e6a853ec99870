import pg from 'pg';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { lockDatabase } from './database-lock.js';
import { openEmptyDatabase } from './testing.js';

let database: Awaited<ReturnType<typeof openEmptyDatabase>>;

beforeEach(async () => {
  database = await openEmptyDatabase();
});

afterEach(() => database.drop());

const never = (): void => {
  throw new Error('the lock was lost');
};

/** Cuts every other connection to the database, as an outage of Postgres does. */
async function cutConnections(): Promise<void> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
  await client.end();
}

async function holders(): Promise<number> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM pg_locks JOIN pg_stat_activity USING (pid)
      WHERE locktype = 'advisory' AND granted AND datname = current_database()`,
  );
  await client.end();
  return rows[0]?.n ?? 0;
}

test('a second server on the database is refused, and one that comes after is not', async () => {
  const lock = await lockDatabase(database.url, never);
  await expect(lockDatabase(database.url, never, 0)).rejects.toMatchObject({
    code: 'CONFLICT',
    message: expect.stringMatching(
      /^Another server works on this database \(connected from 127\.0\.0\.1 since \d{4}-\d\d-\d\dT[\d:.]+Z\)\. Stop it, /,
    ),
  });
  await lock.release();
  const next = await lockDatabase(database.url, never);
  await next.release();
  expect(await holders()).toBe(0);
});

test('after an outage the lock is taken again', async () => {
  const lock = await lockDatabase(database.url, never);
  await cutConnections();
  await vi.waitUntil(async () => (await holders()) === 1, { timeout: 5_000 });
  await lock.release();
});

test('a server that lost the database to another during an outage is told so', async () => {
  const lost = new Promise<Error>((resolve) => {
    void lockDatabase(database.url, resolve, 0).then(async () => {
      // The rival waits in line and is first when the connection breaks.
      const rival = new pg.Client({ connectionString: database.url });
      rival.on('error', () => {});
      await rival.connect();
      const waiting = rival.query('SELECT pg_advisory_lock(72650000)');
      const { rows } = await asOther(
        'SELECT pg_terminate_backend(pid) FROM pg_locks WHERE granted AND objid = 72650000',
      );
      expect(rows.length).toBe(1);
      await waiting;
    });
  });
  expect((await lost).message).toMatch(/^Another server works on this database/);
});

async function asOther(sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}

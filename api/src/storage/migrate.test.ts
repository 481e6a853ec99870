import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CHECKOUT } from '../settings.js';
import { migrate } from './migrate.js';
import { openEmptyDatabase } from './testing.js';

const MIGRATIONS = join(CHECKOUT, 'prisma/migrations');

let database: Awaited<ReturnType<typeof openEmptyDatabase>>;
let client: pg.Client;
let directory: string;

beforeEach(async () => {
  database = await openEmptyDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  directory = mkdtempSync(join(tmpdir(), 'migrations-'));
  cpSync(MIGRATIONS, directory, { recursive: true });
});

afterEach(async () => {
  rmSync(directory, { recursive: true });
  await client.end();
  await database.drop();
});

function addMigration(name: string, sql: string): void {
  mkdirSync(join(directory, name));
  writeFileSync(join(directory, name, 'migration.sql'), sql);
}

test('applies each migration once and records it as Prisma does', async () => {
  expect(await migrate(database.url, directory)).toContain('0001_initial');
  expect(await migrate(database.url, directory)).toEqual([]);
  const { rows } = await client.query(
    `SELECT length(checksum) AS checksum, applied_steps_count AS steps, finished_at >= started_at AS finished, rolled_back_at
       FROM _prisma_migrations WHERE migration_name = '0001_initial'`,
  );
  expect(rows).toEqual([{ checksum: 64, steps: 1, finished: true, rolled_back_at: null }]);
});

test('servers that start at once migrate once', async () => {
  const applied = await Promise.all([1, 2, 3].map(() => migrate(database.url, directory)));
  expect(applied.flat().filter((name) => name === '0001_initial')).toEqual(['0001_initial']);
});

test('a migration that fails changes nothing, and a corrected one is applied', async () => {
  addMigration('9001_broken', 'CREATE TABLE half_done (id int); SELECT no_such_function();');
  await expect(migrate(database.url, directory)).rejects.toMatchObject({
    code: 'STORAGE_UNAVAILABLE',
    message: 'The migration 9001_broken failed and changed nothing: function no_such_function() does not exist',
  });
  expect((await client.query("SELECT to_regclass('half_done') AS half")).rows).toEqual([{ half: null }]);
  rmSync(join(directory, '9001_broken'), { recursive: true });
  addMigration('9001_broken', 'CREATE TABLE half_done (id int);');
  expect(await migrate(database.url, directory)).toEqual(['9001_broken']);
});

test('refuses a database that a newer version has migrated', async () => {
  addMigration('9002_newer', 'SELECT 1;');
  await migrate(database.url, directory);
  await expect(migrate(database.url, MIGRATIONS)).rejects.toThrow(
    'The database cannot be used: it has the migration 9002_newer, which this version does not know; use a newer version.',
  );
});

test('refuses a migration that was changed after it was applied', async () => {
  addMigration('9003_changed', 'SELECT 1;');
  await migrate(database.url, directory);
  writeFileSync(join(directory, '9003_changed/migration.sql'), 'SELECT 2;');
  await expect(migrate(database.url, directory)).rejects.toThrow(
    'the migration 9003_changed was changed after it was applied',
  );
});

test('one subject has one role in a namespace, and a binding has one subject', async () => {
  await migrate(database.url, directory);
  await client.query(`INSERT INTO users (uid, name) VALUES ('00000000-0000-7000-8000-000000000001', 'ada')`);
  const bind = (uid: number, user: string | null): Promise<unknown> =>
    client.query('INSERT INTO role_bindings (uid, user_uid, role) VALUES ($1, $2, $3)', [
      `00000000-0000-7000-8000-00000000001${uid}`,
      user,
      'ADMIN',
    ]);
  await bind(1, '00000000-0000-7000-8000-000000000001');
  await expect(bind(2, '00000000-0000-7000-8000-000000000001')).rejects.toThrow('role_bindings_subject_namespace_key');
  await expect(bind(3, null)).rejects.toThrow('role_bindings_one_subject');
});

test('the audit has exactly one head', async () => {
  await migrate(database.url, directory);
  expect((await client.query('SELECT id, sequence FROM audit_head')).rows).toEqual([{ id: 1, sequence: '0' }]);
  await expect(client.query('INSERT INTO audit_head (id) VALUES (2)')).rejects.toThrow('audit_head_one_row');
});

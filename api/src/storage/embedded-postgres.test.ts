import { spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { DatabaseProbe } from './database-health.js';
import { type EmbeddedPostgres, runningEmbeddedUrl, startEmbeddedPostgres } from './embedded-postgres.js';
import { isAlive } from './processes.js';

let dataDir: string;
let postgres: EmbeddedPostgres;

// One cluster serves all tests here, in their order: making one takes a second.
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'agent-reach-embedded-'));
  chmodSync(dataDir, 0o711);
  postgres = await startEmbeddedPostgres(dataDir);
});

afterAll(async () => {
  await postgres.stop();
  rmSync(dataDir, { recursive: true });
});

async function query<R extends pg.QueryResultRow>(sql: string): Promise<R[]> {
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  try {
    return (await client.query<R>(sql)).rows;
  } finally {
    await client.end();
  }
}

const serverPid = (): number => Number.parseInt(readFileSync(join(postgres.cluster, 'postmaster.pid'), 'utf8'), 10);

test('the first start makes a UTF-8 database that a role without superuser rights owns', async () => {
  expect(postgres.origin).toBe('CREATED');
  expect(
    await query(`
      SELECT pg_encoding_to_char(encoding) AS encoding, datlocprovider::text AS provider, datlocale AS locale,
             rolname AS owner, rolsuper AS superuser, current_setting('fsync') AS fsync
        FROM pg_database JOIN pg_roles ON pg_roles.oid = datdba WHERE datname = current_database()`),
  ).toEqual([{ encoding: 'UTF8', provider: 'b', locale: 'C.UTF-8', owner: 'reach', superuser: false, fsync: 'on' }]);
});

test('passwords are random, in a file that only its owner reads, and needed', async () => {
  expect(statSync(join(dataDir, 'postgres.json')).mode & 0o777).toBe(0o600);
  const { password } = new URL(postgres.url);
  expect(password).toMatch(/^[\w-]{32}$/);
  const client = new pg.Client({ connectionString: postgres.url.replace(password, 'wrong') });
  await expect(client.connect()).rejects.toThrow('password authentication failed');
});

test('its process is in a session of its own, out of reach of a Ctrl-C', () => {
  const sessionOf = (pid: number | 'self'): string | undefined =>
    readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[3];
  if (process.platform !== 'linux') return;
  expect(sessionOf(serverPid())).not.toBe(sessionOf('self'));
});

test('a start takes over the server that a killed one left running', async () => {
  await query('CREATE TABLE kept (n int)');
  const before = serverPid();
  const second = await startEmbeddedPostgres(dataDir);
  expect(second.origin).toBe('TAKEN_OVER');
  expect(second.url).toBe(postgres.url);
  expect(serverPid()).toBe(before);
  expect(runningEmbeddedUrl(dataDir)).toBe(postgres.url);
  await second.stop();
  expect(isAlive(before)).toBe(false);
  expect(runningEmbeddedUrl(dataDir)).toBeUndefined();
  await postgres.stop();
  postgres = await startEmbeddedPostgres(dataDir);
  expect(postgres.origin).toBe('STARTED');
  expect(await query('SELECT count(*)::int AS rows FROM kept')).toEqual([{ rows: 0 }]);
});

test('an id in postmaster.pid that now belongs to another process does not stop the start', async () => {
  const pidFile = join(postgres.cluster, 'postmaster.pid');
  const text = readFileSync(pidFile, 'utf8');
  await postgres.stop();
  const stranger = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  try {
    writeFileSync(pidFile, text.replace(/^\d+/, String(stranger.pid)));
    const { uid, gid } = statSync(postgres.cluster);
    if (process.getuid?.() === 0) chownSync(pidFile, uid, gid);
    postgres = await startEmbeddedPostgres(dataDir);
    expect(postgres.origin).toBe('STARTED');
  } finally {
    stranger.kill();
  }
});

test('a server process that ends by itself is started again at the same address, and the probe sees both', async () => {
  await postgres.stop();
  const seen: string[] = [];
  postgres = await startEmbeddedPostgres(dataDir, {
    onLost: () => seen.push('lost'),
    onRestarted: () => seen.push('restarted'),
  });
  const now = (): Date => new Date('2026-03-04T05:06:07.089Z');
  const probe = new DatabaseProbe({ databaseUrl: postgres.url, now, intervalMs: 3_600_000 });
  expect(await probe.probe()).toMatchObject({ reachable: true, reason: 'reachable' });
  process.kill(serverPid(), 'SIGKILL');
  await vi.waitUntil(async () => !(await probe.probe()).reachable, { timeout: 10_000 });
  expect(probe.health.reason).toMatch(/^Postgres does not answer: /);
  await vi.waitUntil(() => seen.includes('restarted'), { timeout: 10_000 });
  expect(seen).toEqual(['lost', 'restarted']);
  expect(await probe.probe()).toMatchObject({ reachable: true });
  await probe.stop();
});

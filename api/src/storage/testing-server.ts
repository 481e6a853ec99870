import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { CHECKOUT } from '../settings.js';
import { ensureAuditPartitions } from './audit-partitions.js';
import { canWrite } from './embedded/account.js';
import { clusterDir } from './embedded/home.js';
import { postmasterOf } from './embedded/postmaster.js';
import { stopServer } from './embedded/server.js';
import { startEmbeddedPostgres } from './embedded-postgres.js';
import { migrate } from './migrate.js';
import { openPrisma } from './prisma.js';
import { isAlive } from './processes.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the embedded Postgres of this test run, as superuser. */
    databaseAdminUrl: string;
  }
}

/** The migrated database from which every test database is copied. */
export const TEMPLATE = 'template_reach';

/** What is lost at a power failure does not matter here. */
const FOR_SPEED = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];

const PREFIX = 'agent-reach-test-';

/** Vitest's global set-up: one embedded Postgres for the whole run, with a migrated template in it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await removeLeftovers();
  const dataDir = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
  chmodSync(dataDir, 0o711);
  const postgres = await startEmbeddedPostgres(dataDir, { settings: FOR_SPEED });
  await makeTemplate(postgres.adminUrl);
  project.provide('databaseAdminUrl', postgres.adminUrl);
  return async () => {
    await postgres.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
}

/** A test run that was killed left its server running. */
async function removeLeftovers(): Promise<void> {
  for (const name of readdirSync(tmpdir())) {
    const [, pid] = new RegExp(`^${PREFIX}(\\d+)-`).exec(name) ?? [];
    const dataDir = join(tmpdir(), name);
    if (pid === undefined || isAlive(Number(pid)) || !canWrite(dataDir)) continue;
    const state = postmasterOf(clusterDir(dataDir));
    if (state.kind === 'RUNNING') await stopServer(state.pid);
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function makeTemplate(adminUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  await client.query(`CREATE DATABASE ${TEMPLATE}`);
  await client.end();
  const url = adminUrl.replace(/[^/]*$/, TEMPLATE);
  await migrate(url, join(CHECKOUT, 'prisma/migrations'));
  const prisma = openPrisma(url);
  await ensureAuditPartitions(prisma, new Date());
  await prisma.$disconnect();
}

import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ReachError } from '@agent-reach/sdk/protocol';
import { readIfExists } from '../files.js';
import type { Account } from './account.js';
import type { Binaries } from './binaries.js';
import { clusterDir, type HomeRecord } from './home.js';

/** The database's superuser. */
export const ADMIN_ROLE = 'postgres';

/**
 * Makes the cluster when there is none; it appears under its name only when it is complete, so that a start that was
 * killed midway is simply repeated. Returns whether it was made.
 * @throws ReachError STORAGE_UNAVAILABLE when initdb fails or the data are of another major version.
 */
export function ensureCluster(record: HomeRecord, binaries: Binaries, account: Account | undefined): boolean {
  const cluster = clusterDir(record.home);
  const version = readIfExists(join(cluster, 'PG_VERSION'))?.trim();
  if (version === String(binaries.majorVersion)) return false;
  if (version !== undefined) {
    throw new ReachError(
      'STORAGE_UNAVAILABLE',
      `The data in ${cluster} are of Postgres ${version}, but the installed server is Postgres ${binaries.majorVersion}. ` +
        'Make a backup with the version that wrote them and restore it here.',
    );
  }
  create(record, binaries, account, cluster);
  return true;
}

function create(record: HomeRecord, binaries: Binaries, account: Account | undefined, cluster: string): void {
  const temporary = `${cluster}.new`;
  const passwordFile = `${cluster}.password`;
  if (existsSync(temporary)) rmSync(temporary, { recursive: true });
  try {
    mkdirSync(temporary, { mode: 0o700 });
    rmSync(passwordFile, { force: true });
    writeFileSync(passwordFile, `${record.adminPassword}\n`, { mode: 0o600, flag: 'wx' });
    if (account !== undefined) {
      chownSync(temporary, account.uid, account.gid);
      chownSync(passwordFile, account.uid, account.gid);
    }
    runInitdb(temporary, passwordFile, record.home, binaries, account);
  } finally {
    rmSync(passwordFile, { force: true });
  }
  renameSync(temporary, cluster);
}

function runInitdb(
  directory: string,
  passwordFile: string,
  cwd: string,
  binaries: Binaries,
  account: Account | undefined,
): void {
  const flags = [
    `--pgdata=${directory}`,
    `--username=${ADMIN_ROLE}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // Built into Postgres, so that sorting is the same whatever locales the machine has.
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
  ];
  const env = { PATH: process.env.PATH, TZ: 'UTC', LC_ALL: 'C' };
  const result = spawnSync(binaries.initdb, flags, { ...account, cwd, env, encoding: 'utf8' });
  if (result.status === 0) return;
  throw new ReachError('STORAGE_UNAVAILABLE', `initdb failed: ${result.stderr?.trim() || result.error?.message}`, {
    cause: result.error,
  });
}

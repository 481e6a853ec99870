import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { ReachError } from '@agent-reach/sdk/protocol';
import { readIfExists, writePrivate } from '../files.js';
import { type Account, canReach } from './account.js';

/** What the data directory's 0600 file `postgres.json` says about its database. */
export interface HomeRecord {
  /** Directory that holds the cluster; the data directory itself unless the account cannot enter that. */
  readonly home: string;
  /** Of the superuser `postgres`, used for setting up and by backups only. */
  readonly adminPassword: string;
  /** Of the role `reach` that the server works with. */
  readonly password: string;
  /** TCP port on 127.0.0.1 that the server last listened on. */
  readonly port?: number;
}

/** Where databases and binaries go when the account that runs them cannot enter the checkout. */
export const SHARED_DIR = '/var/lib/agent-reach';

const isShared = (home: string): boolean => home.startsWith(`${SHARED_DIR}/`);

const recordFile = (dataDir: string): string => join(dataDir, 'postgres.json');

/** The cluster's directory in a home. */
export const clusterDir = (home: string): string => join(home, 'postgres');

/** Reads what is known of the data directory's database; undefined when it has none. */
export function readHome(dataDir: string): HomeRecord | undefined {
  const text = readIfExists(recordFile(dataDir));
  if (text === undefined) return undefined;
  const record = JSON.parse(text) as HomeRecord;
  // Within the data directory it moves with that, and the recorded path may be the old one.
  return isShared(record.home) ? record : { ...record, home: dataDir };
}

export function writeHome(dataDir: string, record: HomeRecord): void {
  writePrivate(recordFile(dataDir), `${JSON.stringify(record, null, 2)}\n`);
}

/**
 * The home of the data directory's database, chosen and recorded at the first start.
 * @throws ReachError CONFLICT when the data directory is a copy of another one whose database lies outside of it.
 */
export function openHome(dataDir: string, account: Account | undefined): HomeRecord {
  const known = readHome(dataDir);
  if (known !== undefined) {
    checkOwner(known, dataDir);
    return known;
  }
  const record: HomeRecord = { home: chooseHome(dataDir, account), adminPassword: secret(), password: secret() };
  writeHome(dataDir, record);
  return record;
}

const secret = (): string => randomBytes(24).toString('base64url');

function chooseHome(dataDir: string, account: Account | undefined): string {
  if (canReach(account, dataDir)) return dataDir;
  const name = createHash('sha256').update(realpathSync(dataDir)).digest('hex').slice(0, 12);
  mkdirSync(SHARED_DIR, { recursive: true, mode: 0o755 });
  chmodSync(SHARED_DIR, 0o755);
  // A name is taken when an earlier data directory under this path was deleted; its database is left alone.
  let home = join(SHARED_DIR, name);
  for (let n = 2; existsSync(home); n += 1) home = join(SHARED_DIR, `${name}-${n}`);
  mkdirSync(home, { mode: 0o711 });
  chmodSync(home, 0o711);
  writePrivate(join(home, 'data-dir'), dataDir);
  return home;
}

/** Two copies of a data directory must not share the database that lies outside of both. */
function checkOwner(record: HomeRecord, dataDir: string): void {
  if (!isShared(record.home)) return;
  const ownerFile = join(record.home, 'data-dir');
  const owner = readIfExists(ownerFile);
  if (owner === dataDir) return;
  if (owner !== undefined && readHome(owner)?.home === record.home) {
    throw new ReachError(
      'CONFLICT',
      `${dataDir} is a copy of ${owner}, and the database of both is ${record.home}. ` +
        `Delete the copy, or only its postgres.json to begin with an empty database.`,
    );
  }
  if (existsSync(record.home)) writePrivate(ownerFile, dataDir);
}

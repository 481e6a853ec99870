import { type ExecFileSyncOptions, execFileSync } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ReachError } from '@agent-reach/sdk/protocol';

/** The system account that Postgres runs as; undefined: the one that this process runs as. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

const NAME = 'postgres';

/**
 * Postgres refuses to run as root. As root this finds the account to use instead: the owner of the existing cluster,
 * else the system user `postgres`, which is created when there is none. Otherwise undefined.
 * @throws ReachError STORAGE_UNAVAILABLE when the user cannot be created.
 */
export function postgresAccount(cluster: string | undefined): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const owner = cluster === undefined ? undefined : statSync(cluster);
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  return findAccount() ?? createAccount();
}

/** Whether the account can enter every directory on the way to `path`, and `path` itself where it is one. */
export function canReach(account: Account | undefined, path: string): boolean {
  if (account === undefined) return true;
  for (let at = resolve(path); ; at = dirname(at)) {
    const { mode, uid, gid } = statSync(at);
    const shift = uid === account.uid ? 6 : gid === account.gid ? 3 : 0;
    if (((mode >> shift) & 1) === 0) return false;
    if (at === dirname(at)) return true;
  }
}

/** Whether this process may write into the directory. */
export function canWrite(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function findAccount(): Account | undefined {
  try {
    return { uid: identity('-u'), gid: identity('-g') };
  } catch {
    return undefined;
  }
}

function identity(flag: '-u' | '-g'): number {
  return Number(execFileSync('id', [flag, NAME], { stdio: ['ignore', 'pipe', 'ignore'] }).toString());
}

function createAccount(): Account {
  const options: ExecFileSyncOptions = { stdio: ['ignore', 'ignore', 'pipe'] };
  try {
    execFileSync('groupadd', ['--system', '--force', NAME], options);
    execFileSync(
      'useradd',
      ['--system', '--no-create-home', '--gid', NAME, '--shell', '/usr/sbin/nologin', NAME],
      options,
    );
    return { uid: identity('-u'), gid: identity('-g') };
  } catch (error) {
    throw new ReachError(
      'STORAGE_UNAVAILABLE',
      `Postgres cannot run as root, and the system user "${NAME}" could not be created. ` +
        'Create it, start as an ordinary user, or set DATABASE_URL.',
      { cause: error },
    );
  }
}

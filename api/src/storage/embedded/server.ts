import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ReachError } from '@agent-reach/sdk/protocol';
import { hasCode } from '../files.js';
import { isAlive } from '../processes.js';
import type { Account } from './account.js';
import type { Binaries } from './binaries.js';
import { clusterDir } from './home.js';
import { type Postmaster, postmasterOf } from './postmaster.js';

/** Crash recovery of a large database takes its time. */
const READY_TIMEOUT_MS = 120_000;
const POLL_MS = 25;
const FAST_STOP_MS = 15_000;
const ATTEMPTS = 4;
const ATTEMPT_PAUSE_MS = 250;
const LOG_LIMIT_BYTES = 10_000_000;

/** What it takes to run the server of one home. */
export interface ServerPlace {
  readonly home: string;
  readonly binaries: Binaries;
  readonly account: Account | undefined;
  /** Settings beyond the usual ones, as `name=value`. */
  readonly settings: readonly string[];
}

/** The TCP port to listen on: the `last` one where that is free, or a `fixed` one that others already know. */
export type PortChoice = { readonly last: number | undefined } | { readonly fixed: number };

/**
 * Takes over the server that runs on the cluster, or starts one.
 * @throws ReachError STORAGE_UNAVAILABLE with the end of the server's log.
 */
export async function runServer(
  place: ServerPlace,
  choice: PortChoice,
): Promise<Postmaster & { readonly takenOver: boolean }> {
  const cluster = clusterDir(place.home);
  const state = postmasterOf(cluster);
  if (state.kind === 'RUNNING') {
    const ready = await waitUntilReady(cluster, () => isAlive(state.pid));
    if (ready !== undefined) return { ...ready, takenOver: true };
    // It was on its way down; there is a clear field now.
    return runServer(place, choice);
  }
  const stalePid = state.kind === 'STALE' ? state.pid : undefined;
  for (let attempt = 1; ; attempt += 1) {
    const port = 'fixed' in choice ? choice.fixed : await freePort(attempt === 1 ? choice.last : undefined);
    const started = await start(place, cluster, port, stalePid);
    if (started !== undefined) return { ...started, takenOver: false };
    // Somebody else may have taken the port in between, or processes of a killed server are just ending.
    if (attempt < ATTEMPTS) await sleep(ATTEMPT_PAUSE_MS);
    else {
      throw new ReachError('STORAGE_UNAVAILABLE', `The embedded Postgres did not start:\n${lastLines(place.home)}`);
    }
  }
}

/** Ends the server without waiting: it writes nothing more, and the next start recovers from its log. */
export function killServer(pid: number): void {
  send(pid, 'SIGQUIT');
}

/** Stops the server: connections are cut, everything is written. Resolves when the process is gone. */
export async function stopServer(pid: number): Promise<void> {
  // SIGINT is Postgres's fast shutdown, SIGQUIT its immediate one, after which the next start recovers from the log.
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    if (!send(pid, signal)) return;
    if (await waitForEnd(pid, FAST_STOP_MS)) return;
  }
}

function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    if (hasCode(error, 'ESRCH')) return false;
    throw error;
  }
}

async function waitForEnd(pid: number, timeoutMs: number): Promise<boolean> {
  for (let waited = 0; waited < timeoutMs; waited += POLL_MS) {
    if (!isAlive(pid)) return true;
    await sleep(POLL_MS);
  }
  return !isAlive(pid);
}

async function start(
  place: ServerPlace,
  cluster: string,
  port: number,
  stalePid: number | undefined,
): Promise<Postmaster | undefined> {
  const log = openLog(place.home);
  const settings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=100',
    'timezone=UTC',
    'log_timezone=UTC',
    'log_checkpoints=off',
    'log_min_messages=warning',
    'jit=off',
    ...place.settings,
  ];
  const child = spawn(place.binaries.postgres, ['-D', cluster, ...settings.flatMap((setting) => ['-c', setting])], {
    ...place.account,
    cwd: place.home,
    // A session of its own: a Ctrl-C in the terminal must not stop it before the server has drained.
    detached: true,
    stdio: ['ignore', log, log],
    env: {
      PATH: process.env.PATH,
      TZ: 'UTC',
      LC_ALL: 'C',
      // Postgres takes any live process under the old id for a rival, unless it is its own grandparent. This one was
      // found to be something else, and this is how pg_ctl says so; the check of the shared memory stays in force.
      ...(stalePid === undefined ? {} : { PG_GRANDPARENT_PID: String(stalePid) }),
    },
  });
  closeSync(log);
  let running = true;
  child.once('exit', () => {
    running = false;
  });
  child.once('error', () => {
    running = false;
  });
  child.unref();
  return waitUntilReady(cluster, () => running, child.pid);
}

/** Waits for the server's own word that it is ready; undefined when it ended before. */
async function waitUntilReady(
  cluster: string,
  isRunning: () => boolean,
  pid?: number,
): Promise<Postmaster | undefined> {
  for (let waited = 0; waited < READY_TIMEOUT_MS; waited += POLL_MS) {
    const state = postmasterOf(cluster);
    if (state.kind === 'RUNNING' && state.ready && (pid === undefined || state.pid === pid)) return state;
    if (!isRunning()) return undefined;
    await sleep(POLL_MS);
  }
  throw new ReachError(
    'STORAGE_UNAVAILABLE',
    `The embedded Postgres was not ready within ${READY_TIMEOUT_MS / 1000} s.`,
  );
}

const logFile = (home: string): string => join(home, 'postgres.log');

function openLog(home: string): number {
  const file = logFile(home);
  const fd = openSync(file, 'a', 0o600);
  if (statSync(file).size > LOG_LIMIT_BYTES) truncateSync(file);
  return fd;
}

function lastLines(home: string): string {
  return readFileSync(logFile(home), 'utf8').trimEnd().split('\n').slice(-8).join('\n');
}

/** A free TCP port on 127.0.0.1: the preferred one if it is free. */
async function freePort(preferred: number | undefined): Promise<number> {
  return (preferred === undefined ? undefined : await tryPort(preferred)) ?? (await tryPort(0)) ?? 0;
}

function tryPort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(undefined));
    probe.listen(port, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' ? address?.port : undefined));
    });
  });
}

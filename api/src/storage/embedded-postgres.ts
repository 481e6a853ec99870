import { existsSync, realpathSync } from 'node:fs';
import { postgresAccount } from './embedded/account.js';
import { usableBinaries } from './embedded/binaries.js';
import { ensureCluster } from './embedded/cluster.js';
import { clusterDir, openHome, readHome, SHARED_DIR, writeHome } from './embedded/home.js';
import { postmasterOf } from './embedded/postmaster.js';
import { adminUrl, ensureRoles, workingUrl } from './embedded/roles.js';
import { killServer, runServer, stopServer } from './embedded/server.js';
import { isAlive } from './processes.js';

/** How often a server that ended by itself is noticed. */
const WATCH_MS = 1000;

/** The running database of one data directory. */
export interface EmbeddedPostgres {
  /** For the server: a role that is not superuser. Stays the same until `stop`. */
  readonly url: string;
  /** For setting up, backups and tests: the superuser. */
  readonly adminUrl: string;
  /** CREATED: the first start; STARTED: its data were there; TAKEN_OVER: it was still running. */
  readonly origin: 'CREATED' | 'STARTED' | 'TAKEN_OVER';
  /** Directory of the data. */
  readonly cluster: string;
  /** Stops the server and resolves when its process is gone. */
  stop(): Promise<void>;
  /** Ends the server at once, without waiting; nothing that was committed is lost. */
  kill(): void;
}

/** What is told about the server, and how it differs from the usual one. */
export interface EmbeddedPostgresOptions {
  /** The server process ended without being asked to; it is being started again. */
  readonly onLost?: () => void;
  /** It runs again. */
  readonly onRestarted?: () => void;
  /** It could not be started again; tried anew until `stop`. */
  readonly onRestartFailed?: (error: unknown) => void;
  /** Further settings of Postgres, as `name=value`; tests give up durability for speed. */
  readonly settings?: readonly string[];
}

/**
 * Starts the embedded Postgres of a data directory, or takes over the one that a killed server left running. The caller
 * must hold the data directory's lock. A server process that ends by itself is started again on the same port.
 * @throws ReachError STORAGE_UNAVAILABLE with a sentence that says what to do.
 */
export async function startEmbeddedPostgres(
  dataDirectory: string,
  options: EmbeddedPostgresOptions = {},
): Promise<EmbeddedPostgres> {
  // The running server is recognised by the path that it was started with.
  const dataDir = realpathSync(dataDirectory);
  const knownCluster = clusterDir(readHome(dataDir)?.home ?? dataDir);
  const account = postgresAccount(existsSync(knownCluster) ? knownCluster : undefined);
  const record = openHome(dataDir, account);
  const binaries = usableBinaries(account, account === undefined ? dataDir : SHARED_DIR);
  const created = ensureCluster(record, binaries, account);
  const place = { home: record.home, binaries, account, settings: options.settings ?? [] };
  const first = await runServer(place, { last: record.port });
  writeHome(dataDir, { ...record, port: first.port });
  await ensureRoles(record, first.port);

  let pid = first.pid;
  let stopped = false;
  let restart: Promise<void> | undefined;
  const startAgain = async (): Promise<void> => {
    options.onLost?.();
    try {
      pid = (await runServer(place, { fixed: first.port })).pid;
      options.onRestarted?.();
    } catch (error) {
      options.onRestartFailed?.(error);
    } finally {
      restart = undefined;
    }
  };
  const watch = setInterval(() => {
    if (!stopped && restart === undefined && !isAlive(pid)) restart = startAgain();
  }, WATCH_MS);
  watch.unref();

  return {
    url: workingUrl(record, first.port),
    adminUrl: adminUrl(record, first.port),
    origin: first.takenOver ? 'TAKEN_OVER' : created ? 'CREATED' : 'STARTED',
    cluster: clusterDir(record.home),
    stop: async () => {
      stopped = true;
      clearInterval(watch);
      await restart;
      await stopServer(pid);
    },
    kill: () => {
      stopped = true;
      clearInterval(watch);
      killServer(pid);
    },
  };
}

/**
 * Address of the database of a data directory whose embedded server is running now; undefined when none is.
 * For commands that run beside the server.
 */
export function runningEmbeddedUrl(dataDir: string): string | undefined {
  const record = readHome(dataDir);
  if (record === undefined) return undefined;
  const state = postmasterOf(clusterDir(record.home));
  return state.kind === 'RUNNING' && state.ready ? workingUrl(record, state.port) : undefined;
}

import { loadSettings, localUrl, SETTINGS, type Settings } from '../settings.js';
import { openDataDir } from '../storage/data-dir.js';
import { lockDataDir } from '../storage/data-dir-lock.js';
import { type Log, openLog } from '../telemetry/log.js';
import { type ConsoleProcess, consoleIsBuilt, startConsole } from './console-process.js';
import { openDatabase } from './database.js';
import { withFreePorts } from './ports.js';
import { type Addresses, greeting, type Screen } from './screen.js';
import type { StopOrder } from './stop-order.js';

/** The API server, once it listens. */
export interface RunningServer {
  readonly apiUrl: string;
  /** A link into the console that sets the first administrator's password; undefined once there is one. */
  signInLink(consoleUrl: string): Promise<string | undefined>;
  /** Drains and closes. */
  stop(): Promise<void>;
}

export type StartServer = (options: {
  readonly settings: Settings;
  readonly databaseUrl: string;
  readonly log: Log;
}) => Promise<RunningServer>;

/** What the start works with. */
export interface StartContext {
  readonly startServer: StartServer;
  /** Gets each part as soon as there is something to stop. */
  readonly parts: StopOrder;
  readonly screen: Screen;
  /** Aborted when somebody wants to stop before the start is through. */
  readonly signal: AbortSignal;
  /** Called for a fault after which the server must not go on. */
  readonly onFault: (log: Log, error: unknown) => void;
}

/**
 * Starts everything, in the order in which the parts need each other.
 * @throws ReachError with a sentence that says what to do.
 */
export async function startAll(context: StartContext): Promise<void> {
  const { parts, screen, signal } = context;
  const loaded = loadSettings();
  hideSecrets();
  const dataDir = openDataDir(loaded.dataDir);
  const lock = await lockDataDir(dataDir, new Date());
  parts.add({ name: 'The lock', stop: () => lock.release(), kill: () => lock.release() });
  const settings = await withFreePorts({ ...loaded, dataDir });

  const { log, file, close } = openLog(settings, process.stderr);
  parts.add({ name: 'The log', stop: close, kill: close });
  const onFault = (error: unknown): void => context.onFault(log, error);
  process.on('uncaughtException', onFault);
  process.on('unhandledRejection', onFault);

  screen.line('\nAgent-Reach\n');
  const database = await openDatabase(settings, log, signal, onFault);
  parts.add({ name: 'Postgres', stop: () => database.stop(), kill: () => database.kill() });
  screen.done(`Database: ${database.description}`);
  signal.throwIfAborted();

  const addresses = await startWays(context, settings, database.url, log);
  lock.announce({
    apiUrl: addresses.apiUrl,
    ...(addresses.consoleUrl === undefined ? {} : { consoleUrl: addresses.consoleUrl }),
  });
  screen.line(greeting(addresses, file));
  log.info({ dataDir, apiUrl: addresses.apiUrl, consoleUrl: addresses.consoleUrl }, 'ready');
}

/** Starts the API and, where it is built, the console. */
async function startWays(
  { startServer, parts, screen, signal }: StartContext,
  settings: Settings,
  databaseUrl: string,
  log: Log,
): Promise<Addresses> {
  // It starts after the API and must stop after it too: while calls drain, people still want to see it.
  let consoleProcess: ConsoleProcess | undefined;
  parts.add({ name: 'The console', stop: () => consoleProcess?.stop(), kill: () => consoleProcess?.kill() });

  const server = await startServer({ settings, databaseUrl, log });
  parts.add({ name: 'The API', stop: () => server.stop() });
  screen.done('API');
  signal.throwIfAborted();

  if (settings.console === 'off' || !consoleIsBuilt()) {
    const reason = settings.console === 'off' ? 'off' : 'not built, so there is none; "npm run build" builds it';
    screen.line(`  - Console: ${reason}`);
    return { apiUrl: server.apiUrl, consoleUrl: undefined, signInLink: undefined };
  }
  consoleProcess = await startConsole(settings, server.apiUrl, log);
  screen.done('Console');
  signal.throwIfAborted();
  const consoleUrl = settings.publicUrl ?? localUrl(settings.host, settings.consolePort);
  return { apiUrl: server.apiUrl, consoleUrl, signInLink: await server.signInLink(consoleUrl) };
}

/** Child processes and crash reports would get the environment too. */
function hideSecrets(): void {
  for (const { env, secret } of Object.values<{ readonly env: string; readonly secret?: boolean }>(SETTINGS)) {
    if (secret) delete process.env[env];
  }
}

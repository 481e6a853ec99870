import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { exited, OutputTail, terminate } from './child.js';
import { clusterOf, stopDatabase } from './database-process.js';
import { type Graphql, graphqlClient } from './graphql.js';
import { freePorts } from './ports.js';

export interface StartServerOptions {
  /** Settings beyond those that this helper chooses; they win over its own. */
  readonly env?: Readonly<Record<string, string>>;
  /** Data directory to start on, kept at the end. Default: a new one, removed by `stop`. */
  readonly dataDir?: string;
  /** Whether the console is served too; default false. */
  readonly console?: boolean;
  /** Ports to listen on; default free ones. */
  readonly ports?: { readonly api: number; readonly console: number };
  /** API token with ADMIN everywhere; default a random one. */
  readonly adminToken?: string;
  /** Options of Node itself, such as `--cpu-prof`. */
  readonly nodeOptions?: readonly string[];
  /** Longest wait until it is ready, in ms; default 120,000: the first start on a slow machine makes a database. */
  readonly readyTimeoutMs?: number;
}

/** A server in a process of its own, ready. */
export interface RunningServer {
  readonly apiUrl: string;
  readonly consoleUrl: string;
  readonly ports: { readonly api: number; readonly console: number };
  readonly adminToken: string;
  readonly dataDir: string;
  readonly pid: number;
  readonly child: ChildProcess;
  /** GraphQL as the administrator. */
  readonly graphql: Graphql;
  /** The last lines that it printed. */
  output(): string;
  /** Ends it with SIGTERM (SIGKILL after 20 s), its database too, and removes a data directory that was made for it. */
  stop(): Promise<void>;
  /** Ends it with SIGKILL. Its database runs on, as after a crash; `stop` still has to be called. */
  kill(): Promise<void>;
}

const STOP_PATIENCE_MS = 20_000;

/** The checkout: the nearest directory upwards with the server in it, from the sources as from the built files. */
export const CHECKOUT = findCheckout(import.meta.dirname);

const MAIN = join(CHECKOUT, 'api/dist/main.js');

/** Those that must not outlive this process. One listener for all: some tests start a dozen. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGTERM');
});

/** Starts the built server on free ports and waits until it is ready. Throws with its output when it does not get so. */
export async function startServer(options: StartServerOptions = {}): Promise<RunningServer> {
  if (!existsSync(MAIN)) throw new Error(`${MAIN} is missing: run \`npm run build\` first`);
  const dataDir = options.dataDir ?? makeDataDir();
  const ports = options.ports ?? (await choosePorts());
  const adminToken = options.adminToken ?? `test_${randomBytes(32).toString('hex')}`;
  const child = spawn(process.execPath, ['--enable-source-maps', ...(options.nodeOptions ?? []), MAIN], {
    cwd: CHECKOUT,
    env: {
      ...withoutSettings(process.env),
      REACH_DATA_DIR: dataDir,
      REACH_PORT: String(ports.api),
      REACH_CONSOLE_PORT: String(ports.console),
      REACH_ADMIN_TOKEN: adminToken,
      ...(options.console ? {} : { REACH_CONSOLE: 'off' }),
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = new OutputTail(child);
  const stop = async (): Promise<void> => {
    running.delete(child);
    await terminate(child, STOP_PATIENCE_MS);
    await stopDatabase(dataDir);
    if (options.dataDir === undefined) removeDataDir(dataDir);
  };
  running.add(child);
  const apiUrl = `http://127.0.0.1:${ports.api}`;
  try {
    await untilReady(apiUrl, child, options.readyTimeoutMs ?? 120_000);
  } catch (error) {
    await stop();
    throw new Error(`the server did not start: ${messageOf(error)}\n${output}`, { cause: error });
  }
  return {
    apiUrl,
    consoleUrl: `http://127.0.0.1:${ports.console}`,
    ports,
    adminToken,
    dataDir,
    pid: child.pid ?? 0,
    child,
    graphql: graphqlClient(apiUrl, adminToken),
    output: () => output.toString(),
    stop,
    kill: async () => {
      child.kill('SIGKILL');
      await exited(child);
    },
  };
}

async function untilReady(apiUrl: string, child: ChildProcess, timeoutMs: number): Promise<void> {
  const end = performance.now() + timeoutMs;
  let last = 'no answer';
  while (performance.now() < end) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`it ended with ${child.exitCode ?? child.signalCode}`);
    try {
      const response = await fetch(`${apiUrl}/health`, { signal: AbortSignal.timeout(2000) });
      if (response.ok) return;
      last = `HTTP ${response.status}: ${(await response.text()).slice(0, 300)}`;
    } catch (error) {
      last = messageOf(error);
    }
    await sleep(50);
  }
  throw new Error(`not ready after ${timeoutMs} ms (${last})`);
}

async function choosePorts(): Promise<{ api: number; console: number }> {
  const [api = 0, console = 0] = await freePorts(2);
  return { api, console };
}

function makeDataDir(): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'agent-reach-e2e-'));
  // Started by root, Postgres runs as another user, who has to pass through.
  chmodSync(dataDir, 0o711);
  return dataDir;
}

function removeDataDir(dataDir: string): void {
  const cluster = clusterOf(dataDir);
  if (!cluster.startsWith(dataDir)) rmSync(dirname(cluster), { recursive: true, force: true });
  rmSync(dataDir, { recursive: true, force: true });
}

/** The settings of whoever runs the tests are none of the test server's business. */
function withoutSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !name.startsWith('REACH_') && name !== 'DATABASE_URL'),
  );
}

function findCheckout(from: string): string {
  let directory = from;
  while (!existsSync(join(directory, 'prisma/schema.prisma'))) {
    const parent = dirname(directory);
    if (parent === directory) throw new Error(`no checkout of Agent-Reach above ${from}`);
    directory = parent;
  }
  return directory;
}

const messageOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
};

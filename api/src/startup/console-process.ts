import { type ChildProcess, fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ReachError } from '@agent-reach/sdk/protocol';
import { CHECKOUT, type Settings } from '../settings.js';
import type { Log } from '../telemetry/log.js';
import { portTaken } from './ports.js';

/** The running console. */
export interface ConsoleProcess {
  /** Resolves when its process is gone. */
  stop(): Promise<void>;
  /** Ends it without waiting. */
  kill(): void;
}

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 3_000;
const FIRST_RESTART_MS = 1_000;
const LAST_RESTART_MS = 30_000;

/** What the console tells its parent. */
type Message =
  | { readonly type: 'listening'; readonly url: string }
  | { readonly type: 'failed'; readonly code: string; readonly message: string };

/** Whether `next build` has left something to serve. */
export const consoleIsBuilt = (): boolean => existsSync(join(CHECKOUT, 'console/.next/BUILD_ID'));

/**
 * Starts the console as a process of its own and waits until it listens. One that ends by itself is started again.
 * @throws ReachError when it does not start.
 */
export async function startConsole(settings: Settings, apiUrl: string, log: Log): Promise<ConsoleProcess> {
  let child = spawnConsole(settings, apiUrl, log);
  await listening(child, settings);
  let stopping = false;
  let timer: NodeJS.Timeout | undefined;
  let pauseMs = FIRST_RESTART_MS;

  const superviseChild = (): void => {
    child.once('exit', (code, signal) => {
      if (stopping) return;
      log.error({ reason: signal ?? `status ${code}` }, 'the console ended by itself and is started again');
      timer = setTimeout(startAgain, pauseMs);
      pauseMs = Math.min(pauseMs * 2, LAST_RESTART_MS);
    });
  };
  const startAgain = (): void => {
    child = spawnConsole(settings, apiUrl, log);
    superviseChild();
    listening(child, settings).then(
      () => {
        pauseMs = FIRST_RESTART_MS;
      },
      (error: unknown) => log.error({ err: error }, 'the console did not start'),
    );
  };
  superviseChild();

  return {
    stop: async () => {
      stopping = true;
      clearTimeout(timer);
      await end(child);
    },
    kill: () => {
      stopping = true;
      clearTimeout(timer);
      child.kill('SIGKILL');
    },
  };
}

function spawnConsole(settings: Settings, apiUrl: string, log: Log): ChildProcess {
  const child = fork(join(CHECKOUT, 'console/server.mjs'), [], {
    cwd: join(CHECKOUT, 'console'),
    // A session of its own: a Ctrl-C must reach the API first, which drains. When this process dies, the IPC channel
    // closes and the console ends itself.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: {
      ...process.env,
      NODE_ENV: 'production',
      REACH_HOST: settings.host,
      REACH_CONSOLE_PORT: String(settings.consolePort),
      REACH_API_URL: apiUrl,
      REACH_TRUSTED_PROXIES: settings.trustedProxies.join(','),
      ...(settings.publicUrl === undefined ? {} : { REACH_PUBLIC_URL: settings.publicUrl }),
    },
  });
  const forward = (chunk: Buffer): void => {
    for (const line of chunk.toString().split('\n')) if (line.trim() !== '') log.info({ part: 'console' }, line.trim());
  };
  child.stdout?.on('data', forward);
  child.stderr?.on('data', forward);
  return child;
}

function listening(child: ChildProcess, settings: Settings): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void): void => {
      clearTimeout(timer);
      child.off('message', onMessage);
      child.off('exit', onExit);
      child.off('error', reject);
      finish();
    };
    const fail = (message: string): void => settle(() => reject(new ReachError('INTERNAL', message)));
    const onMessage = (message: Message): void => {
      if (message.type === 'listening') settle(resolve);
      else if (message.code.startsWith('E')) {
        fail(portTaken('REACH_CONSOLE_PORT', settings.host, settings.consolePort, message.code));
      } else fail(`The console did not start: ${message.message}`);
    };
    const onExit = (code: number | null): void => fail(`The console ended with status ${code} while starting.`);
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      fail(`The console did not listen within ${START_TIMEOUT_MS / 1000} s.`);
    }, START_TIMEOUT_MS);
    child.on('message', onMessage);
    child.on('exit', onExit);
    child.on('error', reject);
  });
}

function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) {
      resolve();
      return;
    }
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    child.once('exit', () => {
      clearTimeout(timer);
      resolve();
    });
    child.kill('SIGTERM');
  });
}

import { Faults, shown } from './faults.js';

export type LogLevel = 'info' | 'warn' | 'error';

/** How to connect. */
export interface ConnectOptions {
  /** The server, such as `http://127.0.0.1:4000` or `wss://reach.example.com`; `/reach` is added when it has no path. */
  readonly url: string;
  /** An agent token, an enrolment key, or an API token of a program. */
  readonly token: string;
  /**
   * Signals on which the agents of this process drain before it ends; default SIGTERM. Give `[]` to keep signals to
   * yourself and call `close()`.
   */
  readonly drainOn?: readonly NodeJS.Signals[];
  /** Longest wait between two attempts to reconnect, in ms; default 5,000. */
  readonly reconnectCapMs?: number;
  /** How long a call without `timeoutMs` waits for a connection before it fails, in ms; default 30,000. */
  readonly waitForConnectionMs?: number;
  /** Where the client reports lost connections, failed handlers and the like; default: warnings and errors to stderr. */
  readonly log?: (level: LogLevel, message: string) => void;
}

export interface CheckedConnectOptions extends Required<ConnectOptions> {
  /** The WebSocket address. */
  readonly url: string;
}

const MAX_TOKEN = 2048;

/** Checks the options and fills in defaults. Throws INVALID_INPUT with all faults. */
export function checkConnectOptions(options: ConnectOptions): CheckedConnectOptions {
  const faults = new Faults();
  const url = socketUrl(options.url);
  if (url === undefined)
    faults.add({ path: 'url', got: shown(options.url), allowed: 'an http(s) or ws(s) address without credentials' });
  if (typeof options.token !== 'string' || options.token.length === 0 || options.token.length > MAX_TOKEN)
    faults.add({
      path: 'token',
      got: typeof options.token === 'string' ? `${options.token.length} characters` : shown(options.token),
      allowed: `1 to ${MAX_TOKEN} characters`,
    });
  const reconnectCapMs = options.reconnectCapMs ?? 5000;
  faults.integer('reconnectCapMs', reconnectCapMs, 100, 600_000);
  const waitForConnectionMs = options.waitForConnectionMs ?? 30_000;
  faults.integer('waitForConnectionMs', waitForConnectionMs, 1, 3_600_000);
  faults.raise('connect');
  return {
    url: url ?? '',
    token: options.token,
    drainOn: options.drainOn ?? ['SIGTERM'],
    reconnectCapMs,
    waitForConnectionMs,
    log: options.log ?? logToStderr,
  };
}

function socketUrl(given: unknown): string | undefined {
  if (typeof given !== 'string' || !URL.canParse(given)) return undefined;
  const url = new URL(given);
  if (url.protocol === 'http:') url.protocol = 'ws:';
  if (url.protocol === 'https:') url.protocol = 'wss:';
  if (url.protocol !== 'ws:' && url.protocol !== 'wss:') return undefined;
  if (url.username !== '' || url.password !== '') return undefined;
  url.hash = '';
  if (url.pathname === '/' || url.pathname === '') url.pathname = '/reach';
  return url.href;
}

function logToStderr(level: LogLevel, message: string): void {
  if (level !== 'info') console.error(`agent-reach: ${message}`);
}

import type { Socket } from 'node:net';
import WebSocket, { type RawData } from 'ws';
import {
  CLOSE_CODES,
  PROTOCOL_VERSION,
  ReachError,
  type ServerFrame,
  type WelcomeFrame,
  WIRE_LIMITS,
  type WireError,
} from '../protocol/index.js';
import { backoffMs } from './backoff.js';
import type { Clock } from './clock.js';
import type { CheckedConnectOptions } from './options.js';
import { CLIENT_VERSION } from './version.js';

/** What the connection tells its owner. */
export interface ConnectionOwner {
  /** The server knows us; frames may be sent from here on. */
  onOpen(welcome: WelcomeFrame): void;
  onFrame(frame: ServerFrame): void;
  /** The frames of this tick are about to leave; last chance to add some. */
  onFlush(): void;
  /** The connection broke; another attempt follows by itself. */
  onLost(): void;
  /** It ended for good: closed by us (no error), or refused in a way that another attempt cannot mend. */
  onClosed(error: ReachError | undefined): void;
}

type State =
  | { readonly name: 'DIALLING'; readonly socket: WebSocket; tcp: Socket | undefined; refusal: WireError | undefined }
  | { readonly name: 'OPEN'; readonly socket: WebSocket; readonly tcp: Socket; readonly welcome: WelcomeFrame }
  | { readonly name: 'WAITING'; readonly cancel: () => void }
  | { readonly name: 'CLOSED' };

const HANDSHAKE_TIMEOUT_MS = 10_000;
const BACKOFF_BASE_MS = 200;
/** A connection that lasted this long makes the next wait short again. */
const STABLE_MS = 5000;
const SILENT_BEATS = 3;
const CLOSE_TIMEOUT_MS = 2000;

const FINAL_CLOSES: ReadonlyMap<number, string> = new Map([
  [CLOSE_CODES.UNAUTHENTICATED, 'the server does not accept this token'],
  [CLOSE_CODES.TOKEN_ENDED, 'the token expired or was revoked'],
  [CLOSE_CODES.UNSUPPORTED_VERSION, `the server does not speak protocol version ${PROTOCOL_VERSION}`],
]);

/**
 * One WebSocket to the server that comes back by itself, under the same incarnation. Frames sent within one turn of
 * the event loop leave in one socket write: the socket is corked at the first and uncorked in `setImmediate`.
 */
export class Connection {
  private state: State = { name: 'CLOSED' };
  private failures = 0;
  private openedAt = 0;
  private heardAt = 0;
  private flushScheduled = false;
  private corked: Socket | undefined;
  private cancelHelloTimer: (() => void) | undefined;

  constructor(
    private readonly options: CheckedConnectOptions,
    private readonly incarnation: string,
    private readonly clock: Clock,
    private readonly owner: ConnectionOwner,
  ) {}

  /** The server's greeting while the connection is open, else undefined. */
  get welcome(): WelcomeFrame | undefined {
    return this.state.name === 'OPEN' ? this.state.welcome : undefined;
  }

  /** Begins to connect; called once. */
  open(): void {
    this.dial();
  }

  /** Sends one frame with the others of this tick. False when there is no connection. */
  send(text: string): boolean {
    if (this.state.name !== 'OPEN') return false;
    if (this.corked === undefined) {
      this.corked = this.state.tcp;
      this.corked.cork();
      this.flushSoon();
    }
    this.state.socket.send(text);
    return true;
  }

  /** Makes `onFlush` run at the end of this turn even if nothing is sent in it. */
  flushSoon(): void {
    if (this.flushScheduled) return;
    this.flushScheduled = true;
    setImmediate(this.flush);
  }

  /** Called at each beat: asks a silent server for a sign of life, and gives up on one that stays silent. */
  checkAlive(): void {
    if (this.state.name !== 'OPEN') return;
    const silentMs = this.clock.now() - this.heardAt;
    const { beatMs } = this.state.welcome;
    if (silentMs > SILENT_BEATS * beatMs) {
      this.options.log('warn', `the server was silent for ${(silentMs / 1000).toFixed(1)} s; connecting anew`);
      this.state.socket.terminate();
    } else if (silentMs >= beatMs / 2) this.state.socket.ping();
  }

  /** Ends the connection for good. Resolves when the socket is closed, so that what was sent has arrived. */
  close(): Promise<void> {
    const { socket } = this;
    const closed = new Promise<void>((resolve) => {
      if (socket === undefined || socket.readyState === WebSocket.CLOSED) resolve();
      else socket.once('close', () => resolve());
    });
    this.end(undefined);
    return closed;
  }

  private dial(): void {
    const socket = new WebSocket(this.options.url, {
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      maxPayload: 64 * WIRE_LIMITS.frameBytes,
      perMessageDeflate: false,
    });
    const state: State = { name: 'DIALLING', socket, tcp: undefined, refusal: undefined };
    this.state = state;
    let problem = '';
    socket.on('upgrade', (response) => {
      state.tcp = response.socket;
    });
    socket.on('open', () => {
      if (this.state !== state) return;
      socket.send(
        JSON.stringify({
          type: 'hello',
          protocol: PROTOCOL_VERSION,
          token: this.options.token,
          incarnation: this.incarnation,
          client: { name: '@agent-reach/sdk', version: CLIENT_VERSION },
        }),
      );
      this.cancelHelloTimer = this.clock.after(HANDSHAKE_TIMEOUT_MS, () => socket.terminate());
    });
    socket.on('unexpected-response', (request, response) => {
      problem = `HTTP ${response.statusCode}`;
      if (response.statusCode === 401 || response.statusCode === 403)
        state.refusal = { code: 'UNAUTHENTICATED', message: `the server refused with ${problem}`, retryable: false };
      request.destroy();
      socket.terminate();
    });
    socket.on('error', (error) => {
      if (problem === '') problem = error.message === '' ? error.name : error.message;
    });
    socket.on('pong', () => {
      this.heardAt = this.clock.now();
    });
    socket.on('message', (data) => this.receive(socket, data));
    socket.on('close', (code, reason) => {
      if (socket !== this.socket) return;
      this.lost(code, reason.toString() || problem || 'no reason given', state.refusal);
    });
  }

  private get socket(): WebSocket | undefined {
    return this.state.name === 'DIALLING' || this.state.name === 'OPEN' ? this.state.socket : undefined;
  }

  private receive(socket: WebSocket, data: RawData): void {
    if (socket !== this.socket) return;
    this.heardAt = this.clock.now();
    let frame: ServerFrame;
    try {
      frame = JSON.parse(data.toString()) as ServerFrame;
    } catch {
      this.options.log('error', 'the server sent a frame that is not JSON');
      return;
    }
    if (this.state.name === 'OPEN') {
      this.owner.onFrame(frame);
      return;
    }
    if (this.state.name !== 'DIALLING') return;
    if (frame.type === 'welcome' && this.state.tcp !== undefined) {
      this.cancelHelloTimer?.();
      this.openedAt = this.clock.now();
      this.state = { name: 'OPEN', socket, tcp: this.state.tcp, welcome: frame };
      this.owner.onOpen(frame);
    } else if (frame.type === 'error') this.state.refusal = frame.error;
  }

  private lost(code: number, reason: string, refusal: WireError | undefined): void {
    this.cancelHelloTimer?.();
    this.corked = undefined;
    const wasOpen = this.state.name === 'OPEN';
    const final = FINAL_CLOSES.get(code) ?? (refusal?.code === 'UNAUTHENTICATED' ? refusal.message : undefined);
    if (final !== undefined) {
      const error = code === CLOSE_CODES.UNSUPPORTED_VERSION ? 'INVALID_FRAME' : 'UNAUTHENTICATED';
      this.end(new ReachError(error, `${this.options.url}: ${refusal?.message ?? final} (close code ${code})`));
      return;
    }
    if (wasOpen && this.clock.now() - this.openedAt >= STABLE_MS) this.failures = 0;
    const capMs = this.options.reconnectCapMs;
    const waitMs = backoffMs(this.failures, { baseMs: BACKOFF_BASE_MS, capMs }, this.clock.random());
    this.failures += 1;
    this.options.log('warn', `no connection to ${this.options.url} (${code}: ${reason}); again in ${waitMs} ms`);
    this.state = { name: 'WAITING', cancel: this.clock.after(waitMs, () => this.dial()) };
    if (wasOpen) this.owner.onLost();
  }

  private end(error: ReachError | undefined): void {
    const state = this.state;
    this.cancelHelloTimer?.();
    this.flush();
    this.state = { name: 'CLOSED' };
    if (state.name === 'WAITING') state.cancel();
    if (state.name === 'DIALLING') state.socket.terminate();
    if (state.name === 'OPEN') this.closePolitely(state.socket);
    this.owner.onClosed(error);
  }

  private closePolitely(socket: WebSocket): void {
    const cancel = this.clock.after(CLOSE_TIMEOUT_MS, () => socket.terminate());
    socket.once('close', cancel);
    socket.close(1000);
  }

  private readonly flush = (): void => {
    this.owner.onFlush();
    this.flushScheduled = false;
    this.corked?.uncork();
    this.corked = undefined;
  };
}

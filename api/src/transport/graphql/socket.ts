import type { WebSocket as GraphqlSocket } from 'graphql-ws';
import type { RawData, WebSocket } from 'ws';
import type { SocketLimits } from './limits/limits.js';

/** Close codes of `/graphql`, beside those of graphql-transport-ws (4400, 4406, 4408, 4409, 4429). */
export const GRAPHQL_CLOSE_CODES = {
  /** The server is stopping; connect again. */
  GOING_AWAY: 1001,
  /** A message over the limit. */
  TOO_LARGE: 1009,
  /** The database is away and only it could say who this is; connect again later. */
  TRY_AGAIN: 1013,
  /** Token missing or wrong. Do not connect again with the same one. */
  UNAUTHENTICATED: 4401,
  /** The credential expired or was revoked while the socket was open. */
  CREDENTIAL_ENDED: 4403,
  /** The client read too slowly. */
  TOO_SLOW: 4413,
} as const;

/**
 * One socket as graphql-ws drives it, with the bounds that it lacks: few bytes before authentication, no more asked of
 * the streams while much waits to be read, an end for who doesn't read at all.
 */
export class BoundedSocket implements GraphqlSocket {
  readonly protocol: string;
  readonly #ws: WebSocket;
  readonly #limits: SocketLimits;
  readonly #drained: (() => void)[] = [];
  /** When the bytes that wait first passed each of the stall limits, ms; undefined while they are under it. */
  readonly #over: (number | undefined)[];
  #bytesBeforeInit = 0;
  #authenticated = false;
  #alive = true;
  #pingedAt: number;

  constructor(ws: WebSocket, limits: SocketLimits, now: number) {
    this.#ws = ws;
    this.#limits = limits;
    this.#over = limits.stalls.map(() => undefined);
    this.#pingedAt = now;
    this.protocol = ws.protocol;
    ws.on('pong', () => {
      this.#alive = true;
    });
    ws.on('close', () => this.#release());
  }

  /** From now on messages may have their full size. */
  authenticated(): void {
    this.#authenticated = true;
  }

  /** Bytes that came over the network, counted before frames are put together. */
  received(bytes: number): void {
    if (this.#authenticated) return;
    this.#bytesBeforeInit += bytes;
    if (this.#bytesBeforeInit > this.#limits.bytesBeforeInit) {
      this.close(
        GRAPHQL_CLOSE_CODES.TOO_LARGE,
        `more than ${this.#limits.bytesBeforeInit} bytes before authentication`,
      );
      this.#ws.terminate();
    }
  }

  send(data: string): Promise<void> | void {
    if (this.#ws.readyState !== this.#ws.OPEN) return;
    this.#ws.send(data, this.#sent);
    if (this.#ws.bufferedAmount <= this.#limits.waitingBytes) return;
    // Who doesn't read isn't listened to, or its requests could make answers pile up without end.
    this.#ws.pause();
    return new Promise((resolve) => this.#drained.push(resolve));
  }

  /** One for all messages: a thousand subscribers hear of one event at once. */
  readonly #sent = (): void => {
    if (this.#ws.bufferedAmount <= this.#limits.waitingBytes) this.#release();
  };

  close(code = 1000, reason = ''): void {
    // A reason longer than a control frame takes would be an error.
    this.#ws.close(code, reason.slice(0, 120));
  }

  onMessage(handle: (data: string) => Promise<void>): void {
    this.#ws.on('message', (data: RawData, isBinary: boolean) => {
      if (this.#ws.readyState !== this.#ws.OPEN) return;
      this.#alive = true;
      if (isBinary) return this.close(4400, 'messages are text');
      handle(String(data)).catch(() => this.close(4400, 'a message that could not be handled'));
    });
  }

  /** Looks after the socket; to be called about every second with a monotonic time in ms. */
  tick(now: number): void {
    if (this.#ws.readyState !== this.#ws.OPEN) return;
    for (const [index, { bytes, ms }] of this.#limits.stalls.entries()) {
      const since = this.#ws.bufferedAmount > bytes ? (this.#over[index] ?? now) : undefined;
      this.#over[index] = since;
      if (since !== undefined && now - since >= ms) {
        this.close(GRAPHQL_CLOSE_CODES.TOO_SLOW, `over ${bytes} bytes waited to be read for ${ms} ms`);
        // The close frame waits behind what is not read.
        setTimeout(() => this.#ws.terminate(), 1_000).unref();
        return;
      }
    }
    // While nothing is read from it, no sign of life can be seen; the stall limits judge it.
    if (now - this.#pingedAt < this.#limits.pingMs || this.#ws.isPaused) return;
    if (!this.#alive) return this.#ws.terminate();
    this.#alive = false;
    this.#pingedAt = now;
    this.#ws.ping();
  }

  terminate(): void {
    this.#ws.terminate();
  }

  #release(): void {
    if (this.#ws.isPaused) this.#ws.resume();
    for (const resolve of this.#drained.splice(0)) resolve();
  }
}

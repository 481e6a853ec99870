import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { CLOSE_CODES, WIRE_LIMITS } from '@agent-reach/sdk/protocol';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import { SocketLink } from '../../deliver/socket-link.js';
import type { Tick } from '../../deliver/tick.js';
import { randomId } from '../../execute/calls/random-id.js';
import type { Clock } from '../../perceive/clock.js';
import { LeaseClock } from '../../perceive/lease.js';
import type { Authenticate } from './authenticate.js';
import { BEAT_MS, Connection, type ConnectionDeps } from './connection.js';
import { SearchTurns } from './search-turns.js';

/** How often silent connections are looked for, ms. */
const WATCH_MS = 1_000;

export interface ReachServerDeps extends Omit<ConnectionDeps, 'access' | 'onRefused' | 'searches' | 'wall'> {
  readonly access: Authenticate;
  readonly clock: Clock;
  readonly tick: Tick;
  /** Told of refusals before authentication and of unusable frames, with the address they came from. */
  readonly onRefused: (code: 'UNAUTHENTICATED' | 'INVALID_FRAME', address: string) => void;
}

interface Watched {
  readonly connection: Connection;
  readonly link: SocketLink;
  readonly acceptedAt: number;
  /** By the clock that stands still with this process, as `acceptedAt` is. */
  lastHeard: number;
}

/** The way in for agents: WebSockets at `/reach`. Knows sockets; what frames mean is the connection's business. */
export class ReachServer {
  readonly #server: WebSocketServer;
  readonly #watched = new Set<Watched>();
  readonly #searches = new SearchTurns();
  /** What came while this process stood still is read only after the next watch, so silence is not judged by that time. */
  readonly #clock: LeaseClock;
  readonly #timer: NodeJS.Timeout;
  readonly #stopListening: () => void;

  constructor(private readonly deps: ReachServerDeps) {
    this.#server = new WebSocketServer({
      noServer: true,
      maxPayload: deps.maxFrameBytes,
      perMessageDeflate: false,
      clientTracking: false,
    });
    this.#clock = new LeaseClock(WATCH_MS, deps.clock.monotonic());
    this.#timer = setInterval(() => this.#watch(), WATCH_MS);
    this.#stopListening = deps.access.onEnded((credentialId) => this.#credentialEnded(credentialId));
  }

  /** Open connections. */
  get connections(): number {
    return this.#watched.size;
  }

  handleUpgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      socket.setNoDelay(true);
      this.#accept(webSocket, socket, request.socket.remoteAddress ?? 'unknown');
    });
  }

  /** Tells everybody to come back in a moment, and closes. */
  stop(): void {
    clearInterval(this.#timer);
    this.#stopListening();
    for (const { connection } of this.#watched) connection.end(CLOSE_CODES.GOING_AWAY, 'the server is stopping');
    this.#server.close();
  }

  /** Ends what has not closed by itself. */
  terminate(): void {
    for (const { link } of this.#watched) link.terminate();
  }

  #accept(webSocket: WebSocket, socket: Socket, address: string): void {
    const { clock, tick, onRefused } = this.deps;
    const link = new SocketLink(randomId().slice(0, 16), webSocket, socket, tick);
    const connection = new Connection(link, {
      ...this.deps,
      searches: this.#searches,
      wall: () => clock.wall(),
      onRefused: (code) => onRefused(code, address),
    });
    const now = this.#now();
    const watched: Watched = { connection, link, acceptedAt: now, lastHeard: now };
    this.#watched.add(watched);
    webSocket.on('message', (data: RawData, isBinary: boolean) => {
      watched.lastHeard = this.#now();
      if (isBinary) connection.end(CLOSE_CODES.INVALID_FRAME, 'frames are text');
      else connection.receive(data.toString());
    });
    // Protocol faults and frames over the limit: ws answers with the right close code by itself.
    webSocket.on('error', () => undefined);
    webSocket.on('close', () => {
      this.#watched.delete(watched);
      connection.closed();
    });
  }

  #watch(): void {
    this.#clock.swept(this.deps.clock.monotonic());
    const now = this.#now();
    for (const { connection, acceptedAt, lastHeard } of this.#watched) {
      if (connection.principal === undefined && now - acceptedAt > WIRE_LIMITS.helloTimeoutMs) {
        connection.end(CLOSE_CODES.TIMED_OUT, 'no hello within 5 s');
      } else if (now - lastHeard > 3 * BEAT_MS) {
        connection.end(CLOSE_CODES.TIMED_OUT, 'nothing heard for three beats');
      }
    }
  }

  #now(): number {
    return this.#clock.now(this.deps.clock.monotonic());
  }

  #credentialEnded(credentialId: string): void {
    for (const { connection } of this.#watched) {
      if (connection.principal?.credential.id === credentialId) {
        connection.end(CLOSE_CODES.TOKEN_ENDED, 'the token expired or was revoked');
      }
    }
  }
}

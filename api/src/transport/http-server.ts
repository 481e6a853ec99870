import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { ReachError } from '@agent-reach/sdk/protocol';
import express, { type Express } from 'express';

/** Takes over the upgrade requests of one path. */
export type UpgradeHandler = (request: IncomingMessage, socket: Socket, head: Buffer) => void;

export interface HttpServerOptions {
  readonly host: string;
  readonly port: number;
  /** Whether a request or upgrade comes from a page of ours or from no page at all. */
  readonly originAllowed: (request: IncomingMessage) => boolean;
  readonly upgrades: Readonly<Record<string, UpgradeHandler>>;
}

/** The one HTTP server of the API: requests by Express, upgrades by path. */
export class HttpServer {
  readonly app: Express = express();
  readonly #server: Server;

  constructor(private readonly options: HttpServerOptions) {
    this.app.disable('x-powered-by');
    this.app.set('etag', false);
    this.#server = createServer(this.app);
    this.#server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket as Socket, head));
    // A client that breaks off before it was answered is its own business.
    this.#server.on('clientError', (_error, socket) => socket.destroy());
  }

  /** Starts to listen; returns the address. Throws INVALID_INPUT when the port is taken. */
  async listen(): Promise<string> {
    const { host, port } = this.options;
    await new Promise<void>((resolve, reject) => {
      const failed = (error: NodeJS.ErrnoException) =>
        reject(
          error.code === 'EADDRINUSE'
            ? new ReachError('INVALID_INPUT', `Port ${port} on ${host} is taken. Choose another one with REACH_PORT.`)
            : error,
        );
      this.#server.once('error', failed);
      this.#server.listen(port, host, () => {
        this.#server.off('error', failed);
        resolve();
      });
    });
    const address = this.#server.address() as AddressInfo;
    const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
    return `http://${name}:${address.port}`;
  }

  /** Takes no new connections, ends idle ones, and waits at most `withinMs` for the rest. */
  async close(withinMs: number): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeIdleConnections();
    const timer = setTimeout(() => this.#server.closeAllConnections(), withinMs);
    await closed;
    clearTimeout(timer);
  }

  #upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    const path = (request.url ?? '').split('?')[0] ?? '';
    const handler = Object.hasOwn(this.options.upgrades, path) ? this.options.upgrades[path] : undefined;
    if (handler === undefined) return refuse(socket, '404 Not Found', 'there is no WebSocket at this path');
    if (!this.options.originAllowed(request)) {
      return refuse(
        socket,
        '403 Forbidden',
        'this Origin may not connect; set REACH_PUBLIC_URL to the address that people use',
      );
    }
    handler(request, socket, head);
  }
}

function refuse(socket: Socket, status: string, reason: string): void {
  const body = `${reason}\n`;
  socket.end(
    `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

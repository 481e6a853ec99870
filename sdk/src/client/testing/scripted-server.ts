import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { type ClientFrame, parseClientFrame, type ServerFrame } from '../../protocol/index.js';

type FrameOf<T extends ClientFrame['type']> = Extract<ClientFrame, { type: T }>;

/** One client's connection: every frame that came is kept until it is asked for, so none can be missed. */
export class ServerSide {
  /** Frames that nobody has asked for yet. */
  readonly received: ClientFrame[] = [];
  /** Code that the connection was closed with. */
  readonly closed: Promise<number>;
  private waiter: (() => void) | undefined;

  constructor(readonly socket: WebSocket) {
    socket.on('message', (data) => {
      const parsed = parseClientFrame(data.toString());
      // Thrown out of an event, it fails the test run: a client must never send such a frame.
      if (parsed.kind !== 'FRAME') throw new Error(`${data.toString()} is ${parsed.kind}`);
      this.received.push(parsed.frame);
      this.waiter?.();
    });
    this.closed = new Promise((resolve) => {
      socket.on('close', (code) => resolve(code));
    });
  }

  /** The next frame of a type, passing over no other of that type. */
  async next<T extends ClientFrame['type']>(type: T): Promise<FrameOf<T>> {
    for (;;) {
      const index = this.received.findIndex((frame) => frame.type === type);
      if (index >= 0) return this.received.splice(index, 1)[0] as FrameOf<T>;
      await new Promise<void>((resolve) => {
        this.waiter = resolve;
      });
    }
  }

  send(...frames: ServerFrame[]): void {
    for (const frame of frames) this.socket.send(JSON.stringify(frame));
  }

  /** Answers `hello`. */
  async greet(nodeEpoch = 'epoch-1', maxFrameBytes = 1_048_576): Promise<FrameOf<'hello'>> {
    const hello = await this.next('hello');
    this.send({
      type: 'welcome',
      protocol: 1,
      connection: 'c1',
      principal: 'agent:shop/order',
      namespace: 'shop',
      nodeEpoch,
      serverVersion: '0.1.0',
      beatMs: 5000,
      limits: { maxFrameBytes },
    });
    return hello;
  }

  /** Answers `register` and waits for `ready`. */
  async admit(resumed = false): Promise<FrameOf<'register'>> {
    const register = await this.next('register');
    this.send({
      type: 'registered',
      id: register.id,
      agent: `shop/${register.agent ?? 'order'}`,
      instance: register.instance,
      lease: { profile: 'REALTIME', intervalMs: 5000, ttlMs: 15_000 },
      resumed,
    });
    await this.next('ready');
    return register;
  }
}

/** A server on a free port whose side of the protocol the test plays. */
export class ScriptedServer {
  private readonly connections: ServerSide[] = [];
  private waiter: (() => void) | undefined;

  private constructor(private readonly server: WebSocketServer) {
    server.on('connection', (socket) => {
      this.connections.push(new ServerSide(socket));
      this.waiter?.();
    });
  }

  static async start(): Promise<ScriptedServer> {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1', path: '/reach' });
    await new Promise((resolve) => server.once('listening', resolve));
    return new ScriptedServer(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The next connection of a client. */
  async connection(): Promise<ServerSide> {
    for (;;) {
      const next = this.connections.shift();
      if (next !== undefined) return next;
      await new Promise<void>((resolve) => {
        this.waiter = resolve;
      });
    }
  }

  async stop(): Promise<void> {
    for (const client of this.server.clients) client.terminate();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

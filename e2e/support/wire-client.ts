import { once } from 'node:events';
import type { ClientFrame, ServerFrame } from '@agent-reach/sdk/protocol';
import { WebSocket } from 'ws';

type FrameOf<T extends ServerFrame['type']> = Extract<ServerFrame, { type: T }>;

interface Waiter {
  readonly type: string;
  readonly take: (frame: ServerFrame) => void;
}

/** A raw client of `/reach` that keeps every frame until it is asked for, so that a test can't miss one. */
export class WireClient {
  readonly #frames: ServerFrame[] = [];
  readonly #waiters: Waiter[] = [];
  /** Code and reason, once the connection is closed. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;

  private constructor(readonly socket: WebSocket) {
    this.closed = new Promise((resolve) => {
      socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }));
    });
    socket.on('message', (data) => this.#received(JSON.parse(String(data)) as ServerFrame));
    socket.on('error', () => {});
  }

  static async connect(apiUrl: string, options: { readonly origin?: string } = {}): Promise<WireClient> {
    const socket = new WebSocket(`${apiUrl.replace('http', 'ws')}/reach`, options);
    const client = new WireClient(socket);
    await once(socket, 'open');
    return client;
  }

  /** Connects and says hello; resolves when welcomed. */
  static async hello(apiUrl: string, token: string, incarnation = `inc-${crypto.randomUUID()}`): Promise<WireClient> {
    const client = await WireClient.connect(apiUrl);
    client.send({ type: 'hello', protocol: 1, token, incarnation });
    await client.next('welcome');
    return client;
  }

  send(frame: ClientFrame): void {
    this.raw(JSON.stringify(frame));
  }

  raw(text: string): void {
    this.socket.send(text);
  }

  /** The next frame of a type that nobody took yet; fails after 10 s. */
  next<T extends ServerFrame['type']>(type: T): Promise<FrameOf<T>> {
    const index = this.#frames.findIndex((frame) => frame.type === type);
    if (index !== -1) return Promise.resolve(this.#frames.splice(index, 1)[0] as FrameOf<T>);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        reject(
          new Error(`no ${type} within 10 s; waiting are ${JSON.stringify(this.#frames.map((each) => each.type))}`),
        );
      }, 10_000);
      const waiter: Waiter = {
        type,
        take: (frame) => {
          clearTimeout(timer);
          resolve(frame as FrameOf<T>);
        },
      };
      this.#waiters.push(waiter);
    });
  }

  /** Frames of a type that came and were not taken. */
  pending(type: ServerFrame['type']): readonly ServerFrame[] {
    return this.#frames.filter((frame) => frame.type === type);
  }

  async close(): Promise<void> {
    this.socket.close();
    await this.closed;
  }

  #received(frame: ServerFrame): void {
    const index = this.#waiters.findIndex((waiter) => waiter.type === frame.type);
    if (index === -1) this.#frames.push(frame);
    else this.#waiters.splice(index, 1)[0]?.take(frame);
  }
}

import { WebSocket } from 'ws';

/** A message of graphql-transport-ws as it came. */
export interface SocketMessage {
  readonly type: string;
  readonly id?: string;
  readonly payload?: unknown;
}

/** A client that queues what comes, so that a test cannot miss a message. */
export class TestSocket {
  readonly ws: WebSocket;
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  readonly #queue: SocketMessage[] = [];
  readonly #waiting: ((message: SocketMessage) => void)[] = [];

  private constructor(ws: WebSocket) {
    this.ws = ws;
    ws.on('error', () => {});
    ws.on('message', (data) => {
      const message = JSON.parse(String(data)) as SocketMessage;
      const waiter = this.#waiting.shift();
      if (waiter === undefined) this.#queue.push(message);
      else waiter(message);
    });
    this.closed = new Promise((resolve) => {
      ws.once('close', (code, reason) => resolve({ code, reason: String(reason) }));
    });
  }

  /** Connects without `connection_init`. Rejects with the status when the upgrade is refused. */
  static open(url: string, headers: Readonly<Record<string, string>> = {}, protocol = 'graphql-transport-ws') {
    const ws = new WebSocket(url, protocol, { headers });
    const socket = new TestSocket(ws);
    return new Promise<TestSocket>((resolve, reject) => {
      ws.once('open', () => resolve(socket));
      ws.once('unexpected-response', (_req, res) => {
        res.resume();
        ws.terminate();
        reject(new Error(`status ${res.statusCode}`));
      });
    });
  }

  /** Connects and authenticates. */
  static async connect(url: string, token: string): Promise<TestSocket> {
    const socket = await TestSocket.open(url);
    socket.send({ type: 'connection_init', payload: { authorization: `Bearer ${token}` } });
    const answer = await socket.next();
    if (answer.type !== 'connection_ack') throw new Error(`got ${answer.type}`);
    return socket;
  }

  send(message: object): void {
    this.ws.send(JSON.stringify(message));
  }

  subscribe(id: string, query: string, variables: Readonly<Record<string, unknown>> = {}): void {
    this.send({ type: 'subscribe', id, payload: { query, variables } });
  }

  next(): Promise<SocketMessage> {
    const message = this.#queue.shift();
    if (message !== undefined) return Promise.resolve(message);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** The one root field of the next result of an operation. */
  async value(id: string): Promise<Record<string, unknown>> {
    const message = await this.next();
    const payload = message.payload as { data?: Record<string, Record<string, unknown>> } | undefined;
    const [value] = Object.values(payload?.data ?? {});
    if (message.id !== id || message.type !== 'next' || value === undefined) {
      throw new Error(`got ${JSON.stringify(message)}`);
    }
    return value;
  }

  async close(): Promise<void> {
    this.ws.close();
    await this.closed;
  }
}

import { once } from 'node:events';
import { WebSocket } from 'ws';

/** Longest wait for the last subscriber, ms. */
const PATIENCE_MS = 30_000;
/** Sockets that are opened at once. */
const AT_ONCE = 50;

interface Count {
  readonly marker: string;
  readonly from: number;
  first: number;
  heard: number;
  done(): void;
}

/** Many sockets that hear the same. Counts who has heard a marker; looks at nothing else, to be cheap. */
export class Subscribers {
  readonly #sockets: WebSocket[] = [];
  #count: Count | undefined;
  /** The last message that had the marker. */
  last = '';

  get size(): number {
    return this.#sockets.length;
  }

  /** @param begin makes an open socket a subscriber */
  static async open(
    count: number,
    connect: () => WebSocket,
    begin: (socket: WebSocket) => Promise<void>,
  ): Promise<Subscribers> {
    const all = new Subscribers();
    while (all.size < count) {
      const some = Array.from({ length: Math.min(AT_ONCE, count - all.size) }, connect);
      await Promise.all(some.map((socket) => once(socket, 'open')));
      await Promise.all(some.map(begin));
      for (const socket of some) all.#add(socket);
    }
    return all;
  }

  /** Resolves when each has heard the marker once more, with the time until the first and the last, ms. */
  async hear(marker: string, cause: () => void): Promise<{ readonly firstMs: number; readonly lastMs: number }> {
    const all = new Promise<void>((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`only ${this.#count?.heard} of ${this.size} heard ${marker}`)),
        PATIENCE_MS,
      );
      const done = (): void => {
        clearTimeout(timer);
        resolve();
      };
      this.#count = { marker, from: performance.now(), first: 0, heard: 0, done };
    });
    const count = this.#count as unknown as Count;
    cause();
    await all;
    return { firstMs: count.first - count.from, lastMs: performance.now() - count.from };
  }

  #add(socket: WebSocket): void {
    this.#sockets.push(socket);
    socket.on('message', (data) => this.#heard(data as Buffer));
    socket.on('close', (code) => console.error(`a subscriber was closed: ${code}`));
  }

  #heard(data: Buffer): void {
    const count = this.#count;
    if (count === undefined || !data.includes(count.marker)) return;
    if (count.heard++ === 0) count.first = performance.now();
    if (count.heard < this.size) return;
    this.last = data.toString();
    count.done();
  }
}

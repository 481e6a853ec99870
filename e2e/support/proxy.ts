import { connect, createServer, type Server, type Socket } from 'node:net';

/** Which way bytes go through a proxy: to what stands behind it, or back from there. */
export type Direction = 'TO_TARGET' | 'FROM_TARGET';

/** A TCP relay to a port of this machine whose connections a test can break in ways that a cable can. */
export class TcpProxy {
  readonly #pairs = new Set<readonly [client: Socket, target: Socket]>();
  readonly #lost = new Set<Direction>();

  private constructor(
    private readonly server: Server,
    /** Where it listens, on 127.0.0.1. */
    readonly port: number,
  ) {}

  /** Listens on a free port, or on the one given, and relays to `targetPort`. */
  static async open(targetPort: number, port = 0): Promise<TcpProxy> {
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', resolve);
    });
    const address = server.address();
    if (typeof address !== 'object' || address === null) throw new Error('a listening proxy has no address');
    const proxy = new TcpProxy(server, address.port);
    server.on('connection', (client) => proxy.#relay(client, targetPort));
    return proxy;
  }

  /** From now on what is sent this way vanishes, and neither side is told: its connections stay open. */
  lose(direction: Direction): void {
    this.#lost.add(direction);
  }

  /** Nothing vanishes any more. Connections that lost bytes are of no use to anybody, so all are cut. */
  heal(): void {
    this.#lost.clear();
    this.cut();
  }

  /** Ends all connections at once, which both sides see. New ones go through. */
  cut(): void {
    // Not by a reset: Node can hang at its exit after `resetAndDestroy` of a socket that was just shut down.
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.cut();
    await closed;
  }

  #relay(client: Socket, targetPort: number): void {
    const target = connect({ port: targetPort, host: '127.0.0.1' });
    const pair = [client, target] as const;
    this.#pairs.add(pair);
    this.#forward(client, target, 'TO_TARGET');
    this.#forward(target, client, 'FROM_TARGET');
    for (const socket of pair) {
      socket.setNoDelay(true);
      socket.on('error', () => {});
      // A side that goes away takes the other along, as it would without a proxy.
      socket.on('close', () => {
        this.#pairs.delete(pair);
        for (const each of pair) each.destroy();
      });
    }
  }

  #forward(from: Socket, to: Socket, direction: Direction): void {
    from.on('data', (chunk) => {
      if (!this.#lost.has(direction)) to.write(chunk);
    });
    from.on('end', () => to.end());
  }
}

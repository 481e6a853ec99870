import type { Socket } from 'node:net';
import WebSocket from 'ws';

/**
 * A bare WebSocket of a load generator. What it sends in one turn leaves in one write: generators share the machine
 * with what they measure, so they have to be cheap.
 */
export class Line {
  private corked = false;

  private constructor(
    private readonly socket: WebSocket,
    private readonly tcp: Socket,
  ) {}

  static open(url: string, onMessage: (text: string, line: Line) => void): Promise<Line> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(url, { perMessageDeflate: false });
      let tcp: Socket | undefined;
      socket.once('upgrade', (response) => {
        tcp = response.socket;
      });
      socket.once('error', reject);
      socket.once('open', () => {
        if (tcp === undefined) return;
        const line = new Line(socket, tcp);
        socket.on('message', (data) => onMessage(data.toString(), line));
        socket.once('close', (code, reason) => {
          console.error(`a connection of the bench to ${url} was closed: ${code} ${reason.toString()}`);
        });
        resolve(line);
      });
    });
  }

  send(text: string): void {
    if (!this.corked) {
      this.corked = true;
      this.tcp.cork();
      setImmediate(this.uncork);
    }
    this.socket.send(text);
  }

  private readonly uncork = (): void => {
    this.corked = false;
    this.tcp.uncork();
  };
}

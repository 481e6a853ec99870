import type { Socket } from 'node:net';
import { CLOSE_CODES, type ServerFrame } from '@agent-reach/sdk/protocol';
import type { WebSocket } from 'ws';
import type { Link } from '../perceive/instance.js';
import type { Tick } from './tick.js';

/** A connection that lets this much pile up does not read; it is closed, and nobody else notices. Bytes. */
const MAX_BUFFERED = 16 * 1024 * 1024;

/** One WebSocket as the way to the instances that joined over it. */
export class SocketLink implements Link {
  constructor(
    readonly id: string,
    private readonly webSocket: WebSocket,
    private readonly socket: Socket,
    private readonly tick: Tick,
  ) {}

  get isOpen(): boolean {
    return this.webSocket.readyState === this.webSocket.OPEN;
  }

  /** Bytes that wait for the other side to read. */
  get buffered(): number {
    return this.webSocket.bufferedAmount;
  }

  /** Sends at the end of this turn of the event loop; returns false when the connection is closed. */
  send(frame: ServerFrame): boolean {
    if (!this.isOpen) return false;
    this.tick.hold(this.socket);
    this.webSocket.send(JSON.stringify(frame));
    if (this.webSocket.bufferedAmount > MAX_BUFFERED) {
      this.close(CLOSE_CODES.TOO_SLOW, 'reads too slowly');
      this.terminate();
    }
    return true;
  }

  /** Closes with a documented code, after what was sent before. */
  close(code: number, reason: string): void {
    this.webSocket.close(code, reason);
  }

  /** Ends the connection at once, without waiting for the other side. */
  terminate(): void {
    this.webSocket.terminate();
  }
}

import type { Socket } from 'node:net';
import { CLOSE_CODES, type ServerFrame } from '@agent-reach/sdk/protocol';
import type { WebSocket } from 'ws';
import type { Link } from '../perceive/instance.js';
import { encodeTextFrames } from './text-frames.js';
import type { Flushable, Tick } from './tick.js';

/** A connection that lets this much pile up does not read; it is closed, and nobody else notices. Bytes. */
const MAX_BUFFERED = 16 * 1024 * 1024;

/** Bytes that the reason of a close frame may have (RFC 6455, section 5.5). */
const MAX_REASON_BYTES = 123;

/** Cut to what a close frame can carry, between characters. */
function shortened(reason: string): string {
  const characters = [...reason.slice(0, MAX_REASON_BYTES)];
  while (Buffer.byteLength(characters.join('')) > MAX_REASON_BYTES) characters.pop();
  return characters.join('');
}

/**
 * One WebSocket as the way to the instances that joined over it.
 *
 * Frames are encoded here and written to the socket itself, all of one turn of the event loop in one buffer: two thirds
 * of the cost of sending them one by one. The WebSocket library keeps everything else (handshake, receiving, control
 * frames); since compression is off it never holds back a part of a message, so that whole frames can stand between its.
 */
export class SocketLink implements Link, Flushable {
  #pending: string[] = [];

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
    return this.socket.writableLength;
  }

  /** Sends at the end of this turn of the event loop; returns false when the connection is closed. */
  send(frame: ServerFrame): boolean {
    return this.isOpen && this.sendText(JSON.stringify(frame));
  }

  /** As `send`, for a frame that was printed before. */
  sendText(frame: string): boolean {
    if (!this.isOpen) return false;
    if (this.#pending.length === 0) this.tick.add(this);
    this.#pending.push(frame);
    return true;
  }

  flush(): void {
    if (this.#pending.length === 0) return;
    const frames = encodeTextFrames(this.#pending);
    this.#pending = [];
    if (!this.socket.writable) return;
    this.socket.write(frames);
    if (this.socket.writableLength > MAX_BUFFERED) {
      this.close(CLOSE_CODES.TOO_SLOW, 'reads too slowly');
      this.terminate();
    }
  }

  /** Closes with a documented code, after what was sent before (and so after its records). */
  close(code: number, reason: string): void {
    if (this.#pending.length > 0) this.tick.endNow();
    this.webSocket.close(code, shortened(reason));
  }

  /** Ends the connection at once, without waiting for the other side. */
  terminate(): void {
    this.webSocket.terminate();
  }
}

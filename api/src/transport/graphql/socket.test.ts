import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { SOCKET_LIMITS } from './limits/limits.js';
import { BoundedSocket } from './socket.js';

/** A socket whose reader reads when the test says so. */
class FakeWebSocket extends EventEmitter {
  readonly OPEN = 1;
  readonly protocol = 'graphql-transport-ws';
  readyState = 1;
  bufferedAmount = 0;
  pings = 0;
  closedWith: [number, string] | undefined;
  terminated = false;
  readonly #flushes: (() => void)[] = [];

  send(data: string, done: () => void): void {
    this.bufferedAmount += data.length;
    this.#flushes.push(done);
  }
  read(): void {
    this.bufferedAmount = 0;
    for (const done of this.#flushes.splice(0)) done();
  }
  close(code: number, reason: string): void {
    this.closedWith = [code, reason];
    this.readyState = 2;
  }
  isPaused = false;
  pause(): void {
    this.isPaused = true;
  }
  resume(): void {
    this.isPaused = false;
  }
  ping(): void {
    this.pings += 1;
  }
  terminate(): void {
    this.terminated = true;
    this.emit('close');
  }
}

const LIMITS = {
  ...SOCKET_LIMITS,
  waitingBytes: 100,
  stalls: [
    { bytes: 1_000, ms: 10_000 },
    { bytes: 100, ms: 60_000 },
  ],
};

function opened(): { ws: FakeWebSocket; socket: BoundedSocket } {
  const ws = new FakeWebSocket();
  return { ws, socket: new BoundedSocket(ws as unknown as WebSocket, LIMITS, 0) };
}

describe('BoundedSocket', () => {
  it('makes streams wait and requests, too, while much waits to be read, and lets them go on after', async () => {
    const { ws, socket } = opened();
    expect(socket.send('x'.repeat(100))).toBeUndefined();
    const waiting = socket.send('x');
    expect(waiting).toBeInstanceOf(Promise);
    expect(ws.isPaused).toBe(true);
    ws.read();
    await waiting;
    expect(ws.isPaused).toBe(false);
    expect(socket.send('x')).toBeUndefined();
  });

  it('lets waiting streams end when the socket closes', async () => {
    const { ws, socket } = opened();
    const waiting = socket.send('x'.repeat(200));
    ws.terminate();
    await waiting;
  });

  it('closes a reader that lets much wait for 10 s', () => {
    const { ws, socket } = opened();
    void socket.send('x'.repeat(2_000));
    socket.tick(1_000);
    socket.tick(10_999);
    expect(ws.closedWith).toBeUndefined();
    socket.tick(11_000);
    expect(ws.closedWith).toEqual([4413, 'over 1000 bytes waited to be read for 10000 ms']);
  });

  it('bears a reader that catches up in between', () => {
    const { ws, socket } = opened();
    void socket.send('x'.repeat(2_000));
    socket.tick(1_000);
    ws.read();
    socket.tick(6_000);
    void socket.send('x'.repeat(2_000));
    socket.tick(11_000);
    expect(ws.closedWith).toBeUndefined();
  });

  it('asks whether the client lives, and ends one that does not answer', () => {
    const { ws, socket } = opened();
    socket.tick(30_000);
    expect(ws.pings).toBe(1);
    ws.emit('pong');
    socket.tick(60_000);
    expect([ws.pings, ws.terminated]).toEqual([2, false]);
    socket.tick(90_000);
    expect(ws.terminated).toBe(true);
  });

  it('counts bytes until the client is authenticated', () => {
    const { ws, socket } = opened();
    socket.received(4_096);
    expect(ws.closedWith).toBeUndefined();
    socket.received(1);
    expect(ws.closedWith?.[0]).toBe(1009);
    const other = opened();
    other.socket.authenticated();
    other.socket.received(1_000_000);
    expect(other.ws.closedWith).toBeUndefined();
  });
});

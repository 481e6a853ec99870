import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { Tick } from '../../deliver/tick.js';
import { TestRegistry } from '../../perceive/testing.js';
import { ReachServer, type ReachServerDeps } from './server.js';

let t: TestRegistry;
let http: Server;
let reach: ReachServer;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  t = new TestRegistry();
  const principal = { caller: 'agent:shop/orders', namespace: 'shop', credential: { id: 'c1', kind: 'AGENT_TOKEN' } };
  reach = new ReachServer({
    access: { authenticate: () => Promise.resolve(principal), onEnded: () => () => {} },
    registry: t.registry,
    clock: t.clock,
    tick: new Tick(
      () => {},
      () => false,
    ),
    maxFrameBytes: 1_048_576,
    calls: { cancelAll: () => {} },
    onRefused: () => {},
    onFault: (error: unknown) => {
      throw error;
    },
  } as unknown as ReachServerDeps);
  http = createServer().on('upgrade', (request, socket: Socket, head: Buffer) => {
    reach.handleUpgrade(request, socket, head);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
});

afterEach(() => {
  reach.stop();
  reach.terminate();
  http.close();
  vi.useRealTimers();
});

/** A second passes for the server, and it looks for silent connections. */
function second(): void {
  t.clock.advance(1_000);
  vi.advanceTimersByTime(1_000);
}

async function connected(): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${(http.address() as AddressInfo).port}/reach`);
  await new Promise((resolve) => socket.once('open', resolve));
  socket.send(JSON.stringify({ type: 'hello', protocol: 1, token: 'x', incarnation: 'inc-12345' }));
  await new Promise((resolve) => socket.once('message', resolve));
  return socket;
}

it('closes a connection that is silent for three beats', async () => {
  const socket = await connected();
  const closed = new Promise((resolve) => socket.once('close', resolve));
  for (let passed = 0; passed < 30; passed++) second();
  expect(reach.connections).toBe(1);
  second();
  expect(await closed).toBe(4408);
});

it('does not take the time for silence in which it stood still itself', async () => {
  const socket = await connected();
  const closed = new Promise((resolve) => socket.once('close', resolve));
  t.clock.advance(600_000);
  for (let passed = 0; passed < 30; passed++) second();
  expect(reach.connections).toBe(1);
  expect(socket.readyState).toBe(WebSocket.OPEN);
  second();
  expect(await closed).toBe(4408);
});

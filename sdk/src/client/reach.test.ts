import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { DispatchFrame } from '../protocol/index.js';
import { systemClock } from './clock.js';
import { checkConnectOptions } from './options.js';
import { Reach } from './reach.js';
import { ScriptedServer, type ServerSide } from './testing/scripted-server.js';
import { CLIENT_VERSION } from './version.js';

/** Comes back at once: the jitter of every wait is 0. */
const eager = { ...systemClock, random: () => 0 };
const schema = { type: 'object', properties: {} } as const;
const capability = { description: 'Answers what it was asked, for tests.', input: schema };

let server: ScriptedServer;
let reach: Reach;
let log: string[];

beforeEach(async () => {
  server = await ScriptedServer.start();
  log = [];
  reach = new Reach(
    checkConnectOptions({
      url: server.url,
      token: 'secret',
      drainOn: [],
      log: (level, message) => log.push(`${level} ${message}`),
    }),
    eager,
  );
});

afterEach(async () => {
  const closed = reach.close();
  await server.stop();
  await closed;
});

const order = (handler: () => unknown = () => 'done') =>
  reach
    .agent({ type: 'commerce.order', version: '1.0.0', description: 'Orders', instance: 'a', drainTimeoutMs: 5000 })
    .handle('order_query', { ...capability, idempotent: true }, handler);

const dispatch = (dispatchId: string): DispatchFrame => ({
  type: 'dispatch',
  dispatchId,
  instance: 'shop/order/a',
  requestId: 'r1',
  caller: 'app:shop/web',
  capability: 'order_query',
  params: {},
  timeoutMs: 10_000,
  attempt: 1,
});

async function joined(handler?: () => unknown): Promise<{ side: ServerSide; agent: ReturnType<typeof order> }> {
  const agent = order(handler);
  const started = agent.start();
  const side = await server.connection();
  await side.greet();
  await side.admit();
  await started;
  return { side, agent };
}

test('says hello, registers with its capabilities, is ready, and answers a dispatch', async () => {
  const agent = order();
  const started = agent.start();
  const side = await server.connection();
  expect(await side.greet()).toMatchObject({
    protocol: 1,
    token: 'secret',
    client: { name: '@agent-reach/sdk', version: CLIENT_VERSION },
  });
  expect(await side.admit()).toMatchObject({
    agentType: 'commerce.order',
    instance: 'a',
    version: '1.0.0',
    capabilities: [{ name: 'order_query', idempotent: true, inputSchema: schema }],
  });
  await started;
  expect(agent.instance).toBe('shop/order/a');
  side.send(dispatch('d1'));
  expect(await side.next('result')).toEqual({ type: 'result', dispatchId: 'd1', ok: true, result: 'done' });
  expect(side.received).toEqual([]);
});

test('says at once that calls wait, and that its load has changed', async () => {
  const agent = reach
    .agent({
      type: 'commerce.order',
      version: '1.0.0',
      description: 'Orders',
      instance: 'a',
      maxConcurrency: 1,
      maxQueue: 1,
      drainTimeoutMs: 0,
    })
    .handle('order_query', { ...capability, idempotent: true }, () => new Promise(() => {}));
  const started = agent.start();
  const side = await server.connection();
  await side.greet();
  await side.admit();
  await started;
  side.send(dispatch('d1'), dispatch('d2'));
  expect((await side.next('heartbeat')).instances).toEqual([{ instance: 'shop/order/a', inFlight: 1, queueDepth: 1 }]);
  agent.reportLoad({ busy: 0.31 });
  expect((await side.next('heartbeat')).instances).toMatchObject([{ busy: 0.31 }]);
  side.send({ type: 'cancel', dispatchId: 'd2', reason: 'CALLER' });
  expect((await side.next('heartbeat')).instances).toMatchObject([{ inFlight: 1, queueDepth: 0 }]);
});

test('a registration that is refused for good rejects start with the fields', async () => {
  const started = order().start();
  const side = await server.connection();
  await side.greet();
  const register = await side.next('register');
  const fields = [{ path: 'capabilities.0.description', got: 'x', allowed: 'more' }];
  const error = { code: 'INVALID_REGISTRATION', message: 'no', retryable: false, fields } as const;
  side.send({ type: 'error', ref: register.id, error });
  await expect(started).rejects.toMatchObject({ code: 'INVALID_REGISTRATION', fields });
});

test('a registration that is refused for now is tried again', async () => {
  const started = order().start();
  const side = await server.connection();
  await side.greet();
  const register = await side.next('register');
  const error = { code: 'STORAGE_UNAVAILABLE', message: 'no database', retryable: true } as const;
  side.send({ type: 'error', ref: register.id, error });
  await side.admit();
  await started;
});

test('comes back with the same incarnation, and a handler that ran on delivers its result there', async () => {
  let finish: (value: string) => void = () => undefined;
  const { side } = await joined(() => new Promise((resolve) => (finish = resolve)));
  side.send(dispatch('d1'));
  expect(await side.next('ack')).toMatchObject({ dispatchId: 'd1', accepted: true });
  side.socket.terminate();
  const again = await server.connection();
  finish('survived');
  await again.greet();
  await again.admit(true);
  expect(await again.next('result')).toMatchObject({ dispatchId: 'd1', result: 'survived' });
});

test('the incarnation is the same on each connection', async () => {
  const first = await server.connection();
  const hello = await first.greet();
  first.socket.terminate();
  const second = await server.connection();
  expect((await second.greet()).incarnation).toBe(hello.incarnation);
});

test('registers again when the server says so', async () => {
  const { side } = await joined();
  side.send({ type: 'heartbeat', instances: [], registerAgain: ['shop/order/a'] });
  await side.admit();
  const error = { code: 'NOT_REGISTERED', message: 'no lease', retryable: true } as const;
  side.send({ type: 'error', ref: 'shop/order/a', error });
  await side.admit();
});

test('waits as long as the server says while another process holds its name, and reports nothing meanwhile', async () => {
  const { side, agent } = await joined();
  side.send({ type: 'heartbeat', instances: [], registerAgain: ['shop/order/a'] });
  const error = { code: 'CONFLICT', message: 'another live process', retryable: true, retryAfterMs: 300 } as const;
  const { id } = await side.next('register');
  const refusedAt = performance.now();
  side.send({ type: 'error', ref: id, error });
  await vi.waitFor(() => expect(log.at(-1)).toBe('warn registration of a: another live process; again in 300 ms'));
  agent.reportLoad({ busy: 0.5 });
  expect(agent.instance).toBeUndefined();
  // What the server says once more changes nothing.
  side.send({ type: 'heartbeat', instances: [], registerAgain: ['shop/order/a'] });
  await side.admit(true);
  expect(performance.now() - refusedAt).toBeGreaterThanOrEqual(299);
  expect([agent.instance, side.received.map(({ type }) => type)]).toEqual(['shop/order/a', []]);
});

test('one that is stopping does not ask for another lease', async () => {
  let finish: (result: string) => void = () => {};
  const { side, agent } = await joined(() => new Promise<string>((resolve) => (finish = resolve)));
  side.send(dispatch('d1'));
  await side.next('ack');
  const stopped = agent.stop();
  await side.next('drain');
  side.send({ type: 'heartbeat', instances: [], registerAgain: ['shop/order/a'] });
  await vi.waitFor(() => expect(agent.instance).toBeUndefined());
  finish('done');
  await stopped;
  await side.next('result');
  expect(side.received).toEqual([]);
});

test('stop drains: no new dispatch, the running one finishes, then goodbye', async () => {
  let finish: (value: string) => void = () => undefined;
  const { side, agent } = await joined(() => new Promise((resolve) => (finish = resolve)));
  side.send(dispatch('d1'));
  await side.next('ack');
  const stopped = agent.stop();
  expect(await side.next('drain')).toMatchObject({ instance: 'shop/order/a', drainTimeoutMs: 5000 });
  side.send(dispatch('d2'));
  expect(await side.next('ack')).toMatchObject({ dispatchId: 'd2', accepted: false, reason: 'DRAINING' });
  finish('last');
  expect(await side.next('result')).toMatchObject({ dispatchId: 'd1', result: 'last' });
  expect(await side.next('goodbye')).toEqual({ type: 'goodbye', instance: 'shop/order/a' });
  await stopped;
  side.send(dispatch('d3'));
  expect(await side.next('ack')).toMatchObject({ dispatchId: 'd3', accepted: false, reason: 'DRAINING' });
});

test('close says goodbye for every agent and closes with 1000', async () => {
  const { side } = await joined();
  await reach.close();
  expect((await side.next('goodbye')).instance).toBe('shop/order/a');
  expect(await side.closed).toBe(1000);
  await reach.closed;
  await expect(reach.call({ capability: 'c' })).rejects.toMatchObject({ code: 'CANCELLED' });
});

test.each([4401, 4403])('close code %i is final and reaches everybody who waits', async (code) => {
  const { side, agent } = await joined();
  const call = reach.call({ capability: 'c' });
  const changes = reach.healthChanges();
  await side.next('call');
  side.socket.close(code, 'token revoked');
  await expect(call).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  await expect(changes.next()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  await expect(agent.stopped).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  await expect(reach.closed).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  await expect(reach.call({ capability: 'c' })).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  expect(log.filter((line) => line.startsWith('error'))).toHaveLength(2);
});

test('a call waits for the connection, and is sent again when that breaks', async () => {
  const call = reach.call({ capability: 'c', requestId: 'r1' });
  const side = await server.connection();
  await side.greet();
  expect(await side.next('call')).toMatchObject({ requestId: 'r1', target: { capability: 'c' } });
  side.send({ type: 'reply', ok: true, result: 42, requestId: 'r1', attempts: 1 });
  expect(await call).toBe(42);
  const broken = reach.call({ capability: 'c', requestId: 'r2', params: { n: 1 }, timeoutMs: 10_000 });
  const first = await side.next('call');
  side.socket.terminate();
  const again = await server.connection();
  await again.greet();
  const second = await again.next('call');
  expect(second).toEqual({ ...first, timeoutMs: second.timeoutMs });
  expect(second.timeoutMs).toBeLessThanOrEqual(10_000);
  again.send({ type: 'reply', ok: true, result: 'once', requestId: 'r2', attempts: 1, replayed: true });
  expect(await broken).toBe('once');
});

test('finds capabilities by words, again after a broken connection', async () => {
  const found = reach.findCapabilities('money back', { limit: 3 });
  const side = await server.connection();
  await side.greet();
  expect(await side.next('find')).toMatchObject({ text: 'money back', limit: 3 });
  side.socket.terminate();
  const again = await server.connection();
  await again.greet();
  const { id } = await again.next('find');
  again.send({ type: 'found', id, capabilities: [] });
  expect(await found).toEqual([]);
  const refused = reach.findCapabilities('money back');
  const next = await again.next('find');
  const error = { code: 'RATE_LIMITED', message: 'slow down', retryable: true } as const;
  again.send({ type: 'error', ref: next.id, error });
  await expect(refused).rejects.toMatchObject({ code: 'RATE_LIMITED' });
});

test('health changes go on after the last position over a reconnect', async () => {
  const changes = reach.healthChanges({ filter: { capability: 'order_query' } });
  const side = await server.connection();
  await side.greet();
  const subscribe = await side.next('subscribe');
  expect(subscribe).toMatchObject({ stream: 'health', filter: { capability: 'order_query' } });
  side.send({ type: 'event', id: subscribe.id, event: { kind: 'Snapshot', position: 'e1-5', instances: [] } });
  expect((await changes.next()).value).toMatchObject({ kind: 'Snapshot' });
  side.socket.terminate();
  const again = await server.connection();
  await again.greet();
  expect(await again.next('subscribe')).toMatchObject({ id: subscribe.id, after: 'e1-5' });
});

test('what was sent in one turn leaves in one write', async () => {
  const side = await server.connection();
  await side.greet();
  await reach.connected;
  const calls = Array.from({ length: 50 }, (_, index) => reach.call({ capability: 'c', requestId: `r${index}` }));
  await side.next('call');
  // All 50 frames are in the chunk that brought the first: no turn lies between them.
  await new Promise((resolve) => setImmediate(resolve));
  expect(side.received.filter((frame) => frame.type === 'call')).toHaveLength(49);
  for (let index = 0; index < 50; index += 1)
    side.send({ type: 'reply', ok: true, result: index, requestId: `r${index}`, attempts: 1 });
  expect(await Promise.all(calls)).toEqual(Array.from({ length: 50 }, (_, index) => index));
});

test('the version that it tells is the version of the package', () => {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as object;
  expect(manifest).toMatchObject({ version: CLIENT_VERSION });
});

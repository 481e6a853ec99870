import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from './clock.js';
import { checkConnectOptions } from './options.js';
import { Reach } from './reach.js';
import { ScriptedServer, type ServerSide } from './testing/scripted-server.js';

const eager = { ...systemClock, random: () => 0 };
const COUNT = 100;
const REFS = Array.from({ length: COUNT }, (_, index) => `shop/order/n${index}`);

let server: ScriptedServer;
let reach: Reach;
let side: ServerSide;

beforeEach(async () => {
  server = await ScriptedServer.start();
  reach = new Reach(checkConnectOptions({ url: server.url, token: 'secret', drainOn: [], log: () => {} }), eager);
  side = await server.connection();
  await side.greet();
});

afterEach(async () => {
  const closed = reach.close();
  await server.stop();
  await closed;
});

const instance = (name: string) =>
  reach
    .agent({ type: 'commerce.order', version: '1.0.0', description: 'Orders', instance: name })
    .handle('order_query', { description: 'Answers what it was asked, for tests.', input: true }, () => name);

const all = () => REFS.map((ref) => instance(ref.slice('shop/order/'.length)));

async function admitAll(on: ServerSide): Promise<void> {
  for (let admitted = 0; admitted < COUNT; admitted += 1) await on.admit();
}

test('a hundred instances share a connection, and one heartbeat reports them all', async () => {
  const agents = all();
  const started = Promise.all(agents.map((agent) => agent.start()));
  await admitAll(side);
  await started;
  for (const agent of agents) agent.reportLoad({ busy: 0.5 });
  const { instances } = await side.next('heartbeat');
  expect(instances.map((report) => report.instance)).toEqual(REFS);
  expect(side.received).toEqual([]);
});

test('what each does is its own', async () => {
  const agents = all();
  const started = Promise.all(agents.map((agent) => agent.start()));
  await admitAll(side);
  await started;
  for (const [index, ref] of REFS.entries()) {
    side.send({
      type: 'dispatch',
      dispatchId: `d${index}`,
      instance: ref as `${string}/${string}/${string}`,
      requestId: `r${index}`,
      caller: 'app:shop/web',
      capability: 'order_query',
      params: {},
      timeoutMs: 10_000,
      attempt: 1,
    });
  }
  const results = new Map<string, unknown>();
  while (results.size < COUNT) {
    const frame = await side.next('result');
    if (frame.ok) results.set(frame.dispatchId, frame.result);
  }
  expect(results).toEqual(new Map(REFS.map((_, index) => [`d${index}`, `n${index}`])));
  await agents[7]?.stop();
  expect(await side.next('goodbye')).toEqual({ type: 'goodbye', instance: 'shop/order/n7' });
  agents[8]?.reportLoad({ busy: 0.5 });
  expect((await side.next('heartbeat')).instances.map((report) => report.instance)).toEqual(['shop/order/n8']);
});

test('they register a few at a time, and all again on the next connection', async () => {
  const started = Promise.all(all().map((agent) => agent.start()));
  // Sent after what registered at first, so it arrives after that.
  reach.call({ capability: 'x', params: {} }).catch(() => {});
  await side.next('call');
  expect(side.received.filter((frame) => frame.type === 'register')).toHaveLength(16);
  await admitAll(side);
  await started;
  side.socket.terminate();
  const again = await server.connection();
  await again.greet();
  await admitAll(again);
  expect(again.received.filter(({ type }) => type !== 'call')).toEqual([]);
});

test('one that was stopped while it registered says goodbye', async () => {
  const agent = instance('a');
  const started = agent.start();
  started.catch(() => {});
  const register = await side.next('register');
  await agent.stop();
  side.send({
    type: 'registered',
    id: register.id,
    agent: 'shop/order',
    instance: 'a',
    lease: { profile: 'REALTIME', intervalMs: 5000, ttlMs: 15_000 },
    resumed: false,
  });
  expect(await side.next('goodbye')).toEqual({ type: 'goodbye', instance: 'shop/order/a' });
  await expect(started).rejects.toMatchObject({ code: 'CANCELLED' });
});

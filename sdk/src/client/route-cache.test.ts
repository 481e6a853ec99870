import { afterEach, beforeEach, expect, test } from 'vitest';
import { ReachError, type RouteEntry, type RouteStreamEvent } from '../protocol/index.js';
import { systemClock } from './clock.js';
import { checkConnectOptions } from './options.js';
import { Reach } from './reach.js';
import { ScriptedServer, type ServerSide } from './testing/scripted-server.js';

let server: ScriptedServer;
let reach: Reach;
let side: ServerSide;

beforeEach(async () => {
  server = await ScriptedServer.start();
  const options = checkConnectOptions({ url: server.url, token: 'secret', drainOn: [], log: () => {} });
  reach = new Reach(options, { ...systemClock, random: () => 0 });
  side = await server.connection();
  await side.greet();
});

afterEach(async () => {
  const closed = reach.close();
  await server.stop();
  await closed;
});

/** `shop/order/<name>`, READY to answer `order_query`, also as `find_order`. */
function entry(name: string, more: Partial<RouteEntry> = {}): RouteEntry {
  return {
    instance: `shop/order/${name}`,
    agent: 'shop/order',
    agentType: 'commerce.order',
    version: '1.2.0',
    domain: 'PRODUCTION',
    zone: 'eu',
    lifecycle: 'READY',
    health: 'HEALTHY',
    weight: 100,
    maxConcurrency: 10,
    maxQueue: 0,
    maxTasks: 10,
    capabilities: [{ name: 'order_query', aliases: ['find_order'], tags: ['read'], idempotent: true, mode: 'SYNC' }],
    ...more,
  };
}

const snapshot = (version: number, ...instances: RouteEntry[]): RouteStreamEvent => ({
  kind: 'Snapshot',
  position: `e1.${version}`,
  version,
  instances,
});

const change = (previous: number, version: number, instance: RouteEntry): RouteStreamEvent => ({
  kind: 'Change',
  position: `e1.${version}`,
  version,
  previous,
  instance,
});

const names = (routes: readonly { readonly instance: string }[]) =>
  routes.map(({ instance }) => instance.split('/')[2]);

/** Sends events to a subscription, and waits until the client has taken them. */
async function tell(id: string, ...events: RouteStreamEvent[]): Promise<void> {
  for (const event of events) side.send({ type: 'event', id, event });
  const found = reach.findCapabilities('anything');
  side.send({ type: 'found', id: (await side.next('find')).id, capabilities: [] });
  await found;
}

test('keeps a snapshot and what changes, and says who can be called for what', async () => {
  const routes = reach.routes({ namespace: 'shop' });
  const { id, stream, filter, after } = await side.next('subscribe');
  expect([stream, filter, after]).toEqual(['routes', { namespace: 'shop' }, undefined]);
  expect(routes.isCurrent).toBe(false);
  expect(routes.who({ capability: 'order_query' })).toEqual([]);
  await tell(id, snapshot(7, entry('b'), entry('a', { version: '2.0.0', lifecycle: 'DRAINING' }), entry('c')));
  await routes.ready;
  expect([routes.version, routes.isCurrent]).toEqual([7, true]);
  expect(names(routes.who({ capability: 'order_query' }))).toEqual(['b', 'c']);
  expect(names(routes.who({ capability: 'find_order', tags: ['read'] }))).toEqual(['b', 'c']);
  expect(names(routes.who({ type: 'commerce.order', versions: '^2' }))).toEqual([]);
  expect(routes.who({ agent: 'order' })[0]).toMatchObject({ capabilities: ['order_query'], zone: 'eu' });

  await tell(id, change(7, 9, entry('a', { version: '2.0.0' })), change(9, 10, entry('b', { lifecycle: 'GONE' })));
  expect(names(routes.who({ capability: 'order_query' }))).toEqual(['a', 'c']);
  expect(names(routes.who({ type: 'commerce.order', versions: '^2' }))).toEqual(['a']);
  // Nothing that may be called is left of it.
  await tell(id, change(10, 12, entry('c', { capabilities: [] })), {
    kind: 'Checkpoint',
    position: 'e1.15',
    version: 15,
    previous: 12,
  });
  expect(names(routes.who({ capability: 'order_query' }))).toEqual(['a']);
  expect(routes.version).toBe(15);
});

test('counts canaries among those who serve production', async () => {
  const routes = reach.routes();
  const { id } = await side.next('subscribe');
  await tell(id, snapshot(1, entry('a'), entry('trial', { domain: 'CANARY' }), entry('old', { domain: 'STAGING' })));
  expect(names(routes.who({ capability: 'order_query' }))).toEqual(['a', 'trial']);
  await tell(id, change(1, 2, entry('a', { lifecycle: 'GONE' })));
  expect(names(routes.who({ capability: 'order_query' }))).toEqual(['trial']);
});

test('asks for everything anew when a change was lost on the way', async () => {
  const routes = reach.routes();
  const first = await side.next('subscribe');
  await tell(first.id, snapshot(3, entry('a')));
  // The change from 3 to 4, that `a` is gone, never comes.
  await tell(first.id, change(4, 5, entry('b')));
  expect(routes.isCurrent).toBe(false);
  expect((await side.next('unsubscribe')).id).toBe(first.id);
  const second = await side.next('subscribe');
  expect([second.id === first.id, second.after]).toEqual([false, undefined]);
  // What still comes of the old subscription counts for nothing.
  await tell(first.id, change(5, 6, entry('x')));
  await tell(second.id, snapshot(6, entry('b')));
  expect([routes.isCurrent, routes.version]).toEqual([true, 6]);
  expect(names(routes.who({ capability: 'order_query' }))).toEqual(['b']);
  // A checkpoint shows it too, when nothing follows what was lost.
  await tell(second.id, { kind: 'Checkpoint', position: 'e1.8', version: 8, previous: 7 });
  expect(routes.isCurrent).toBe(false);
  expect((await side.next('subscribe')).after).toBeUndefined();
});

test('goes on after its version over a reconnect, and begins anew when the server can not', async () => {
  const routes = reach.routes();
  const { id } = await side.next('subscribe');
  await tell(id, snapshot(3, entry('a')));
  side.socket.terminate();
  side = await server.connection();
  expect(routes.isCurrent).toBe(false);
  expect(names(routes.who({ agent: 'order' }))).toEqual(['a']);
  await side.greet();
  expect(await side.next('subscribe')).toMatchObject({ id, after: 'e1.3' });
  await tell(id, change(3, 4, entry('b')));
  expect([names(routes.who({ agent: 'order' })), routes.isCurrent]).toEqual([['a', 'b'], true]);
  await tell(id, { kind: 'Resync', position: 'e2.1', reason: 'restarted' });
  expect(routes.isCurrent).toBe(false);
  await tell(id, snapshot(1, entry('c')));
  expect([names(routes.who({ agent: 'order' })), routes.isCurrent]).toEqual([['c'], true]);
});

test('tells when others can be called, and nothing of what makes no difference', async () => {
  const routes = reach.routes();
  const { id } = await side.next('subscribe');
  const seen: (readonly (string | undefined)[])[] = [];
  const following = (async () => {
    for await (const found of routes.follow({ capability: 'order_query' })) seen.push(names(found));
  })();
  await tell(id, snapshot(1));
  await tell(id, change(1, 2, entry('a')));
  await tell(id, change(2, 3, entry('slow', { lifecycle: 'STARTING' })));
  await tell(id, change(3, 4, entry('a', { lifecycle: 'SUSPECT', health: 'OFFLINE' })));
  routes.close();
  await following;
  expect(seen).toEqual([[], ['a'], []]);
  expect((await side.next('unsubscribe')).id).toBe(id);
  expect([routes.ended, routes.isCurrent]).toEqual([true, false]);
});

test('whenReachable waits for the first who can be called, over one subscription', async () => {
  const waiting = reach.whenReachable({ capability: 'order_query' });
  const { id } = await side.next('subscribe');
  await tell(id, snapshot(1, entry('a', { lifecycle: 'STARTING' })));
  await tell(id, change(1, 2, entry('a')));
  expect(names(await waiting)).toEqual(['a']);
  expect(names(await reach.whenReachable({ agent: 'order' }))).toEqual(['a']);
  const patience = new AbortController();
  const never = reach.whenReachable({ capability: 'payment_refund' }, { signal: patience.signal });
  patience.abort();
  await expect(never).rejects.toMatchObject({ code: 'CANCELLED' });
  expect(side.received.filter((frame) => frame.type === 'subscribe')).toEqual([]);
});

test('rejects what a server refuses, and targets that can not be', async () => {
  const routes = reach.routes();
  const { id } = await side.next('subscribe');
  const error = new ReachError('RATE_LIMITED', 'At most 10 streams of routes a connection.').toWire();
  side.send({ type: 'error', ref: id, error });
  await expect(routes.ready).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  await expect(routes.follow({ capability: 'x' }).next()).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  expect(() => routes.who({})).toThrowError(
    expect.objectContaining({
      code: 'INVALID_INPUT',
      fields: [{ path: 'target', got: expect.any(String), allowed: expect.any(String) }],
    }),
  );
  expect(() => routes.who({ need: 'an order' })).toThrowError(/target.need/);
  expect(() => reach.routes({ namespace: '' })).toThrowError(/namespace/);
});

import 'reflect-metadata';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { SOCKET_LIMITS } from './limits/limits.js';
import { HealthResolver } from './resolvers/health.resolver.js';
import { ADMIN_TOKEN, GraphqlTestServer, OWN_ORIGIN } from './testing.js';
import { TestSocket } from './testing-socket.js';

const HEALTH = `subscription ($f: HealthFilterInput, $a: String) { healthChanges(filter: $f, after: $a) {
  kind position reason instances { instance lifecycle } } }`;

let server: GraphqlTestServer;
const sockets: TestSocket[] = [];

beforeAll(async () => {
  server = await GraphqlTestServer.open({ socketLimits: { ...SOCKET_LIMITS, operations: 3 } });
  await server.namespace('shop');
  await server.namespace('bank');
});
afterAll(() => server.close());
afterEach(() => {
  vi.restoreAllMocks();
  for (const { ws } of sockets.splice(0)) ws.terminate();
});

async function kept(opening: Promise<TestSocket>): Promise<TestSocket> {
  const socket = await opening;
  sockets.push(socket);
  return socket;
}

const admin = (): Promise<TestSocket> => kept(TestSocket.connect(server.wsUrl, ADMIN_TOKEN));

async function agent(id: string): Promise<void> {
  await server.ask(`mutation { createAgent(input: { namespace: "shop", id: "${id}", type: "t" }) { ref } }`);
}

describe('the upgrade', () => {
  it('is refused to pages of another origin, with a good token too', async () => {
    const headers = { origin: 'https://evil.example', authorization: `Bearer ${ADMIN_TOKEN}` };
    await expect(TestSocket.open(server.wsUrl, headers)).rejects.toThrow('status 403');
  });

  it('is refused with a wrong token in its header', async () => {
    await expect(TestSocket.open(server.wsUrl, { authorization: 'Bearer wrong' })).rejects.toThrow('status 401');
  });

  it('is granted to our own page and to programs, which then say who they are', async () => {
    await kept(TestSocket.open(server.wsUrl, { origin: OWN_ORIGIN }));
    await kept(TestSocket.open(server.wsUrl));
  });

  it('closes with 4406 for another protocol', async () => {
    const plain = connect(Number(new URL(server.httpUrl).port), '127.0.0.1');
    plain.write(
      'GET /graphql HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    const bytes: Buffer[] = [];
    await new Promise<void>((resolve) => {
      plain.on('data', (chunk) => {
        bytes.push(chunk);
        if (Buffer.concat(bytes).includes('Subprotocol')) resolve();
      });
    });
    plain.destroy();
    // the two bytes of the close frame's payload before its reason
    const all = Buffer.concat(bytes);
    expect(all.readUInt16BE(all.indexOf('Subprotocol') - 2)).toBe(4406);
  });
});

describe('before authentication', () => {
  it('a socket that says nothing is closed in time', async () => {
    const impatient = await GraphqlTestServer.open({ socketLimits: { ...SOCKET_LIMITS, initTimeoutMs: 20 } });
    const socket = await kept(TestSocket.open(impatient.wsUrl));
    expect(await socket.closed).toMatchObject({ code: 4408 });
    await impatient.close();
  });

  it('a socket without a credential is closed with 4401', async () => {
    const socket = await kept(TestSocket.open(server.wsUrl));
    socket.send({ type: 'connection_init' });
    expect(await socket.closed).toEqual({ code: 4401, reason: 'Send a valid token, or sign in.' });
    expect(server.turnedAway.at(-1)).toBe('UNAUTHENTICATED');
  });

  it('a wrong token is closed with 4401', async () => {
    const socket = await kept(TestSocket.open(server.wsUrl));
    socket.send({ type: 'connection_init', payload: { authorization: 'Bearer wrong' } });
    expect(await socket.closed).toMatchObject({ code: 4401 });
  });

  it('operations are refused', async () => {
    const socket = await kept(TestSocket.open(server.wsUrl));
    socket.subscribe('1', '{ viewer { name } }');
    expect(await socket.closed).toMatchObject({ code: 4401 });
  });

  it('no more than 4 KiB are taken', async () => {
    const socket = await kept(TestSocket.open(server.wsUrl));
    socket.send({ type: 'connection_init', payload: { authorization: `Bearer ${ADMIN_TOKEN}`, x: 'x'.repeat(5_000) } });
    const { code } = await socket.closed;
    expect([1006, 1009]).toContain(code);
  });

  it('a token in the header of the upgrade is enough', async () => {
    const socket = await kept(TestSocket.open(server.wsUrl, { authorization: `Bearer ${ADMIN_TOKEN}` }));
    socket.send({ type: 'connection_init' });
    expect(await socket.next()).toEqual({ type: 'connection_ack' });
  });
});

describe('operations', () => {
  it('run queries and mutations as over HTTP', async () => {
    const socket = await admin();
    socket.subscribe('1', '{ viewer { caller } }');
    expect(await socket.value('1')).toEqual({ caller: 'app:default/admin-token' });
    expect(await socket.next()).toEqual({ type: 'complete', id: '1' });
  });

  it.each([
    ['{ vieuer { name } }', 'INVALID_INPUT'],
    ['{ viewer ', 'INVALID_INPUT'],
    [`{ ${'a { '.repeat(10)}b${' }'.repeat(10)} }`, 'INVALID_INPUT'],
    ['subscription { auditFeed(namespace: "none", after: "1") { kind position ', 'INVALID_INPUT'],
  ])('refuse %s with the same error as HTTP', async (query, code) => {
    const socket = await admin();
    socket.subscribe('1', query);
    const { type, payload } = await socket.next();
    const [error] = payload as { extensions: { code: string; requestId: string } }[];
    expect([type, error?.extensions.code]).toEqual(['error', code]);
    expect(error?.extensions.requestId).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('keep internals to the log', async () => {
    const socket = await admin();
    socket.subscribe(
      '1',
      '{ explainRoute(input: { caller: "user:ann", target: { namespace: "shop", capability: "x" } }) { outcome } }',
    );
    const text = JSON.stringify(await socket.next());
    expect(text).toContain('INTERNAL');
    expect(text).not.toContain('secret of the server');
    expect(server.logged).toMatchObject([{ details: { err: { message: 'a secret of the server' } } }]);
  });

  it('are limited in number', async () => {
    const socket = await admin();
    for (const id of ['1', '2', '3']) {
      socket.subscribe(id, HEALTH);
      await socket.value(id);
    }
    socket.subscribe('4', HEALTH);
    expect(await socket.next()).toMatchObject({
      type: 'error',
      id: '4',
      payload: [{ extensions: { code: 'RATE_LIMITED', retryable: true } }],
    });
    socket.send({ type: 'complete', id: '1' });
    socket.subscribe('5', HEALTH);
    expect(await socket.value('5')).toMatchObject({ kind: 'SNAPSHOT' });
  });
});

describe('healthChanges', () => {
  it('begins with a snapshot, tells changes, and goes on after a position', async () => {
    await agent('orders');
    const filter = { f: { agent: 'shop/orders' } };
    const socket = await admin();
    socket.subscribe('1', HEALTH, filter);
    const snapshot = await socket.value('1');
    expect(snapshot).toMatchObject({ kind: 'SNAPSHOT', instances: [], reason: null });
    await server.join('shop/orders');
    expect(await socket.value('1')).toMatchObject({ kind: 'CHANGE', instances: [{ instance: 'shop/orders/one' }] });
    server.registry.health.checkpoint();
    expect(await untilCheckpoint(socket, '1')).toMatchObject({ kind: 'CHECKPOINT', instances: [] });

    socket.subscribe('2', HEALTH, { ...filter, a: snapshot.position });
    expect(await socket.value('2')).toMatchObject({ kind: 'CHANGE', instances: [{ instance: 'shop/orders/one' }] });
    await untilCheckpoint(socket, '2');
    socket.subscribe('3', HEALTH, { ...filter, a: 'another-epoch.1' });
    expect(await socket.value('3')).toMatchObject({ kind: 'RESYNC', instances: [] });
    expect(await socket.value('3')).toMatchObject({
      kind: 'SNAPSHOT',
      instances: [{ instance: 'shop/orders/one', lifecycle: 'READY' }],
    });
  });

  it('shows what is in the scope, and nothing else', async () => {
    const { secret } = await server.appToken('bank', 'VIEWER');
    await agent('stock');
    await server.join('shop/stock', { instance: 'hidden' });
    const socket = await kept(TestSocket.connect(server.wsUrl, secret));
    socket.subscribe('1', HEALTH);
    expect(await socket.value('1')).toMatchObject({ kind: 'SNAPSHOT', instances: [] });
    socket.subscribe('2', HEALTH, { f: { namespace: 'shop' } });
    const hidden = await socket.next();
    socket.send({ type: 'complete', id: '2' });
    socket.subscribe('3', HEALTH, { f: { namespace: 'none' } });
    let missing = await socket.next();
    while (missing.id !== '3') missing = await socket.next();
    for (const { payload } of [hidden, missing]) {
      expect(payload).toMatchObject({ errors: [{ extensions: { code: 'NOT_FOUND' } }] });
    }
  });

  it('filters by state, and tells what no longer matches', async () => {
    await agent('crates');
    await server.join('shop/crates');
    const socket = await admin();
    const filter = { agent: 'shop/crates', lifecycle: ['READY'], health: ['HEALTHY', 'DEGRADED'] };
    socket.subscribe('1', HEALTH, { f: filter });
    expect(await socket.value('1')).toMatchObject({ kind: 'SNAPSHOT', instances: [{ lifecycle: 'READY' }] });
    server.registry.pause('shop/crates/one', 'user:ann', 'inventory');
    expect(await socket.value('1')).toMatchObject({ kind: 'CHANGE', instances: [{ lifecycle: 'PAUSED' }] });
    socket.subscribe('2', HEALTH, { f: { health: [] } });
    let refused = await socket.next();
    while (refused.id !== '2') refused = await socket.next();
    expect(refused.payload).toMatchObject({
      errors: [{ extensions: { code: 'INVALID_INPUT', fields: [{ path: 'filter.health' }] } }],
    });
  });

  it('ends its stream with the operation and with the socket', async () => {
    const open = vi.spyOn(server.registry.health, 'open');
    const socket = await admin();
    socket.subscribe('1', HEALTH);
    socket.subscribe('2', HEALTH);
    await socket.next();
    await socket.next();
    const [first, second] = open.mock.results.map(({ value }) => vi.spyOn(value, 'return'));
    socket.send({ type: 'complete', id: '1' });
    await expect.poll(() => first?.mock.calls.length).toBe(1);
    expect(second).not.toHaveBeenCalled();
    await socket.close();
    await expect.poll(() => second?.mock.calls.length).toBe(1);
  });
});

describe('subscribers who ask the same', () => {
  it('cost one execution an event, wherever they began and whatever their filter lets pass', async () => {
    await agent('lamps');
    await server.join('shop/lamps');
    const { secret } = await server.appToken('shop', 'VIEWER');
    const sockets = [await admin(), await admin(), await admin()];
    const viewer = await kept(TestSocket.connect(server.wsUrl, secret));
    const filters = [{ agent: 'shop/lamps' }, { namespace: 'shop' }, { capability: 'order_query' }];
    for (const [index, socket] of sockets.entries()) {
      socket.subscribe(`s${index}`, HEALTH, { f: filters[index] });
      await socket.value(`s${index}`);
    }
    viewer.subscribe('v', HEALTH, { f: filters[0] });
    await viewer.value('v');
    const executed = vi.spyOn(HealthResolver.prototype, 'healthChanges');
    server.registry.pause('shop/lamps/one', 'user:ann', 'inventory');
    const heard = [...sockets.map((socket, index) => socket.value(`s${index}`)), viewer.value('v')];
    for (const event of await Promise.all(heard)) {
      expect(event).toMatchObject({ kind: 'CHANGE', instances: [{ lifecycle: 'PAUSED' }] });
    }
    // One for the administrator, one for another's rights.
    expect(executed).toHaveBeenCalledTimes(2);
    executed.mockRestore();
  });

  it('get their errors each under its own request', async () => {
    const failing = vi.spyOn(HealthResolver.prototype, 'healthChanges').mockImplementation(() => {
      throw new Error('a secret of the server');
    });
    const sockets = [await admin(), await admin()];
    for (const socket of sockets) socket.subscribe('1', HEALTH);
    const requests = new Set<string>();
    for (const socket of sockets) {
      const { payload } = await socket.next();
      expect(payload).toMatchObject({ data: null, errors: [{ extensions: { code: 'INTERNAL' } }] });
      expect(JSON.stringify(payload)).not.toContain('secret of the server');
      const [error] = (payload as { errors: { extensions: { requestId: string } }[] }).errors;
      requests.add(error?.extensions.requestId ?? '');
    }
    expect(requests.size).toBe(2);
    failing.mockRestore();
  });
});

async function untilCheckpoint(socket: TestSocket, id: string): Promise<Record<string, unknown>> {
  for (;;) {
    const event = await socket.value(id);
    if (event.kind === 'CHECKPOINT') return event;
  }
}

describe('registryChanges', () => {
  it('tells who is registered in the scope, changed and deleted', async () => {
    const { secret } = await server.appToken('shop', 'VIEWER');
    const socket = await kept(TestSocket.connect(server.wsUrl, secret));
    socket.subscribe(
      '1',
      `subscription { registryChanges(filter: { agent: "shop/chairs" }) {
        kind position reason agents { agent type kind deleted versions { version domain capabilities } } } }`,
    );
    expect(await socket.value('1')).toMatchObject({ kind: 'SNAPSHOT', agents: [], reason: null });
    await agent('chairs');
    expect(await socket.value('1')).toMatchObject({ kind: 'CHANGE', agents: [{ agent: 'shop/chairs', versions: [] }] });
    await server.join('shop/chairs');
    expect(await socket.value('1')).toMatchObject({
      agents: [{ versions: [{ version: '1.0.0', domain: 'PRODUCTION', capabilities: ['order_query'] }] }],
    });
    await server.ask('mutation { deleteAgent(ref: "shop/chairs") { ref } }');
    expect(await socket.value('1')).toMatchObject({ kind: 'CHANGE', agents: [{ deleted: true }] });
    socket.subscribe('2', 'subscription { registryChanges(filter: { namespace: "bank" }) { kind } }');
    expect(await socket.next()).toMatchObject({ payload: { errors: [{ extensions: { code: 'NOT_FOUND' } }] } });
  });
});

describe('auditFeed', () => {
  it('tells of changes as they are committed, within the filter', async () => {
    const socket = await admin();
    socket.subscribe(
      '1',
      'subscription { auditFeed(filter: { target: "shop/desk" }) { kind position entries { action target sequence } } }',
    );
    expect(await socket.value('1')).toMatchObject({ kind: 'SNAPSHOT', entries: [] });
    await agent('lamp');
    await agent('desk');
    expect(await socket.value('1')).toMatchObject({
      kind: 'CHANGE',
      entries: [{ action: 'agent.create', target: 'shop/desk' }],
    });
  });
});

describe('the end of a socket', () => {
  it('comes with the end of its credential, within a second, with 4403', async () => {
    const token = await server.appToken('shop', 'VIEWER');
    const socket = await kept(TestSocket.connect(server.wsUrl, token.secret));
    const other = await admin();
    socket.subscribe('1', HEALTH);
    await socket.value('1');
    const started = performance.now();
    await server.ask(`mutation { revokeToken(id: "${token.id}") { id } }`);
    expect(await socket.closed).toEqual({ code: 4403, reason: 'credential revoked' });
    expect(performance.now() - started).toBeLessThan(1_000);
    expect(other.ws.readyState).toBe(other.ws.OPEN);
  });

  it('comes with the stop of the server, with 1001', async () => {
    const stopping = await GraphqlTestServer.open();
    const socket = await kept(TestSocket.connect(stopping.wsUrl, ADMIN_TOKEN));
    const closing = stopping.close();
    expect(await socket.closed).toMatchObject({ code: 1001 });
    await closing;
  });
});

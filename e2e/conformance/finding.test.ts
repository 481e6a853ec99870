import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditUntil } from '../support/audit.js';
import { type RunningServer, startServer } from '../support/server.js';
import { agentToken, joinOrders, openShop, type Shop } from '../support/shop.js';
import { WireClient } from '../support/wire-client.js';

let server: RunningServer;
let shop: Shop;
let orders: WireClient;
let web: WireClient;
let stranger: WireClient;
beforeAll(async () => {
  server = await startServer();
  shop = await openShop(server);
  orders = await joinOrders(server, shop.orders);
  web = await WireClient.hello(server.apiUrl, shop.web);
  stranger = await WireClient.hello(server.apiUrl, await agentToken(server, 'stranger', 'shop.stranger'));
});
afterAll(async () => {
  for (const client of [web, orders, stranger]) await client.close();
  await server.stop();
});

let count = 0;
const nextId = () => `find-${++count}`;

async function found(client: WireClient, text: string, more: { namespace?: string; limit?: number } = {}) {
  const id = nextId();
  client.send({ type: 'find', id, text, ...more });
  const answer = await client.next('found');
  expect(answer.id).toBe(id);
  return answer.capabilities;
}

/** Calls, answers when it reaches the agent, and gives what became of it. */
async function call(target: object): Promise<{ id: string; capability: string; ok: boolean }> {
  const id = nextId();
  web.send({ type: 'call', requestId: id, target, params: { id: '7' } });
  const { dispatchId, capability } = await orders.next('dispatch');
  orders.send({ type: 'result', dispatchId, ok: true, result: { status: 'sent' } });
  return { id, capability, ok: (await web.next('reply')).ok };
}

async function refused(target: object) {
  web.send({ type: 'call', requestId: nextId(), target, params: { id: '7' } });
  return web.next('reply');
}

describe('finding capabilities', () => {
  it('by words, with typing errors, answers the best first with its schema', async () => {
    const [best, ...others] = await found(web, 'lok up an ordr by its nubmer', { limit: 5 });
    expect(best).toMatchObject({
      namespace: 'default',
      capability: 'order_query',
      aliases: ['find_order'],
      idempotent: true,
      inputSchema: { required: ['id'] },
    });
    expect(others.map(({ capability }) => capability)).toEqual(['order_create']);
  });

  it('shows a caller without permission nothing, over the socket and over HTTP', async () => {
    expect(await found(stranger, 'order')).toEqual([]);
    const url = `${server.apiUrl}/v1/capabilities?text=order`;
    const ask = async (token: string) => (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).json();
    expect(await ask(shop.web)).toMatchObject({ capabilities: [{ score: expect.any(Number) }, {}] });
    expect(await ask(await agentToken(server, 'poor', 'shop.poor'))).toEqual({ capabilities: [] });
  });

  it('answers a faulty question with its fields', async () => {
    web.raw('{"type":"find","id":"bad","text":"","limit":51}');
    expect(await web.next('error')).toMatchObject({
      ref: 'bad',
      error: { code: 'INVALID_FRAME', fields: [{ path: 'text' }, { path: 'limit' }] },
    });
  });

  it('answers each of many questions at once, or says that they are too many', async () => {
    const greedy = await WireClient.hello(server.apiUrl, shop.web);
    const answers = new Map<string, unknown>();
    const done = new Promise<void>((resolve) => {
      greedy.socket.on('message', (data) => {
        const frame: { id?: string; ref?: string; error?: { code: string } } = JSON.parse(String(data));
        answers.set(frame.id ?? frame.ref ?? '', frame.error?.code ?? 'found');
        if (answers.size === ids.length) resolve();
      });
    });
    const ids = Array.from({ length: 40 }, nextId);
    for (const id of ids) greedy.send({ type: 'find', id, text: 'order' });
    await done;
    expect([...answers.keys()].sort()).toEqual([...ids].sort());
    expect(new Set([...answers.values(), 'RATE_LIMITED'])).toEqual(new Set(['found', 'RATE_LIMITED']));
    await greedy.close();
    expect(await found(web, 'order')).toHaveLength(2);
  });

  it('forgets what nobody offers any more, at once', async () => {
    const second = await WireClient.hello(server.apiUrl, await agentToken(server, 'weather', 'shop.weather'));
    const { id } = await server
      .graphql<{ createPermission: { id: string } }>(
        'mutation { createPermission(input: { caller: "agent:default/web", target: "default/weather", capability: "*", effect: ALLOW }) { id } }',
      )
      .then(({ createPermission }) => createPermission);
    second.send({
      type: 'register',
      id: 'r',
      instance: 'one',
      version: '1.0.0',
      agentType: 'shop.weather',
      capabilities: [
        {
          name: 'forecast',
          description: '查询 天气 预报，回答未来几天的温度和降雨情况，适用于所有城市。',
          inputSchema: { type: 'object', properties: {} },
        },
      ],
    });
    await second.next('registered');
    expect((await found(web, '明天的天气怎么样')).map(({ capability }) => capability)).toEqual(['forecast']);
    second.send({ type: 'goodbye', instance: 'default/weather/one' });
    // Frames of one socket are taken in their order: with this answer, the goodbye has been taken.
    second.send({ type: 'heartbeat', instances: [] });
    await second.next('heartbeat');
    expect(await found(web, '明天的天气怎么样')).toEqual([]);
    await second.close();
    await server.graphql('mutation ($id: ID!) { deletePermission(id: $id) { id } }', { id });
  });
});

describe('a call by need', () => {
  it('that is clear reaches the capability, and both are on record', async () => {
    const need = 'look up an order by its number';
    const { id, capability, ok } = await call({ need });
    expect([capability, ok]).toEqual(['order_query', true]);
    await auditUntil(server, { requestId: id }, (entries) => entries.length === 1);
    const { auditEntries } = await server.graphql<{ auditEntries: { nodes: unknown[] } }>(
      'query ($id: String) { auditEntries(filter: { requestId: $id }) { nodes { capability alias need outcome } } }',
      { id },
    );
    expect(auditEntries.nodes).toEqual([{ capability: 'order_query', alias: null, need, outcome: 'OK' }]);
  });

  it('that is unclear executes nothing and names the candidates', async () => {
    const reply = await refused({ need: 'order' });
    expect(reply).toMatchObject({
      ok: false,
      attempts: 0,
      error: { code: 'NEED_UNCLEAR', retryable: false, details: { candidates: [{}, {}] } },
    });
    expect(orders.pending('dispatch')).toEqual([]);
  });

  it('that nothing fits, or that the caller may not use, is NO_ROUTE', async () => {
    expect(await refused({ need: 'play chess' })).toMatchObject({ error: { code: 'NO_ROUTE' } });
    stranger.send({ type: 'call', requestId: nextId(), target: { need: 'order_query' }, params: {} });
    const reply = await stranger.next('reply');
    expect(reply).toMatchObject({ error: { code: 'NO_ROUTE' } });
    expect(JSON.stringify(reply)).not.toContain('orders');
  });

  it('over HTTP has the status of its end', async () => {
    const response = await fetch(`${server.apiUrl}/v1/call`, {
      method: 'POST',
      headers: { authorization: `Bearer ${shop.web}` },
      body: JSON.stringify({ target: { need: 'order' }, params: {} }),
    });
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ ok: false, error: { code: 'NEED_UNCLEAR' } });
  });

  it('beside a capability is refused before anything else', async () => {
    web.send({ type: 'call', requestId: 'both', target: { need: 'order', capability: 'order_query' }, params: {} });
    expect(await web.next('error')).toMatchObject({ ref: 'both', error: { fields: [{ path: 'target.need' }] } });
  });
});

describe('a call', () => {
  it('by an alias is on record with both words', async () => {
    const { id } = await call({ capability: 'find_order' });
    await auditUntil(server, { requestId: id }, (entries) => entries.length === 1);
    const { auditEntries } = await server.graphql<{ auditEntries: { nodes: unknown[] } }>(
      'query ($id: String) { auditEntries(filter: { requestId: $id }) { nodes { capability alias need } } }',
      { id },
    );
    expect(auditEntries.nodes).toEqual([{ capability: 'order_query', alias: 'find_order', need: null }]);
  });

  it('for versions that nobody has is NO_ROUTE, for others it goes through', async () => {
    expect(await refused({ capability: 'order_query', versions: '^2' })).toMatchObject({ error: { code: 'NO_ROUTE' } });
    expect((await call({ capability: 'order_query', versions: '>=1.0.0 <2' })).ok).toBe(true);
    expect((await call({ capability: 'order_query', versions: '1.0.0' })).ok).toBe(true);
  });
});

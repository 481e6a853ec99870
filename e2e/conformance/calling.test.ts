import type { ServerFrame } from '@agent-reach/sdk/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditUntil } from '../support/audit.js';
import { type RunningServer, startServer } from '../support/server.js';
import { joinOrders, openShop, type Shop } from '../support/shop.js';
import { WireClient } from '../support/wire-client.js';

let server: RunningServer;
let shop: Shop;
let orders: WireClient;
let web: WireClient;
beforeAll(async () => {
  server = await startServer();
  shop = await openShop(server);
  orders = await joinOrders(server, shop.orders);
  web = await WireClient.hello(server.apiUrl, shop.web);
});
afterAll(async () => {
  await web.close();
  await orders.close();
  await server.stop();
});

let count = 0;
const requestId = () => `call-${++count}`;

/** Calls and plays the agent's answer. */
async function exchange(
  target: object,
  params: Record<string, unknown>,
  answer: (dispatch: Extract<ServerFrame, { type: 'dispatch' }>) => void,
) {
  const id = requestId();
  web.send({ type: 'call', requestId: id, target, params });
  const dispatch = await orders.next('dispatch');
  answer(dispatch);
  return { id, dispatch, reply: await web.next('reply') };
}

const sent = (dispatch: { dispatchId: string }) =>
  orders.send({ type: 'result', dispatchId: dispatch.dispatchId, ok: true, result: { status: 'sent' } });

describe('a call', () => {
  it.each([
    ['capability', { capability: 'order_query' }],
    ['alias', { capability: 'find_order' }],
    ['agent and capability', { agent: 'orders', capability: 'order_query' }],
    ['type and capability', { type: 'shop.orders', capability: 'order_query' }],
    ['capability and tags', { capability: 'order_query', tags: ['read'] }],
  ])('by %s reaches the agent and comes back', async (_name, target) => {
    const { dispatch, reply } = await exchange(target, { id: '7' }, sent);
    expect(dispatch).toMatchObject({ capability: 'order_query', caller: 'agent:default/web', params: { id: '7' } });
    expect(reply).toMatchObject({ ok: true, result: { status: 'sent' }, attempts: 1, instance: 'default/orders/one' });
  });

  it('over HTTP with the same answer', async () => {
    const answered = orders.next('dispatch').then(sent);
    const response = await fetch(`${server.apiUrl}/v1/call`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${shop.web}`,
        traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      },
      body: JSON.stringify({ requestId: 'http-1', target: { capability: 'order_query' }, params: { id: '7' } }),
    });
    await answered;
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      ok: true,
      requestId: 'http-1',
      result: { status: 'sent' },
      attempts: 1,
      instance: 'default/orders/one',
      traceId: '0af7651916cd43dd8448eb211c80319c',
    });
    const [entry] = await auditUntil(server, { requestId: 'http-1' }, (entries) => entries.length === 1);
    expect(entry).toMatchObject({ kind: 'CALL', actor: 'agent:default/web', target: 'default/orders', outcome: 'OK' });
    expect(entry?.traceId).toBe('0af7651916cd43dd8448eb211c80319c');
  });

  it('with the requestId of one that runs and other parameters is a CONFLICT, and the first goes on', async () => {
    const id = requestId();
    const target = { capability: 'order_query' };
    web.send({ type: 'call', requestId: id, target, params: { id: '7' } });
    const dispatch = await orders.next('dispatch');
    web.send({ type: 'call', requestId: id, target, params: { id: '8' } });
    expect(await web.next('reply')).toMatchObject({ requestId: id, ok: false, error: { code: 'CONFLICT' } });
    web.send({ type: 'call', requestId: id, target, params: { id: '7' } });
    sent(dispatch);
    expect(await web.next('reply')).toMatchObject({ requestId: id, ok: true, attempts: 1 });
  });

  it('to nobody is NO_ROUTE', async () => {
    web.send({ type: 'call', requestId: requestId(), target: { capability: 'no_such' }, params: {} });
    expect(await web.next('reply')).toMatchObject({ ok: false, error: { code: 'NO_ROUTE', retryable: true } });
  });

  it('of an agent alone that has several capabilities names them', async () => {
    web.send({ type: 'call', requestId: requestId(), target: { agent: 'orders' }, params: {} });
    expect(await web.next('reply')).toMatchObject({
      error: {
        code: 'NO_ROUTE',
        message: 'The agent has several capabilities, name one of them: order_create, order_query.',
      },
    });
  });

  it('with parameters that do not match, or are not named, lists the fields', async () => {
    web.send({ type: 'call', requestId: requestId(), target: { capability: 'order_query' }, params: { id: 7 } });
    expect(await web.next('reply')).toMatchObject({
      error: {
        code: 'INVALID_PARAMS',
        fields: [{ path: 'params.id', got: 'a value of another type', allowed: 'a string' }],
      },
    });
    web.send({
      type: 'call',
      requestId: requestId(),
      target: { capability: 'order_query' },
      params: { id: '7', colour: 1 },
    });
    expect(await web.next('reply')).toMatchObject({
      error: {
        code: 'INVALID_PARAMS',
        fields: [{ path: 'params.colour', got: 'a parameter that the schema does not name' }],
      },
    });
  });

  it('with a number that would be changed is refused, and __proto__ is plain data', async () => {
    web.raw(
      `{"type":"call","requestId":"${requestId()}","target":{"capability":"order_query"},"params":{"id":9007199254740993}}`,
    );
    expect((await web.next('error')).error).toMatchObject({ code: 'INVALID_PARAMS', fields: [{ path: 'params.id' }] });
    web.raw(
      `{"type":"call","requestId":"${requestId()}","target":{"capability":"order_query"},"params":{"__proto__":1,"id":"7"}}`,
    );
    expect(await web.next('reply')).toMatchObject({
      error: { code: 'INVALID_PARAMS', fields: [{ path: 'params.__proto__' }] },
    });
  });

  it('nested too deeply is refused', async () => {
    web.raw(
      `{"type":"call","requestId":"${requestId()}","target":{"capability":"order_query"},"params":{"id":${'['.repeat(5000)}${']'.repeat(5000)}}}`,
    );
    expect((await web.next('error')).error.message).toContain('at most 100 levels');
  });

  it('whose result does not match is INVALID_RESULT', async () => {
    const { reply } = await exchange({ capability: 'order_query' }, { id: '7' }, ({ dispatchId }) =>
      orders.send({ type: 'result', dispatchId, ok: true, result: { state: 'sent' } }),
    );
    expect(reply).toMatchObject({ ok: false, error: { code: 'INVALID_RESULT', fields: [{ path: 'status' }] } });
  });

  it('answered by a business error brings its message and details', async () => {
    const { reply } = await exchange({ capability: 'order_query' }, { id: '8' }, ({ dispatchId }) =>
      orders.send({
        type: 'result',
        dispatchId,
        ok: false,
        error: { code: 'BUSINESS_ERROR', message: 'no such order', details: { id: '8' } },
      }),
    );
    expect(reply).toMatchObject({
      ok: false,
      error: { code: 'BUSINESS_ERROR', message: 'no such order', details: { id: '8' } },
    });
  });

  it('past its deadline is DEADLINE_EXCEEDED, and the agent is told', async () => {
    web.send({
      type: 'call',
      requestId: requestId(),
      target: { capability: 'order_query' },
      params: { id: '7' },
      timeoutMs: 200,
    });
    const dispatch = await orders.next('dispatch');
    orders.send({ type: 'ack', dispatchId: dispatch.dispatchId, accepted: true });
    expect(await orders.next('cancel')).toEqual({
      type: 'cancel',
      dispatchId: dispatch.dispatchId,
      reason: 'DEADLINE',
    });
    expect(await web.next('reply')).toMatchObject({ error: { code: 'DEADLINE_EXCEEDED' } });
    sent(dispatch);
    await noMoreReplies();
  });

  it('cancelled by its caller reaches the agent', async () => {
    const id = requestId();
    web.send({ type: 'call', requestId: id, target: { capability: 'order_query' }, params: { id: '7' } });
    const { dispatchId } = await orders.next('dispatch');
    web.send({ type: 'cancel', requestId: id });
    expect(await orders.next('cancel')).toEqual({ type: 'cancel', dispatchId, reason: 'CALLER' });
    expect(await web.next('reply')).toMatchObject({ requestId: id, error: { code: 'CANCELLED' } });
  });

  it('whose caller disconnects in mid-call is cancelled at the agent and on record', async () => {
    const other = await WireClient.hello(server.apiUrl, shop.web);
    other.send({ type: 'call', requestId: 'gone-1', target: { capability: 'order_query' }, params: { id: '7' } });
    const { dispatchId } = await orders.next('dispatch');
    await other.close();
    expect(await orders.next('cancel')).toEqual({ type: 'cancel', dispatchId, reason: 'CALLER_GONE' });
    const [entry] = await auditUntil(server, { requestId: 'gone-1' }, (entries) => entries.length === 1);
    expect(entry?.outcome).toBe('CANCELLED');
  });

  it('answered twice, late or by a stranger changes nothing', async () => {
    const { reply, dispatch } = await exchange({ capability: 'order_query' }, { id: '7' }, (each) => {
      web.send({ type: 'result', dispatchId: each.dispatchId, ok: true, result: { status: 'forged' } });
      web.send({ type: 'heartbeat', instances: [] });
      void web.next('heartbeat').then(() => {
        sent(each);
        sent(each);
      });
    });
    expect(reply).toMatchObject({ result: { status: 'sent' } });
    sent(dispatch);
    await noMoreReplies();
    const metrics = await (await fetch(`${server.apiUrl}/metrics`)).text();
    expect(metrics).toMatch(/^reach_foreign_frames_total 1$/m);
    expect(metrics).toMatch(/^reach_agent_in_flight\{agent="default\/orders"\} 0$/m);
  });

  it('without permission says what is missing and links to the page that adds it; with the rule it goes through', async () => {
    await server.graphql('mutation ($id: ID!) { deletePermission(id: $id) { id } }', { id: shop.rule });
    web.send({ type: 'call', requestId: requestId(), target: { capability: 'order_query' }, params: { id: '7' } });
    const reply = await web.next('reply');
    expect(reply).toMatchObject({
      ok: false,
      error: {
        code: 'DENIED',
        details: {
          missing: {
            caller: 'agent:default/web',
            target: 'default/orders',
            capability: 'order_query',
            effect: 'ALLOW',
          },
          link: `http://127.0.0.1:${server.ports.console}/permissions?ns=default&add=1&caller=agent%3Adefault%2Fweb&target=default%2Forders&capability=order_query`,
        },
      },
    });
    await server.graphql(
      'mutation { createPermission(input: { caller: "agent:default/web", target: "default/*", capability: "*", effect: ALLOW }) { id } }',
    );
    expect((await exchange({ capability: 'order_query' }, { id: '7' }, sent)).reply).toMatchObject({ ok: true });
  });

  it('refused by a busy instance ends as REFUSED when there is no other', async () => {
    web.send({ type: 'call', requestId: requestId(), target: { capability: 'order_query' }, params: { id: '7' } });
    for (let attempt = 1; attempt <= 3; attempt++) {
      const dispatch = await orders.next('dispatch');
      expect(dispatch.attempt).toBe(attempt);
      orders.send({ type: 'ack', dispatchId: dispatch.dispatchId, accepted: false, reason: 'BUSY', retryAfterMs: 40 });
    }
    expect(await web.next('reply')).toMatchObject({ attempts: 3, error: { code: 'REFUSED', retryAfterMs: 40 } });
  });

  it('over HTTP: bad bodies and tokens are the caller’s mistakes', async () => {
    const post = async (body: string, token = shop.web) => {
      const response = await fetch(`${server.apiUrl}/v1/call`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body,
      });
      const { error } = (await response.json()) as { error: { code: string; fields?: unknown } };
      return [response.status, error.code];
    };
    expect(await post('{}', 'wrong')).toEqual([401, 'UNAUTHENTICATED']);
    expect(await post('nonsense')).toEqual([400, 'INVALID_INPUT']);
    expect(await post('null')).toEqual([400, 'INVALID_INPUT']);
    expect(await post('{"target":{"capability":"x"},"params":{},"colour":1}')).toEqual([400, 'INVALID_INPUT']);
    expect(await post(JSON.stringify({ target: { capability: 'no_such' }, params: {} }))).toEqual([404, 'NO_ROUTE']);
    expect(await post(`{"params":{"x":"${'x'.repeat(1_100_000)}"}}`)).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });
});

/** A round trip later, nothing else has come. */
async function noMoreReplies(): Promise<void> {
  orders.send({ type: 'heartbeat', instances: [] });
  await orders.next('heartbeat');
  web.send({ type: 'heartbeat', instances: [] });
  await web.next('heartbeat');
  expect(web.pending('reply')).toEqual([]);
}

import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { EgressGuard } from '../egress.js';
import { dispatchFrame, endpointInstance, TestEndpoint, TestHttpDelivery } from './testing.js';

const stops: (() => void)[] = [];

afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

async function endpoint(...args: Parameters<typeof TestEndpoint.start>): Promise<TestEndpoint> {
  const started = await TestEndpoint.start(...args);
  stops.push(() => started.stop());
  return started;
}

function http(...args: ConstructorParameters<typeof TestHttpDelivery>): TestHttpDelivery {
  const made = new TestHttpDelivery(...args);
  stops.push(() => made.delivery.stop());
  return made;
}

/** Until something outside of this process's control has happened. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('a dispatch to an endpoint', () => {
  it('is a POST of its parameters, with what belongs to it in headers', async () => {
    const agent = await endpoint((_seen, response) => response.end('{"status":"sent"}'));
    const { delivery, hears, told } = bound(http());
    const instance = await endpointInstance({ url: `${agent.url}/orders?v=1` });
    const frame = dispatchFrame({
      requestId: 'größe 100%\n',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      headers: { 'X-Tenant': 'a', host: 'evil', 'Reach-Caller': 'user:root', 'content-length': '1' },
    });
    delivery.offer(instance, frame);
    await hears(2);
    const [seen] = agent.seen;
    expect([seen?.request.method, seen?.request.url, seen?.body]).toEqual(['POST', '/orders?v=1', '{"id":"7"}']);
    const { host, connection: _, ...headers } = seen?.request.headers ?? {};
    expect(`http://${host}`).toBe(agent.url);
    expect(headers).toEqual({
      accept: 'application/json',
      'content-length': '10',
      'content-type': 'application/json',
      'user-agent': 'agent-reach',
      'reach-request-id': 'gr%C3%B6%C3%9Fe%20100%25%0A',
      'reach-dispatch-id': frame.dispatchId,
      'reach-caller': 'agent:shop/web',
      'reach-capability': 'order_query',
      'reach-deadline': '2026-01-01T00:00:30.000Z',
      'reach-timeout-ms': '30000',
      'reach-attempt': '1',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      'x-tenant': 'a',
    });
    expect(told).toEqual([
      ['handedOver', frame.dispatchId],
      ['completed', { type: 'result', dispatchId: frame.dispatchId, ok: true, result: { status: 'sent' } }, 17],
    ]);
  });

  it('of a task names it, and is accepted by 202', async () => {
    const agent = await endpoint((_seen, response) => response.writeHead(202).end());
    const { delivery, hears } = bound(http());
    const frame = dispatchFrame({ task: { taskId: 't1', epoch: 2 } });
    delivery.offer(await endpointInstance({ url: agent.url }), frame);
    expect(await hears(2)).toEqual([
      ['handedOver', frame.dispatchId],
      ['acked', { type: 'ack', dispatchId: frame.dispatchId, accepted: true }],
    ]);
    const { headers } = agent.seen[0]?.request ?? {};
    expect([headers?.['reach-task-id'], headers?.['reach-task-epoch']]).toEqual(['t1', '2']);
  });

  it('can be sent as a form', async () => {
    const agent = await endpoint();
    const { delivery, hears } = bound(http());
    const params = { id: 'a&b=ü', count: 2, rush: true, note: null, tags: ['x', 'y'], to: { city: 'Köln' } };
    delivery.offer(await endpointInstance({ url: agent.url, encoding: 'FORM' }), dispatchFrame({ params }));
    await hears(2);
    expect(agent.seen[0]?.request.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect([...new URLSearchParams(agent.seen[0]?.body)]).toEqual([
      ['id', 'a&b=ü'],
      ['count', '2'],
      ['rush', 'true'],
      ['note', ''],
      ['tags', 'x'],
      ['tags', 'y'],
      ['to', '{"city":"Köln"}'],
    ]);
  });

  it('that is refused is told with the time to wait', async () => {
    const agent = await endpoint((_seen, response) => response.writeHead(503, { 'retry-after': '3' }).end());
    const { delivery, hears } = bound(http());
    const frame = dispatchFrame();
    delivery.offer(await endpointInstance({ url: agent.url }), frame);
    expect((await hears(2))[1]).toEqual([
      'acked',
      { type: 'ack', dispatchId: frame.dispatchId, accepted: false, reason: 'BUSY', retryAfterMs: 3_000 },
    ]);
  });

  it('is undeliverable where nobody listens', async () => {
    const agent = await TestEndpoint.start();
    agent.stop();
    const { delivery, hears } = bound(http());
    const frame = dispatchFrame();
    delivery.offer(await endpointInstance({ url: agent.url }), frame);
    expect(await hears(1)).toEqual([['undeliverable', frame.dispatchId]]);
  });

  it('goes nowhere that the settings do not allow, by number or by name', async () => {
    const agent = await endpoint();
    const strict = new EgressGuard({
      allow: [],
      loopback: false,
      resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
    });
    const { delivery, hears } = bound(http(strict));
    const [one, two] = [dispatchFrame(), dispatchFrame()];
    delivery.offer(await endpointInstance({ url: agent.url }), one);
    await hears(1);
    delivery.offer(await endpointInstance({ url: agent.url.replace('127.0.0.1', 'agent.test') }), two);
    expect(await hears(2)).toEqual([
      ['undeliverable', one.dispatchId],
      ['undeliverable', two.dispatchId],
    ]);
    expect(agent.connections).toBe(0);
  });

  it('is broken when the connection is cut before the answer, or in the middle of it', async () => {
    const agent = await endpoint((seen) => seen.request.socket.destroy());
    const { delivery, hears } = bound(http());
    const instance = await endpointInstance({ url: agent.url });
    const [one, two] = [dispatchFrame(), dispatchFrame()];
    delivery.offer(instance, one);
    expect(await hears(2)).toEqual([
      ['handedOver', one.dispatchId],
      ['broken', one.dispatchId],
    ]);
    agent.answer = (seen, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"status":', () => seen.request.socket.destroy());
    };
    delivery.offer(instance, two);
    expect((await hears(4)).slice(2)).toEqual([
      ['handedOver', two.dispatchId],
      ['broken', two.dispatchId],
    ]);
    expect(agent.seen).toHaveLength(2);
  });

  it('is broken by an answer that is not HTTP', async () => {
    const server = createServer((socket) => socket.once('data', () => socket.end('SSH-2.0-OpenSSH_9.6\r\n')));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    stops.push(() => server.close());
    const { delivery, hears } = bound(http());
    const frame = dispatchFrame();
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    delivery.offer(await endpointInstance({ url: `http://127.0.0.1:${port}/` }), frame);
    expect((await hears(2))[1]).toEqual(['broken', frame.dispatchId]);
  });

  it('is not followed elsewhere', async () => {
    const other = await endpoint();
    const agent = await endpoint((_seen, response) => response.writeHead(307, { location: other.url }).end());
    const { delivery, hears } = bound(http());
    delivery.offer(await endpointInstance({ url: agent.url }), dispatchFrame());
    expect((await hears(2))[1]).toMatchObject(['completed', { ok: false, error: { code: 'AGENT_ERROR' } }, 0]);
    expect(other.seen).toHaveLength(0);
  });

  it('of which the answer is too large is faulty, and the rest is not read', async () => {
    const agent = await endpoint((_seen, response) => {
      response.write('x'.repeat(2_000));
    });
    const { delivery, hears } = bound(http(undefined, 1_000));
    const frame = dispatchFrame();
    delivery.offer(await endpointInstance({ url: agent.url }), frame);
    expect((await hears(2))[1]).toEqual(['faulty', frame.dispatchId, 'The answer is larger than 1000 bytes.']);
    await until(() => agent.seen[0]?.request.socket.destroyed === true);
  });

  it('with a header that HTTP can not carry is the caller’s mistake', async () => {
    const agent = await endpoint();
    const { delivery, hears } = bound(http());
    const frame = dispatchFrame({ headers: { 'x-tenant': 'a\r\nreach-caller: user:root' } });
    delivery.offer(await endpointInstance({ url: agent.url }), frame);
    expect(await hears(1)).toMatchObject([['completed', { ok: false, error: { code: 'BUSINESS_ERROR' } }, 0]]);
    expect(agent.connections).toBe(0);
  });

  it('that is cancelled closes its connection, and nothing is told of it any more', async () => {
    const agent = await endpoint(() => {});
    const { delivery, hears, told } = bound(http());
    const instance = await endpointInstance({ url: agent.url });
    const frame = dispatchFrame();
    delivery.offer(instance, frame);
    await until(() => agent.seen.length === 1);
    delivery.cancel(instance, frame.dispatchId);
    await until(() => agent.seen[0]?.request.socket.destroyed === true);
    agent.answer = (_seen, response) => response.end('1');
    delivery.offer(instance, dispatchFrame());
    await hears(3);
    expect(told.map((event) => (event as string[])[0])).toEqual(['handedOver', 'handedOver', 'completed']);
  });

  it('that is cancelled before its connection is there is never sent', async () => {
    const agent = await endpoint();
    const { delivery, hears, told } = bound(http());
    const instance = await endpointInstance({ url: agent.url });
    const [given, kept] = [dispatchFrame(), dispatchFrame()];
    delivery.offer(instance, given);
    delivery.cancel(instance, given.dispatchId);
    delivery.offer(instance, kept);
    await hears(2);
    expect(told.map((event) => (event as string[])[1])).toEqual([kept.dispatchId, expect.anything()]);
    expect(agent.seen).toHaveLength(1);
  });
});

describe("an instance's connections", () => {
  it('are as many as it takes calls, and others for tasks', async () => {
    const held: ServerResponse[] = [];
    const agent = await endpoint((_seen, response) => held.push(response));
    const { delivery, hears } = bound(http());
    const instance = await endpointInstance({ url: agent.url });
    for (let call = 0; call < 7; call++) delivery.offer(instance, dispatchFrame());
    for (let task = 0; task < 4; task++) delivery.offer(instance, dispatchFrame({ task: { taskId: 't', epoch: 1 } }));
    await until(() => held.length === 7);
    expect(agent.connections).toBe(7);
    for (const response of held.splice(0)) response.end('1');
    await until(() => held.length === 4);
    for (const response of held.splice(0)) response.end('1');
    await hears(22);
    expect(agent.connections).toBe(7);
  });

  it('are used again', async () => {
    const agent = await endpoint();
    const { delivery, hears } = bound(http());
    const instance = await endpointInstance({ url: agent.url });
    for (let call = 1; call <= 5; call++) {
      delivery.offer(instance, dispatchFrame());
      await hears(2 * call);
      await new Promise(setImmediate);
    }
    expect([agent.seen.length, agent.connections]).toEqual([5, 1]);
  });

  it('are closed when the instance is lost, and made anew when it is back', async () => {
    const agent = await endpoint(() => {});
    const { delivery, hears, told } = bound(http());
    const instance = await endpointInstance({ url: agent.url });
    delivery.offer(instance, dispatchFrame());
    await until(() => agent.seen.length === 1);
    delivery.forget(instance);
    await until(() => agent.open === 0);
    agent.answer = (_seen, response) => response.end('1');
    delivery.offer(instance, dispatchFrame());
    await hears(3);
    expect(told.map((event) => (event as string[])[0])).toEqual(['handedOver', 'handedOver', 'completed']);
  });
});

function bound(test: TestHttpDelivery) {
  return { delivery: test.delivery, told: test.told, hears: test.hears.bind(test) };
}

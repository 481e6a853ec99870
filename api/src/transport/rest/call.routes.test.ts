import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CallOutcome, CallRequest } from '../../execute/ports.js';
import { callRoutes } from './call.routes.js';
import { appPrincipal, RestTestServer } from './testing.js';

let server: RestTestServer;
let outcome: (request: CallRequest) => CallOutcome;

const completed = ({ requestId }: CallRequest): CallOutcome => ({
  requestId,
  attempts: 1,
  instance: 'shop/orders/one',
  agent: 'shop/orders',
  capability: 'order_query',
  replayed: false,
  cached: false,
  fallback: undefined,
  taskId: undefined,
  durationMs: 12,
  traceId: '0af7651916cd43dd8448eb211c80319c',
  ok: true,
  result: { status: 'paid' },
});

beforeEach(async () => {
  outcome = completed;
  server = await RestTestServer.open({ web: appPrincipal('app:shop/web', 'shop') }, (deps) =>
    callRoutes({
      ...deps,
      maxBytes: 1_000,
      calls: {
        start: () => ({ cancel: () => {} }),
        call: async (request) => outcome(request),
      },
    }),
  );
});
afterEach(() => server.close());

const BODY = { requestId: 'r1', target: { capability: 'order_query' }, params: {} };

describe('a path of /v1 that there is not', () => {
  it('is NOT_FOUND in JSON', async () => {
    expect(await server.post('/v1/cal', 'web', BODY)).toMatchObject({
      status: 404,
      body: {
        error: { code: 'NOT_FOUND', message: 'There is no POST /v1/cal; docs/PROTOCOL.md has what there is.' },
      },
    });
  });
});

describe('POST /v1/call', () => {
  it('answers the result', async () => {
    expect(await server.post('/v1/call', 'web', BODY)).toMatchObject({
      status: 200,
      body: {
        ok: true,
        result: { status: 'paid' },
        requestId: 'r1',
        instance: 'shop/orders/one',
        attempts: 1,
        traceId: '0af7651916cd43dd8448eb211c80319c',
      },
    });
  });

  it('says where an answer came from', async () => {
    outcome = (request) => ({ ...completed(request), cached: true, fallback: 'STALE', replayed: true });
    expect((await server.post('/v1/call', 'web', BODY)).body).toMatchObject({
      cached: true,
      fallback: 'STALE',
      replayed: true,
    });
  });

  it('answers 202 for a task, and where its state is found', async () => {
    outcome = (request) => ({ ...completed(request), ok: true, result: undefined, taskId: 't1' });
    const { status, headers, body } = await server.post('/v1/call', 'web', BODY);
    expect([status, headers.get('location')]).toEqual([202, '/v1/tasks/t1']);
    expect(body).toEqual({
      taskId: 't1',
      requestId: 'r1',
      instance: 'shop/orders/one',
      attempts: 1,
      traceId: '0af7651916cd43dd8448eb211c80319c',
    });
  });

  it('never shows the secret of a callback that it refuses', async () => {
    const callback = { url: 'https://shop.example/done', secret: 'too-short' };
    const { status, body } = await server.post('/v1/call', 'web', { ...BODY, callback });
    expect([status, body]).toMatchObject([400, { error: { fields: [{ path: 'callback.secret' }] } }]);
    expect(JSON.stringify([body, server.audit])).not.toContain('too-short');
  });

  it('says where a body is no JSON', async () => {
    const { status, body } = await server.post('/v1/call', 'web', '{"target":{"capability":"q"},\n "params":{id:7}}');
    const allowed = 'a JSON object such as {"target":{"capability":"order_query"},"params":{}}';
    expect([status, body]).toMatchObject([
      400,
      {
        error: {
          code: 'INVALID_INPUT',
          message: `The body: got no JSON from line 2, column 12 on, allowed: ${allowed}.`,
          fields: [{ path: '$', got: 'no JSON from line 2, column 12 on', allowed }],
        },
      },
    ]);
  });

  it('refuses a secret that says it is base64 and is not', async () => {
    const callback = { url: 'https://shop.example/done', secret: 'whsec_!!!notbase64!!!' };
    const { status, body } = await server.post('/v1/call', 'web', { ...BODY, callback });
    expect([status, body]).toMatchObject([
      400,
      {
        error: {
          fields: [
            {
              path: 'callback.secret',
              got: 'whsec_ before what is no base64',
              allowed: 'a string of 16 to 256 characters; one that begins with whsec_ goes on in base64',
            },
          ],
        },
      },
    ]);
    expect(JSON.stringify([body, server.audit])).not.toContain('notbase64');
  });
});

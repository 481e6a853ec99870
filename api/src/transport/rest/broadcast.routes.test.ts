import { ReachError } from '@agent-reach/sdk/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BroadcastOutcome, CallerContext, CallRequest } from '../../execute/ports.js';
import { broadcastRoutes } from './broadcast.routes.js';
import { appPrincipal, RestTestServer } from './testing.js';

let server: RestTestServer;
let asked: { readonly request: CallRequest; readonly caller: CallerContext }[];
let answer: (request: CallRequest) => BroadcastOutcome;

const TIMEOUT = new ReachError('RESPONSE_TIMEOUT', 'It did not answer within 50 ms.').toWire();

beforeEach(async () => {
  asked = [];
  answer = ({ requestId }) => ({
    requestId,
    traceId: '0af7651916cd43dd8448eb211c80319c',
    answers: [
      { instance: 'shop/orders/one', ok: true, result: { status: 'paid' }, durationMs: 12 },
      { instance: 'shop/orders/two', ok: false, error: TIMEOUT, durationMs: 50 },
    ],
  });
  server = await RestTestServer.open({ web: appPrincipal('app:shop/web', 'shop') }, (deps) =>
    broadcastRoutes({
      ...deps,
      maxBytes: 1_000,
      broadcasts: {
        broadcast: async (request, caller) => {
          asked.push({ request, caller });
          return answer(request);
        },
      },
    }),
  );
});
afterEach(() => server.close());

const BODY = { requestId: 'b1', target: { agent: 'orders' }, params: { id: 1 }, timeoutMs: 50 };

describe('POST /v1/broadcast', () => {
  it('answers what each instance said', async () => {
    expect(await server.post('/v1/broadcast', 'web', BODY)).toMatchObject({
      status: 200,
      body: {
        ok: true,
        requestId: 'b1',
        traceId: '0af7651916cd43dd8448eb211c80319c',
        answers: [
          { instance: 'shop/orders/one', ok: true, result: { status: 'paid' }, durationMs: 12 },
          { instance: 'shop/orders/two', ok: false, error: { code: 'RESPONSE_TIMEOUT' }, durationMs: 50 },
        ],
      },
    });
    expect(asked).toMatchObject([{ request: BODY, caller: { caller: 'app:shop/web', namespace: 'shop' } }]);
  });

  it('names a broadcast that names itself not', async () => {
    const { requestId: _, ...body } = BODY;
    const { body: answered } = await server.post('/v1/broadcast', 'web', body);
    expect(answered).toMatchObject({ requestId: expect.stringMatching(/^\S{16,}$/) });
  });

  it('answers with the status of the error when nobody was asked', async () => {
    const error = new ReachError('OVERLOADED', 'Everybody is full.', { retryAfterMs: 1_200 }).toWire();
    answer = ({ requestId }) => ({ requestId, traceId: 't', error });
    const refused = await server.post('/v1/broadcast', 'web', BODY);
    expect(refused).toMatchObject({ status: 503, body: { ok: false, requestId: 'b1', error: { code: 'OVERLOADED' } } });
    expect(refused.headers.get('retry-after')).toBe('2');
  });

  it.each([
    ['', 400, 'INVALID_INPUT', '$'],
    ['[1]', 400, 'INVALID_INPUT', '$'],
    [{ ...BODY, target: {} }, 400, 'INVALID_INPUT', 'target'],
    [{ ...BODY, serving: 'd1' }, 400, 'INVALID_INPUT', 'serving'],
    [{ ...BODY, type: 'broadcast' }, 400, 'INVALID_INPUT', 'type'],
    [{ ...BODY, params: 1 }, 400, 'INVALID_PARAMS', 'params'],
    ['{"target":{"agent":"orders"},"params":{"n":1e400}}', 400, 'INVALID_PARAMS', 'params.n'],
    [
      `{"target":{"agent":"orders"},"params":{"n":${'['.repeat(101)}${']'.repeat(101)}}}`,
      400,
      'INVALID_PARAMS',
      'params',
    ],
    [{ ...BODY, params: { text: 'x'.repeat(2_000) } }, 413, 'PAYLOAD_TOO_LARGE', undefined],
  ])('refuses %j', async (body, status, code, path) => {
    const refused = await server.post('/v1/broadcast', 'web', body);
    expect(refused).toMatchObject({ status, body: { error: { code } } });
    const { error } = refused.body as { error: { fields?: { path: string }[] } };
    expect(error.fields?.[0]?.path).toBe(path);
    expect(asked).toEqual([]);
  });

  it('wants a token before it reads the body', async () => {
    expect((await server.post('/v1/broadcast', undefined, 'x'.repeat(5_000))).status).toBe(401);
  });
});

import { type AgentRef, ReachError } from '@agent-reach/sdk/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dispatchRoutes } from './dispatch.routes.js';
import { agentPrincipal, appPrincipal, RestTestServer } from './testing.js';

const TOKENS = {
  orders: agentPrincipal('shop/orders'),
  till: agentPrincipal('shop/till'),
  web: appPrincipal('app:shop/web', 'shop'),
  key: {
    ...appPrincipal('app:shop/key', 'shop'),
    credential: { kind: 'ENROLMENT_KEY', id: 'k1', expiresAt: undefined },
  },
} as const;

let server: RestTestServer;
let taken: unknown[];
let failing: ReachError | undefined;

/** The dispatch `d1` of `shop/orders` is the only one that runs. */
const runs = (dispatchId: string, owns: (agent: AgentRef) => boolean) => dispatchId === 'd1' && owns('shop/orders');

beforeEach(async () => {
  [taken, failing] = [[], undefined];
  server = await RestTestServer.open(TOKENS, (deps) =>
    dispatchRoutes({
      ...deps,
      maxBytes: 1_000,
      reports: {
        progress(frame, owns) {
          if (!runs(frame.dispatchId, owns)) return false;
          taken.push(frame);
          return true;
        },
        async result(frame, owns, bytes) {
          if (failing !== undefined) throw failing;
          if (!runs(frame.dispatchId, owns)) return false;
          taken.push({ ...frame, bytes });
          return true;
        },
      },
    }),
  );
});
afterEach(() => server.close());

describe('POST /v1/dispatches/:dispatchId/result', () => {
  it('takes the completion of a task from its agent', async () => {
    const body = '{"ok":true,"result":{"rows":7}}';
    expect(await server.post('/v1/dispatches/d1/result', 'orders', body)).toMatchObject({ status: 204 });
    expect(taken).toEqual([
      { type: 'result', dispatchId: 'd1', ok: true, result: { rows: 7 }, bytes: Buffer.byteLength(body) },
    ]);
  });

  it('takes a failure', async () => {
    const error = { code: 'BUSINESS_ERROR', message: 'no such order' };
    expect((await server.post('/v1/dispatches/d1/result', 'orders', { ok: false, error })).status).toBe(204);
    expect(taken).toMatchObject([{ ok: false, error }]);
  });

  it('answers the dispatch of another agent like none', async () => {
    const body = { ok: true, result: {} };
    const foreign = await server.post('/v1/dispatches/d1/result', 'till', body);
    const none = await server.post('/v1/dispatches/d2/result', 'till', body);
    expect(foreign).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND' } } });
    expect(JSON.stringify(foreign.body).replace('d1', 'd2')).toBe(JSON.stringify(none.body));
    expect(taken).toEqual([]);
  });

  it('says that it could not be stored, so that it is sent again', async () => {
    failing = new ReachError('STORAGE_UNAVAILABLE', 'The database is away.');
    expect(await server.post('/v1/dispatches/d1/result', 'orders', { ok: true, result: {} })).toMatchObject({
      status: 503,
      body: { error: { code: 'STORAGE_UNAVAILABLE', retryable: true } },
    });
  });

  it.each([
    ['orders', {}, 400, 'INVALID_INPUT', 'ok'],
    ['orders', { ok: false }, 400, 'INVALID_INPUT', 'error'],
    ['orders', { ok: true, result: {}, dispatchId: 'd9' }, 400, 'INVALID_INPUT', 'dispatchId'],
    ['orders', '{"ok":true,"result":{"n":9007199254740993}}', 400, 'INVALID_INPUT', 'result.n'],
    ['web', { ok: true, result: {} }, 403, 'DENIED', undefined],
    // This key created no agent.
    ['key', { ok: true, result: {} }, 404, 'NOT_FOUND', undefined],
    ['wrong', { ok: true, result: {} }, 401, 'UNAUTHENTICATED', undefined],
  ])('refuses from %s %j', async (token, body, status, code, path) => {
    const refused = await server.post('/v1/dispatches/d1/result', token, body);
    expect(refused).toMatchObject({ status, body: { error: { code } } });
    const { error } = refused.body as { error: { fields?: { path: string }[] } };
    expect(error.fields?.[0]?.path).toBe(path);
    expect(taken).toEqual([]);
  });
});

describe('POST /v1/dispatches/:dispatchId/progress', () => {
  it('takes how far a task is', async () => {
    const body = { sequence: 3, progress: { done: 30 } };
    expect((await server.post('/v1/dispatches/d1/progress', 'orders', body)).status).toBe(204);
    expect(taken).toEqual([{ type: 'progress', dispatchId: 'd1', ...body }]);
  });

  it('refuses what is none, and that of another agent', async () => {
    expect((await server.post('/v1/dispatches/d1/progress', 'orders', { sequence: -1 })).status).toBe(400);
    expect((await server.post('/v1/dispatches/d1/progress', 'till', { sequence: 1, progress: {} })).status).toBe(404);
    expect(taken).toEqual([]);
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeTaskDesk, taskView } from '../task-desk.fake.js';
import { taskRoutes } from './task.routes.js';
import { agentPrincipal, appPrincipal, RestTestServer } from './testing.js';

const TOKENS = {
  web: appPrincipal('app:shop/web', 'shop'),
  other: appPrincipal('app:shop/other', 'shop'),
  till: agentPrincipal('shop/till'),
};

let tasks: FakeTaskDesk;
let server: RestTestServer;

beforeEach(async () => {
  tasks = new FakeTaskDesk();
  server = await RestTestServer.open(TOKENS, (deps) => taskRoutes({ ...deps, tasks }));
  tasks.put(taskView({ taskId: 't1' }));
  tasks.put(
    taskView({
      taskId: 't2',
      state: 'COMPLETED',
      result: { rows: 7 },
      createdAt: '2026-01-31T12:01:00.000Z',
    }),
  );
  tasks.put(taskView({ taskId: 't3', caller: 'agent:shop/till' }));
});
afterEach(() => server.close());

describe('GET /v1/tasks/:id', () => {
  it('answers a task to its caller, whole', async () => {
    expect(await server.get('/v1/tasks/t2', 'web')).toMatchObject({
      status: 200,
      body: {
        taskId: 't2',
        requestId: 'r-t2',
        caller: 'app:shop/web',
        namespace: 'shop',
        agent: 'shop/orders',
        capability: 'order_export',
        instance: 'shop/orders/one',
        state: 'COMPLETED',
        epoch: 1,
        result: { rows: 7 },
        createdAt: '2026-01-31T12:01:00.000Z',
        deadlineAt: '2026-01-31T12:15:00.000Z',
      },
    });
    expect((await server.get('/v1/tasks/t3', 'till')).status).toBe(200);
  });

  it('answers the task of another like none', async () => {
    const hidden = await server.get('/v1/tasks/t3', 'web');
    const none = await server.get('/v1/tasks/none', 'web');
    expect(hidden).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND' } } });
    expect(JSON.stringify(hidden.body).replace('t3', 'none')).toBe(JSON.stringify(none.body));
  });

  it('wants a token', async () => {
    expect((await server.get('/v1/tasks/t1')).status).toBe(401);
    expect((await server.get('/v1/tasks', 'wrong')).status).toBe(401);
    expect(server.refused).toEqual(['UNAUTHENTICATED', 'UNAUTHENTICATED']);
  });
});

describe('GET /v1/tasks', () => {
  const ids = async (query: string, token = 'web') => {
    const { body } = await server.get(`/v1/tasks?${query}`, token);
    return (body as { tasks: { taskId: string }[] }).tasks.map(({ taskId }) => taskId);
  };

  it.each([
    ['', ['t2', 't1']],
    ['state=ACCEPTED,RUNNING', ['t1']],
    ['agent=shop/orders&capability=order_export', ['t2', 't1']],
    ['requestId=r-t1', ['t1']],
    ['agent=shop/till', []],
    ['first=1', ['t2']],
    ['last=1', ['t1']],
  ])("finds the caller's own by ?%s, newest first", async (query, found) => {
    expect(await ids(query)).toEqual(found);
  });

  it('never shows those of others', async () => {
    expect(await ids('', 'other')).toEqual([]);
    expect(await ids('', 'till')).toEqual(['t3']);
  });

  it('is walked by cursor', async () => {
    const { body } = await server.get('/v1/tasks?first=1', 'web');
    const { pageInfo } = body as { pageInfo: { endCursor: string; hasNextPage: boolean } };
    expect(pageInfo.hasNextPage).toBe(true);
    expect(await ids(`after=${pageInfo.endCursor}`)).toEqual(['t1']);
  });

  it.each([
    ['state=DONE', 'state', '"DONE"'],
    ['first=many', 'first', '"many"'],
    ['first=201', 'first', '"201"'],
    ['first=0', 'first', '"0"'],
    ['agent=a&agent=b', 'agent', 'a list of 2'],
    ['page=2', 'page', 'an unknown field'],
    ['after=x', 'after', '"x"'],
  ])('refuses ?%s with the field, and records it', async (query, path, got) => {
    expect(await server.get(`/v1/tasks?${query}`, 'web')).toMatchObject({
      status: 400,
      body: { error: { code: 'INVALID_INPUT', fields: [{ path, got }] } },
    });
    expect(server.audit).toMatchObject([{ action: 'refusal.INVALID_INPUT', actor: 'app:shop/web' }]);
  });
});

describe('an address that is wrong in several ways', () => {
  it('is told all of them, the first in the message', async () => {
    const { status, body } = await server.get('/v1/tasks?state=BOGUS&first=500&page=2', 'web');
    expect([status, body]).toMatchObject([
      400,
      {
        error: {
          message: 'first: got "500", allowed: 1 to 200.',
          fields: [{ path: 'first' }, { path: 'page' }, { path: 'state', got: '"BOGUS"' }],
        },
      },
    ]);
  });
});

describe('POST /v1/tasks/:id/cancel', () => {
  it('ends the task, and again answers what it became', async () => {
    expect(await server.post('/v1/tasks/t1/cancel', 'web')).toMatchObject({
      status: 200,
      body: { taskId: 't1', state: 'CANCELLED', error: { code: 'CANCELLED' } },
    });
    expect(tasks.cancelled).toEqual([{ taskId: 't1', actor: 'app:shop/web' }]);
    expect((await server.post('/v1/tasks/t1/cancel', 'web')).body).toMatchObject({ state: 'CANCELLED' });
    expect((await server.post('/v1/tasks/t2/cancel', 'web')).body).toMatchObject({ state: 'COMPLETED' });
  });

  it("leaves others' tasks alone", async () => {
    expect((await server.post('/v1/tasks/t3/cancel', 'web')).status).toBe(404);
    expect(tasks.cancelled).toEqual([]);
    expect((await server.get('/v1/tasks/t3', 'till')).body).toMatchObject({ state: 'ACCEPTED' });
  });
});

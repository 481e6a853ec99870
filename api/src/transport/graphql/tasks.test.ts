import { ReachError } from '@agent-reach/sdk/protocol';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { taskView } from '../task-desk.fake.js';
import { ADMIN_TOKEN, GraphqlTestServer } from './testing.js';
import { TestSocket } from './testing-socket.js';

let server: GraphqlTestServer;
let viewer: string;
/** An ADMIN of `bank`, who may see nothing else. */
let banker: string;

beforeAll(async () => {
  server = await GraphqlTestServer.open();
  await server.namespace('shop');
  await server.namespace('bank');
  viewer = (await server.appToken('shop', 'VIEWER')).secret;
  banker = (await server.appToken('bank', 'ADMIN')).secret;
});
afterAll(() => server.close());

beforeEach(() => {
  server.tasks.put(taskView({ taskId: 't1', state: 'RUNNING', progress: { done: 3 } }));
  server.tasks.put(
    taskView({
      taskId: 't2',
      state: 'COMPLETED',
      result: { rows: 7 },
      caller: 'user:ann',
      createdAt: '2026-01-31T12:01:00.000Z',
    }),
  );
  server.tasks.put(
    taskView({ taskId: 't3', namespace: 'bank', agent: 'bank/ledger', createdAt: '2026-01-31T12:02:00.000Z' }),
  );
  server.tasks.cancelled.length = 0;
});

const FIELDS =
  'taskId requestId caller agent capability instance state epoch progress result error { code } deadlineAt';

describe('tasks', () => {
  const ids = async (query: string, token?: string): Promise<string[]> =>
    (await server.ask<{ nodes: { taskId: string }[] }>(query, {}, token)).nodes.map(({ taskId }) => taskId);

  it('are listed newest first, each with all that is known of it', async () => {
    expect(await server.ask(`{ tasks(namespace: "shop") { nodes { ${FIELDS} } } }`)).toEqual({
      nodes: [
        {
          taskId: 't2',
          requestId: 'r-t2',
          caller: 'user:ann',
          agent: 'shop/orders',
          capability: 'order_export',
          instance: 'shop/orders/one',
          state: 'COMPLETED',
          epoch: 1,
          progress: null,
          result: { rows: 7 },
          error: null,
          deadlineAt: '2026-01-31T12:15:00.000Z',
        },
        expect.objectContaining({ taskId: 't1', state: 'RUNNING', progress: { done: 3 } }),
      ],
    });
  });

  it.each([
    ['', ['t3', 't2', 't1']],
    ['filter: { states: [RUNNING, ACCEPTED] }', ['t3', 't1']],
    ['filter: { caller: "user:ann" }', ['t2']],
    ['filter: { agent: "bank/ledger" }', ['t3']],
    ['filter: { capability: "other" }', []],
    ['filter: { requestId: "r-t1" }', ['t1']],
    ['namespace: "bank"', ['t3']],
    ['first: 1', ['t3']],
    ['last: 1', ['t1']],
  ])('are found by %s', async (args, found) => {
    expect(await ids(`{ tasks${args === '' ? '' : `(${args})`} { nodes { taskId } } }`)).toEqual(found);
  });

  it('are walked by cursor', async () => {
    const page = await server.ask<{ pageInfo: { endCursor: string } }>(
      '{ tasks(first: 2) { pageInfo { endCursor } } }',
    );
    expect(await ids(`{ tasks(first: 2, after: "${page.pageInfo.endCursor}") { nodes { taskId } } }`)).toEqual(['t1']);
  });

  it('of other namespaces answer like none', async () => {
    expect(await ids('{ tasks { nodes { taskId } } }', banker)).toEqual(['t3']);
    expect(await server.ask('{ task(id: "t1") { taskId } }', {}, banker)).toBeNull();
    expect(await server.ask('{ task(id: "none") { taskId } }')).toBeNull();
    const hidden = await server.fail('mutation { cancelTask(id: "t1") { taskId } }', {}, banker);
    const none = await server.fail('mutation { cancelTask(id: "none") { taskId } }', {}, banker);
    expect([hidden.extensions.code, hidden.message.replace('t1', 'none')]).toEqual(['NOT_FOUND', none.message]);
    expect((await server.fail('{ tasks(namespace: "shop") { nodes { taskId } } }', {}, banker)).extensions.code).toBe(
      'NOT_FOUND',
    );
    expect(server.tasks.cancelled).toEqual([]);
  });

  it('show a VIEWER neither progress nor result', async () => {
    expect(await server.ask('{ task(id: "t1") { state progress } }', {}, viewer)).toEqual({
      state: 'RUNNING',
      progress: null,
    });
    expect(await server.ask('{ task(id: "t2") { state result } }', {}, viewer)).toEqual({
      state: 'COMPLETED',
      result: null,
    });
  });

  it('are cancelled by an OPERATOR, who is named', async () => {
    const { secret } = await server.appToken('shop', 'OPERATOR', 'op');
    expect(await server.ask('mutation { cancelTask(id: "t1") { state error { code message } } }', {}, secret)).toEqual({
      state: 'CANCELLED',
      error: { code: 'CANCELLED', message: 'Cancelled by app:shop/op.' },
    });
    expect(server.tasks.cancelled).toEqual([{ taskId: 't1', actor: 'app:shop/op' }]);
  });

  it('are not cancelled by a VIEWER', async () => {
    const error = await server.fail('mutation { cancelTask(id: "t1") { state } }', {}, viewer);
    expect(error.message).toBe(
      'tasks.cancel needs the role OPERATOR in namespace shop; app:shop/viewer has the role VIEWER there.',
    );
    expect(server.tasks.cancelled).toEqual([]);
  });
});

describe('taskUpdates', () => {
  const UPDATES = `subscription ($f: TaskStreamFilter, $a: String) { taskUpdates(filter: $f, after: $a) {
    kind position reason tasks { taskId state progress } } }`;

  it('begin with a snapshot, then tell each change', async () => {
    const socket = await TestSocket.connect(server.wsUrl, ADMIN_TOKEN);
    socket.subscribe('1', UPDATES, { f: { agent: 'shop/orders', taskId: 't1' } });
    expect(await socket.value('1')).toEqual({
      kind: 'SNAPSHOT',
      position: 'e1.0',
      reason: null,
      tasks: [{ taskId: 't1', state: 'RUNNING', progress: { done: 3 } }],
    });
    server.tasks.put(taskView({ taskId: 't9' }));
    server.tasks.put(taskView({ taskId: 't1', state: 'RUNNING', progress: { done: 4 } }));
    expect(await socket.value('1')).toEqual({
      kind: 'CHANGE',
      position: 'e1.1',
      reason: null,
      tasks: [{ taskId: 't1', state: 'RUNNING', progress: { done: 4 } }],
    });
    socket.ws.terminate();
  });

  it('say that a position is not known any more', async () => {
    const socket = await TestSocket.connect(server.wsUrl, ADMIN_TOKEN);
    socket.subscribe('1', UPDATES, { a: 'e0.7' });
    expect(await socket.value('1')).toMatchObject({
      kind: 'RESYNC',
      reason: 'the server was restarted since, or too much has changed',
    });
    socket.ws.terminate();
  });

  it('show a VIEWER no progress, and nobody another namespace', async () => {
    const socket = await TestSocket.connect(server.wsUrl, viewer);
    socket.subscribe('1', UPDATES, { f: { taskId: 't1' } });
    expect(await socket.value('1')).toMatchObject({ tasks: [{ taskId: 't1', progress: null }] });
    socket.subscribe('2', UPDATES, { f: { namespace: 'bank' } });
    const refused = await socket.next();
    expect(refused).toMatchObject({ payload: { errors: [{ extensions: { code: 'NOT_FOUND' } }] } });
    socket.ws.terminate();
  });
});

describe('dispatch', () => {
  const DISPATCH = `mutation ($i: DispatchInput!) { dispatch(input: $i) { __typename
    ... on CallAccepted { taskId instance attempts replayed } ... on CallCompleted { cached fallback } } }`;
  const target = { namespace: 'shop', capability: 'order_export' };

  it('of a task answers that it was accepted', async () => {
    const usual = server.outcome;
    server.outcome = (request) => ({ ...(usual(request) as ReturnType<typeof usual> & object), taskId: 't7' }) as never;
    const callback = { url: 'https://shop.example/done', secret: '0123456789abcdef' };
    expect(
      await server.ask(DISPATCH, { i: { target, params: {}, callback, taskTimeoutMs: 60_000, priority: 9 } }),
    ).toEqual({
      __typename: 'CallAccepted',
      taskId: 't7',
      instance: 'shop/orders/one',
      attempts: 1,
      replayed: false,
    });
    expect(server.called.at(-1)?.request).toMatchObject({ callback, taskTimeoutMs: 60_000, priority: 9 });
    server.outcome = usual;
  });

  it('says when the answer is a remembered one, or one of the fallback', async () => {
    const usual = server.outcome;
    server.outcome = (request) => ({ ...(usual(request) as object), cached: true, fallback: 'STALE' }) as never;
    expect(await server.ask(DISPATCH, { i: { target, params: {} } })).toEqual({
      __typename: 'CallCompleted',
      cached: true,
      fallback: 'STALE',
    });
    server.outcome = usual;
  });

  it.each([
    [{ taskTimeoutMs: 999 }, 'input.taskTimeoutMs'],
    [{ priority: 10 }, 'input.priority'],
    [{ callback: { url: 'ftp://x', secret: '0123456789abcdef' } }, 'input.callback.url'],
    [{ callback: { url: 'https://x', secret: 'too-short' } }, 'input.callback.secret'],
    [{ callback: { url: 'https://x', secret: 'whsec_!!!notbase64!!!' } }, 'input.callback.secret'],
  ])('refuses %j', async (more, path) => {
    const error = await server.fail(DISPATCH, { i: { target, params: {}, ...more } });
    expect(error.extensions.fields).toMatchObject([{ path }]);
    expect(JSON.stringify(error)).not.toContain('too-short');
  });
});

describe('broadcast', () => {
  const BROADCAST = `mutation ($i: BroadcastInput!) { broadcast(input: $i) {
    requestId error { code } answers { instance result durationMs error { code retryable } } } }`;
  const input = { requestId: 'b1', target: { namespace: 'shop', agent: 'orders' }, params: {} };

  it('answers what each instance said', async () => {
    expect(await server.ask(BROADCAST, { i: input })).toEqual({
      requestId: 'b1',
      error: null,
      answers: [
        { instance: 'shop/orders/one', result: { status: 'paid' }, durationMs: 12, error: null },
        {
          instance: 'shop/orders/two',
          result: null,
          durationMs: 50,
          error: { code: 'RESPONSE_TIMEOUT', retryable: true },
        },
      ],
    });
  });

  it('tells why nobody was asked', async () => {
    const usual = server.gather;
    const error = new ReachError('NO_ROUTE', 'Nobody is there.').toWire();
    server.gather = ({ requestId }) => ({ requestId, traceId: 't', error });
    expect(await server.ask(BROADCAST, { i: input })).toEqual({
      requestId: 'b1',
      error: { code: 'NO_ROUTE' },
      answers: [],
    });
    server.gather = usual;
  });

  it('needs OPERATOR, and ADMIN to send as somebody else', async () => {
    expect((await server.fail(BROADCAST, { i: input }, viewer)).extensions.code).toBe('DENIED');
    const { secret } = await server.appToken('shop', 'OPERATOR', 'op2');
    const asOther = { ...input, onBehalfOf: 'agent:shop/till' };
    expect((await server.fail(BROADCAST, { i: asOther }, secret)).extensions.code).toBe('DENIED');
    await server.ask(BROADCAST, { i: asOther });
    expect(server.called.at(-1)?.caller).toMatchObject({ caller: 'agent:shop/till' });
  });
});

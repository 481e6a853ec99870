import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CANCELLED, COMPLETED, end, move, NOTHING, NOW, newTask, open, TaskServers, UNKNOWN } from './tasks.testing.js';

const CALLBACK = { url: 'https://hooks.example.com/done', secret: 'a secret of 24 characters' };

let servers: TaskServers;
beforeEach(async () => {
  servers = await TaskServers.create();
});
afterEach(() => servers.close());

describe('tasks in Postgres', () => {
  it('are durable when they are opened, and come back whole after a restart', async () => {
    const first = await servers.start();
    const task = newTask('t1', { requestId: 'with "quotes" and \0', callback: CALLBACK });
    expect(await open(first, task)).toEqual({ kind: 'OPENED' });
    first.store.progress('t1', 1, { done: 3 });
    await first.close(1_000);

    const second = await servers.start();
    const { callback: _, ...rest } = task;
    expect(await second.store.openTasks()).toEqual([{ ...rest, state: 'RUNNING', progress: { done: 3 } }]);
    expect(await second.reads.find('t1')).toMatchObject({
      requestId: 'with "quotes" and \0',
      state: 'RUNNING',
      createdAt: '2026-01-01T00:00:00.000Z',
      deadlineAt: '2026-01-01T00:15:00.000Z',
    });
  });

  it('hold nothing readable of requests, progress, results and secrets', async () => {
    const server = await servers.start();
    await open(server, newTask('t1', { callback: CALLBACK }));
    server.store.progress('t1', 1, { note: 'courgette' });
    await open(server, newTask('t2'));
    await end(server, 't2', { state: 'COMPLETED', result: 'pumpkin' });
    await waitFor(() => server.store.status().waiting === 0);
    const { prisma } = servers.database;
    const rows = [...(await prisma.task.findMany()), ...(await prisma.webhook.findMany())];
    const stored = rows
      .flatMap((row) => Object.values(row))
      .map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value)));
    expect(rows).toHaveLength(3);
    for (const word of ['aubergine', 'courgette', 'pumpkin', CALLBACK.secret]) {
      expect(stored.filter((text) => text.includes(word))).toEqual([]);
    }
    expect(await server.reads.find('t2')).toMatchObject({ state: 'COMPLETED', result: 'pumpkin' });
    // What it takes to dispatch it is gone with its end.
    expect((await servers.database.prisma.task.findUnique({ where: { id: 't2' } }))?.request).toBeNull();
  });

  it('know a requestId that was used before, and whether it was for the same', async () => {
    const server = await servers.start();
    const first = newTask('t1');
    const again = (overrides = {}) =>
      open(server, newTask('t2', { requestId: first.requestId, dispatchId: 'd-other', ...overrides }));
    await open(server, first);
    expect(await again()).toEqual({ kind: 'KNOWN', taskId: 't1', sameRequest: true });
    expect(await again({ paramsHash: 'h2' })).toEqual({ kind: 'KNOWN', taskId: 't1', sameRequest: false });
    expect(await again({ capability: 'print' })).toEqual({ kind: 'KNOWN', taskId: 't1', sameRequest: false });
    // Another agent was chosen now, which the caller had left open; or had not.
    expect(await again({ agent: 'shop/other' })).toEqual({ kind: 'KNOWN', taskId: 't1', sameRequest: true });
    const request = { ...first.request, target: { capability: 'report', agent: 'other' } };
    expect(await again({ agent: 'shop/other', request })).toEqual({
      kind: 'KNOWN',
      taskId: 't1',
      sameRequest: false,
    });
    await end(server, 't1', COMPLETED);
    expect(await again()).toEqual({ kind: 'KNOWN', taskId: 't1', sameRequest: true });
  });

  it('open once, whether two ask in one batch or nobody took the first', async () => {
    const server = await servers.start();
    const one = newTask('t1', { requestId: 'same' });
    const two = newTask('t2', { requestId: 'same' });
    expect(await Promise.all([open(server, one), open(server, two)])).toEqual([
      { kind: 'OPENED' },
      { kind: 'KNOWN', taskId: 't1', sameRequest: true },
    ]);
    server.store.drop('t1');
    expect(await open(server, two)).toEqual({ kind: 'OPENED' });
    expect(await server.reads.find('t1')).toBeUndefined();
    // Dropped before it was written: never there, and never answered.
    let answered = false;
    server.store.open(newTask('t3'), () => {
      answered = true;
    });
    server.store.drop('t3');
    await open(server, newTask('t4'));
    expect(await server.reads.find('t3')).toBeUndefined();
    expect(answered).toBe(false);
  });

  it('end once, and together with their webhook', async () => {
    const server = await servers.start();
    await open(server, newTask('t1', { callback: CALLBACK }));
    expect(await server.outbox.due(NOW, NOTHING)).toEqual([]);
    await open(server, newTask('t2'));
    await end(server, 't2', COMPLETED);
    expect(servers.due).toBe(0);
    servers.now = NOW + 5_000;
    expect(await end(server, 't1', COMPLETED)).toBe(true);
    await waitFor(() => servers.due === 1);
    expect(await end(server, 't1', CANCELLED)).toBe(false);
    expect(await server.reads.find('t1')).toMatchObject({ state: 'COMPLETED', result: { pages: 7 }, error: undefined });
    expect(await server.outbox.due(NOW + 4_999, NOTHING)).toEqual([]);
    expect(await server.outbox.due(NOW + 5_000, NOTHING)).toMatchObject([
      { url: CALLBACK.url, secret: CALLBACK.secret, attempts: 0, dueAt: NOW + 5_000, task: { state: 'COMPLETED' } },
    ]);
  });

  it('replace an unknown outcome by the real one, whose webhook is due anew; never the other way', async () => {
    const server = await servers.start();
    await open(server, newTask('t1', { callback: CALLBACK }));
    await end(server, 't1', UNKNOWN);
    const [first] = await server.outbox.due(NOW, NOTHING);
    servers.now = NOW + 1_000;
    expect(await end(server, 't1', COMPLETED)).toBe(true);
    expect(await end(server, 't1', UNKNOWN)).toBe(false);
    // What became of the message before says nothing about this one.
    if (first !== undefined) await server.outbox.delivered(first, NOW + 1_000);
    expect(await server.outbox.due(NOW + 1_000, NOTHING)).toMatchObject([
      { attempts: 0, task: { state: 'COMPLETED' } },
    ]);
  });

  it('belong to one dispatch: what an earlier epoch says changes nothing', async () => {
    const server = await servers.start();
    const task = newTask('t1');
    await open(server, task);
    server.store.progress('t1', 1, { done: 1 });
    expect(await move(server, task, 2, 'd2')).toBe(true);
    server.store.progress('t1', 1, { done: 2 });
    expect(await end(server, 't1', COMPLETED, 1)).toBe(false);
    expect(await move(server, task, 1, 'd-old')).toBe(false);
    expect(await server.reads.find('t1')).toMatchObject({
      state: 'ACCEPTED',
      epoch: 2,
      instance: 'shop/reports/two',
      progress: undefined,
    });
    expect((await server.reads.ofDispatch('d2'))?.taskId).toBe('t1');
    expect(await server.reads.ofDispatch('d-t1')).toBeUndefined();
    expect(await end(server, 't1', COMPLETED, 2)).toBe(true);
    expect(await move(server, task, 3, 'd3')).toBe(false);
  });

  it('are not written by a server that another one took over from', async () => {
    const old = await servers.start();
    const task = newTask('t1');
    await open(old, task);
    const young = await servers.start();
    let ended = false;
    old.store.end('t1', 1, COMPLETED, () => {
      ended = true;
    });
    expect(await open(old, newTask('t2'))).toEqual({ kind: 'FENCED' });
    expect(await open(old, newTask('t3'))).toEqual({ kind: 'FENCED' });
    expect(ended).toBe(false);
    expect(servers.fenced).toBe(1);
    expect(old.store.status()).toEqual({ waiting: 0, failure: undefined, fenced: true });
    expect(await young.reads.find('t2')).toBeUndefined();
    expect((await young.store.openTasks()).map(({ taskId }) => taskId)).toEqual(['t1']);
  });

  it('wait while the database is away, and are written when it is back; those that were dropped never', async () => {
    const server = await servers.start();
    await open(server, newTask('t1', { callback: CALLBACK }));
    await servers.goAway();
    const ended = end(server, 't1', COMPLETED);
    const opened = open(server, newTask('t2'));
    await waitFor(() => server.store.status().failure !== undefined);
    let answered = false;
    server.store.open(newTask('t3'), () => {
      answered = true;
    });
    server.store.drop('t3');
    await expect(server.reads.find('t1')).rejects.toThrow();
    await servers.comeBack();
    expect(await ended).toBe(true);
    expect(await opened).toEqual({ kind: 'OPENED' });
    expect(server.store.status()).toMatchObject({ failure: undefined });
    expect(await server.outbox.due(NOW, NOTHING)).toHaveLength(1);
    expect(await server.reads.find('t3')).toBeUndefined();
    expect(answered).toBe(false);
    expect(servers.logged).toEqual(['warn: tasks wait for the database', 'info: tasks are written again']);
  });

  it('are answered the same when an answer was lost and the write is repeated', async () => {
    const server = await servers.start();
    const task = newTask('t1');
    await open(server, task);
    // The same operations again, as after a connection that broke between commit and answer.
    expect(await open(server, task)).toEqual({ kind: 'OPENED' });
    expect(await move(server, task, 2, 'd2')).toBe(true);
    expect(await move(server, task, 2, 'd2')).toBe(true);
  });

  it('write hundreds at once in few batches, each answered', async () => {
    const server = await servers.start();
    const ids = Array.from({ length: 500 }, (_, index) => `t${index}`);
    const opened = await Promise.all(ids.map((id) => open(server, newTask(id))));
    expect(new Set(opened.map(({ kind }) => kind))).toEqual(new Set(['OPENED']));
    for (const id of ids) server.store.progress(id, 1, { done: 1 });
    expect(new Set(await Promise.all(ids.map((id) => end(server, id, COMPLETED))))).toEqual(new Set([true]));
    expect(await servers.database.prisma.task.count({ where: { state: 'COMPLETED', endedAt: { not: null } } })).toBe(
      500,
    );
  });

  it('do not keep others from being written when the database refuses one', async () => {
    const server = await servers.start();
    const bad = newTask('t1', { paramsHash: 'a\0b' });
    // Whoever waits for them hears that they are not written.
    const [opened, next] = await Promise.all([open(server, bad), open(server, newTask('t2'))]);
    expect([opened, next]).toEqual([{ kind: 'FENCED' }, { kind: 'OPENED' }]);
    expect(await move(server, newTask('t2'), 2, 'd\0')).toBe(false);
    expect(await end(server, 't\0', COMPLETED)).toBe(false);
    expect(await end(server, 't2', COMPLETED)).toBe(true);
    expect(servers.logged).toEqual(new Array(3).fill('error: the database refused a task'));
    expect(servers.fenced).toBe(0);
  });

  it('end as UNKNOWN when the server has another key', async () => {
    const first = await servers.start();
    await open(first, newTask('t1'));
    const second = await servers.start(Buffer.alloc(32, 1));
    expect(await second.store.openTasks()).toEqual([]);
    await second.close(1_000);
    const row = await servers.database.prisma.task.findUnique({ where: { id: 't1' } });
    expect(row?.state).toBe('UNKNOWN');
  });

  it('keep how far they came when they end in the same moment', async () => {
    const server = await servers.start();
    await open(server, newTask('t1'));
    server.store.progress('t1', 1, { done: 6 });
    await end(server, 't1', { state: 'COMPLETED', result: 7 });
    expect(await server.reads.find('t1')).toMatchObject({ state: 'COMPLETED', progress: { done: 6 }, result: 7 });
  });

  it('are written when the server stops, progress included', async () => {
    const server = await servers.start();
    await open(server, newTask('t1'));
    server.store.progress('t1', 1, { done: 9 });
    void end(server, 't2', COMPLETED);
    await server.close(2_000);
    expect(await server.reads.find('t1')).toMatchObject({ progress: { done: 9 } });
  });
});

async function waitFor(condition: () => boolean): Promise<void> {
  for (let tries = 0; tries < 500 && !condition(); tries++) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(condition()).toBe(true);
}

import { afterEach, beforeEach, expect, it } from 'vitest';
import type { TaskStorage } from './tasks.js';
import { COMPLETED, end, NOW, newTask, open, TaskServers } from './tasks.testing.js';

let servers: TaskServers;
let server: TaskStorage;
beforeEach(async () => {
  servers = await TaskServers.create();
  server = await servers.start();
});
afterEach(() => servers.close());

async function hooked(taskId: string, url: string, endedAt: number): Promise<void> {
  await open(server, newTask(taskId, { callback: { url, secret: 'a secret of 24 characters' } }));
  servers.now = endedAt;
  await end(server, taskId, COMPLETED);
}

async function due(now: number, busyHosts: string[] = [], limit = 4): Promise<string> {
  return (await server.outbox.due(now, busyHosts, limit))
    .map(({ task, url }) => `${task.taskId} ${url}`)
    .sort()
    .join(', ');
}

it('gives one message for each host, the longest waiting, none for hosts that are busy', async () => {
  await hooked('t1', 'http://A.example.com:80/x', NOW + 1);
  await hooked('t2', 'http://a.example.com/y', NOW + 2);
  await hooked('t3', 'https://b.example.com:8443/z?q', NOW + 3);
  expect(await due(NOW + 10)).toBe('t1 http://a.example.com/x, t3 https://b.example.com:8443/z?q');
  expect(await due(NOW + 10, [], 1)).toBe('t1 http://a.example.com/x');
  expect(await due(NOW + 10, ['a.example.com'])).toBe('t3 https://b.example.com:8443/z?q');
  expect(await due(NOW + 10, ['a.example.com', 'b.example.com:8443'])).toBe('');
  expect(await due(NOW)).toBe('');
  expect(await server.outbox.nextAt(NOW)).toBe(NOW + 1);
});

it('remembers what became of each try', async () => {
  await hooked('t1', 'http://a.example.com/', NOW);
  const [first] = await server.outbox.due(NOW, [], 1);
  if (first === undefined) throw new Error('nothing is due');
  await server.outbox.failed(first, 'answered 500', NOW + 5_000);
  expect(await due(NOW + 4_999)).toBe('');
  expect(await server.outbox.nextAt(NOW)).toBe(NOW + 5_000);
  const [second] = await server.outbox.due(NOW + 5_000, [], 1);
  expect(second?.attempts).toBe(1);
  if (second === undefined) throw new Error('nothing is due');
  await server.outbox.failed(second, 'answered 500 \0 again', undefined);
  expect(await server.outbox.nextAt(NOW)).toBeUndefined();
  expect(await servers.database.prisma.webhook.findFirst()).toMatchObject({
    attempts: 2,
    nextAt: null,
    deliveredAt: null,
    lastError: 'answered 500  again',
  });
});

it('gives up what another key sealed, and goes on with the rest', async () => {
  await hooked('t1', 'http://a.example.com/', NOW);
  server = await servers.start(Buffer.alloc(32, 1));
  await hooked('t2', 'http://b.example.com/', NOW + 1);
  expect(await due(NOW + 10)).toBe('t2 http://b.example.com/');
  expect((await servers.database.prisma.webhook.findUnique({ where: { taskId: 't1' } }))?.nextAt).toBeNull();
});

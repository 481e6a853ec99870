import { afterEach, beforeEach, expect, it } from 'vitest';
import type { WebhooksUnderWay } from '../../execute/tasks/webhooks.port.js';
import type { TaskStorage } from './tasks.js';
import { COMPLETED, end, NOTHING, NOW, newTask, open, TaskServers } from './tasks.testing.js';

let servers: TaskServers;
let server: TaskStorage;
beforeEach(async () => {
  servers = await TaskServers.create();
  server = await servers.start();
});
afterEach(() => servers.close());

async function hooked(taskId: string, url: string, endedAt: number, namespace = 'shop'): Promise<void> {
  await open(server, newTask(taskId, { namespace, callback: { url, secret: 'a secret of 24 characters' } }));
  servers.now = endedAt;
  await end(server, taskId, COMPLETED);
}

async function due(now: number, underWay: Partial<WebhooksUnderWay> = {}): Promise<string> {
  return (await server.outbox.due(now, { ...NOTHING, ...underWay }))
    .map(({ task, url }) => `${task.taskId} ${url}`)
    .join(', ');
}

it('gives what is due, the longest waiting first, but not what is under way or has no place', async () => {
  await hooked('t1', 'http://A.example.com:80/x', NOW + 2);
  await hooked('t2', 'http://a.example.com/y', NOW + 1);
  await hooked('t3', 'https://b.example.com:8443/z?q', NOW + 3, 'bank');
  const [x, y, z] = ['t1 http://a.example.com/x', 't2 http://a.example.com/y', 't3 https://b.example.com:8443/z?q'];
  expect(await due(NOW + 10)).toBe(`${y}, ${x}, ${z}`);
  expect(await due(NOW + 10, { taskIds: ['t2'] })).toBe(`${x}, ${z}`);
  expect(await due(NOW + 10, { fullHosts: ['a.example.com'] })).toBe(z);
  expect(await due(NOW + 10, { fullNamespaces: ['bank'] })).toBe(`${y}, ${x}`);
  expect(await due(NOW + 10, { fullHosts: ['a.example.com', 'b.example.com:8443'] })).toBe('');
  expect(await due(NOW)).toBe('');
  expect(await server.outbox.nextAt(NOW)).toBe(NOW + 1);
});

it('gives no host more than four, and no namespace more than eight', async () => {
  for (let number = 0; number < 6; number++) {
    await hooked(`a${number}`, 'http://a.example.com/', NOW + number);
    await hooked(`b${number}`, `http://b${number}.example.com/`, NOW + 10 + number);
  }
  await hooked('c0', 'http://a.example.com/', NOW + 20, 'bank');
  await hooked('d0', 'http://d.example.com/', NOW + 30, 'bank');
  const given = (await due(NOW + 100)).split(', ').map((text) => text.slice(0, 2));
  expect(given).toEqual(['a0', 'a1', 'a2', 'a3', 'b0', 'b1', 'b2', 'b3', 'd0']);
});

it('remembers what became of each try', async () => {
  await hooked('t1', 'http://a.example.com/', NOW);
  const [first] = await server.outbox.due(NOW, NOTHING);
  if (first === undefined) throw new Error('nothing is due');
  await server.outbox.failed(first, 'answered 500', NOW + 5_000);
  expect(await due(NOW + 4_999)).toBe('');
  expect(await server.outbox.nextAt(NOW)).toBe(NOW + 5_000);
  const [second] = await server.outbox.due(NOW + 5_000, NOTHING);
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

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TaskListFilter, type TaskPageRequest, type TaskReader, taskKey } from '../../execute/tasks/task-desk.js';
import { deleteEndedTasks } from './task.retention.js';
import type { TaskStorage } from './tasks.js';
import { COMPLETED, end, NOW, newTask, open, TaskServers } from './tasks.testing.js';

const WEB: TaskReader = { kind: 'CALLER', caller: 'agent:shop/web' };
const ALL: TaskReader = { kind: 'PEOPLE', scope: { all: true }, contents: { all: true } };
const FIRST: TaskPageRequest = { limit: 10, direction: 'FORWARD', after: undefined, before: undefined };

let servers: TaskServers;
let server: TaskStorage;

beforeAll(async () => {
  servers = await TaskServers.create();
  server = await servers.start();
  // t1 to t6, two of each moment; the last two of another namespace and caller.
  for (let number = 1; number <= 6; number++) {
    const other = number > 4;
    const task = newTask(`t${number}`, {
      createdAt: NOW + Math.floor((number - 1) / 2) * 1_000,
      ...(other ? { namespace: 'bank', agent: 'bank/ledger', capability: 'print' } : {}),
    });
    await open(server, other ? { ...task, caller: { ...task.caller, caller: 'app:bank/nightly' } } : task);
  }
  await end(server, 't2', COMPLETED);
});
afterAll(() => servers.close());

async function ids(reader: TaskReader, filter: TaskListFilter = {}, request = FIRST): Promise<string> {
  return (await server.reads.page(reader, filter, request)).items.map(({ taskId }) => taskId).join(' ');
}

describe('the list of tasks', () => {
  it('shows the newest first, to each what is theirs', async () => {
    expect(await ids(ALL)).toBe('t6 t5 t4 t3 t2 t1');
    expect(await ids(WEB)).toBe('t4 t3 t2 t1');
    const bank = { all: false, namespaces: new Set(['bank']) } as const;
    expect(await ids({ kind: 'PEOPLE', scope: bank, contents: bank })).toBe('t6 t5');
    expect(await ids({ kind: 'PEOPLE', scope: { all: false, namespaces: new Set() }, contents: bank })).toBe('');
  });

  it('filters', async () => {
    expect(await ids(ALL, { namespace: 'shop' })).toBe('t4 t3 t2 t1');
    expect(await ids(ALL, { states: ['COMPLETED', 'FAILED'] })).toBe('t2');
    expect(await ids(ALL, { caller: 'app:bank/nightly' })).toBe('t6 t5');
    expect(await ids(ALL, { agent: 'bank/ledger', capability: 'report' })).toBe('');
    expect(await ids(WEB, { requestId: 'r-t3' })).toBe('t3');
    expect(await ids(WEB, { requestId: 'a\0b' })).toBe('');
    // A caller's own is never another's.
    expect(await ids(WEB, { caller: 'app:bank/nightly' })).toBe('');
  });

  it('pages both ways without losing what was created in the same moment', async () => {
    const seen: string[] = [];
    let after: readonly string[] | undefined;
    for (let pages = 0; pages < 3; pages++) {
      const page = await server.reads.page(ALL, {}, { ...FIRST, limit: 2, after });
      seen.push(page.items.map(({ taskId }) => taskId).join(' '));
      expect(page.hasNextPage).toBe(pages < 2);
      const last = page.items.at(-1);
      after = last === undefined ? undefined : taskKey(last);
    }
    expect(seen).toEqual(['t6 t5', 't4 t3', 't2 t1']);
    const odd = await server.reads.page(ALL, {}, { ...FIRST, limit: 3 });
    const third = odd.items.at(-1);
    if (third === undefined) throw new Error('the page is empty');
    expect(await ids(ALL, {}, { ...FIRST, after: taskKey(third) })).toBe('t3 t2 t1');
    expect(await ids(ALL, {}, { limit: 1, direction: 'BACKWARD', after: undefined, before: taskKey(third) })).toBe(
      't5',
    );
    expect(await ids(ALL, {}, { limit: 2, direction: 'BACKWARD', after: undefined, before: undefined })).toBe('t2 t1');
  });

  it('refuses foreign cursors', async () => {
    for (const after of [
      ['x'],
      ['2026-01-01T00:00:00.000Z'],
      ['nonsense', 't1'],
      ['2026-01-01T00:00:00.000Z', "t'1"],
    ]) {
      await expect(server.reads.page(ALL, {}, { ...FIRST, after })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    }
  });

  it('shows contents only to whom they are for', async () => {
    const viewer: TaskReader = {
      kind: 'PEOPLE',
      scope: { all: true },
      contents: { all: false, namespaces: new Set() },
    };
    const [seen] = (await server.reads.page(viewer, { states: ['COMPLETED'] }, FIRST)).items;
    expect(seen).toMatchObject({ taskId: 't2', state: 'COMPLETED' });
    expect(seen).not.toHaveProperty('result');
    expect((await server.reads.page(ALL, { states: ['COMPLETED'] }, FIRST)).items[0]?.result).toEqual({ pages: 7 });
  });

  it('finds nothing under what is no id', async () => {
    expect(await server.reads.find('a\0b')).toBeUndefined();
    expect(await server.reads.ofDispatch("'")).toBeUndefined();
  });

  it('forgets what ended 24 hours ago, and nothing else', async () => {
    const { prisma } = servers.database;
    expect(await deleteEndedTasks(prisma, NOW + 24 * 3_600_000)).toBe(0);
    expect(await deleteEndedTasks(prisma, NOW + 24 * 3_600_000 + 1)).toBe(1);
    expect(await ids(ALL)).toBe('t6 t5 t4 t3 t1');
  });
});

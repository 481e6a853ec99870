import { describe, expect, it } from 'vitest';
import type { TaskReader } from './task-desk.js';
import { linkOf, TestTaskRunner } from './testing.js';

const WEB: TaskReader = { kind: 'CALLER', caller: 'agent:shop/web' };
const OTHER: TaskReader = { kind: 'CALLER', caller: 'agent:shop/other' };
const NOBODY = { all: false, namespaces: new Set<string>() } as const;

describe('the desk of tasks', () => {
  it('answers for what is open from memory and for what ended from the store', async () => {
    const x = new TestTaskRunner();
    const one = await x.join();
    x.accept(one);
    x.progress(one, 3);
    expect(await x.tasks.get('t1', WEB)).toMatchObject({ state: 'RUNNING', progress: { done: 3 } });
    const listed = await x.tasks.page(
      WEB,
      {},
      { limit: 10, direction: 'FORWARD', after: undefined, before: undefined },
    );
    expect(listed.items).toMatchObject([{ taskId: 't1', state: 'RUNNING', progress: { done: 3 } }]);
    x.result(one);
    expect(await x.tasks.get('t1', WEB)).toMatchObject({ state: 'COMPLETED', result: { pages: 7 } });
  });

  it("answers for others' tasks as for those that never were", async () => {
    const x = new TestTaskRunner();
    x.accept(await x.join());
    const viewer: TaskReader = { kind: 'PEOPLE', scope: NOBODY, contents: NOBODY };
    for (const reader of [OTHER, viewer]) {
      await expect(x.tasks.get('t1', reader)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await expect(x.tasks.cancel('t1', reader, 'x')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
    await expect(x.tasks.get('t9', WEB)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(x.runner.open).toBe(1);
    expect(x.told).toEqual([]);
  });

  it('bounds what it keeps of tasks that ended by their progress too', async () => {
    const x = new TestTaskRunner();
    const one = await x.join();
    for (let number = 0; number < 40; number++) {
      const dispatchId = `d${number}`;
      x.accept(one, { taskId: `t${number}`, dispatchId });
      const progress = { text: 'x'.repeat(1024 * 1024) };
      x.runner.progressed({ type: 'progress', dispatchId, sequence: 1, progress }, linkOf(one));
      x.result(one, dispatchId);
    }
    const open = (after: string) => x.tasks.open({ reader: WEB, after });
    // Three changes each; the newest of the last 31 are kept.
    expect((await open('e1.27').next()).value).toMatchObject({ kind: 'Resync', position: 'e1.120' });
    expect((await open('e1.117').next()).value).toMatchObject({ kind: 'Change', task: { taskId: 't39' } });
  });

  it('tells operators apart from callers when they cancel', async () => {
    const x = new TestTaskRunner();
    x.accept(await x.join());
    const operator: TaskReader = { kind: 'PEOPLE', scope: { all: true }, contents: { all: true } };
    expect((await x.tasks.cancel('t1', operator, 'user:ann')).state).toBe('CANCELLED');
    expect(x.told).toEqual(['cancel d1 OPERATOR']);
    expect(x.audit.at(-1)).toMatchObject({
      actor: 'agent:shop/web',
      outcome: 'CANCELLED',
      details: { cancelledBy: 'user:ann' },
    });
  });

  it('does not cancel a task that nobody has accepted yet, and says so', async () => {
    const x = new TestTaskRunner();
    x.store.put(x.newTask(await x.join()));
    await expect(x.tasks.cancel('t1', WEB, 'agent:shop/web')).rejects.toMatchObject({
      code: 'CONFLICT',
      retryable: true,
    });
  });
});

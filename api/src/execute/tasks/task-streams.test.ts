import type { TaskStreamEvent, TaskView } from '@agent-reach/sdk/protocol';
import { describe, expect, it } from 'vitest';
import type { TaskReader } from './task-desk.js';
import { TaskStreams } from './task-streams.js';

const WEB: TaskReader = { kind: 'CALLER', caller: 'agent:shop/web' };

function task(taskId: string, overrides: Partial<TaskView> = {}): TaskView {
  return {
    taskId,
    requestId: `r-${taskId}`,
    caller: 'agent:shop/web',
    namespace: 'shop',
    agent: 'shop/reports',
    capability: 'report',
    instance: 'shop/reports/one',
    state: 'ACCEPTED',
    epoch: 1,
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
    deadlineAt: '2026-01-01T00:15:00.000Z',
    ...overrides,
  };
}

class Fixture {
  readonly open = new Map<string, TaskView>();
  readonly ended = new Map<string, TaskView>();
  away = false;
  readonly pauses: (() => void)[] = [];
  readonly streams = new TaskStreams({
    epoch: 'e1',
    open: () => [...this.open.values()],
    find: (taskId) => (this.away ? Promise.reject(new Error('away')) : Promise.resolve(this.ended.get(taskId))),
    pause: () => new Promise((resolve) => this.pauses.push(resolve)),
  });

  change(view: TaskView, bytes = 0): void {
    if (view.state === 'ACCEPTED' || view.state === 'RUNNING') this.open.set(view.taskId, view);
    else {
      this.open.delete(view.taskId);
      this.ended.set(view.taskId, view);
    }
    this.streams.publish(view, bytes);
  }
}

/** One line for each event. */
function line(event: TaskStreamEvent): string {
  if (event.kind === 'Snapshot') {
    return `Snapshot ${event.position} ${event.tasks.map((each) => `${each.taskId}:${each.state}`).join(',')}`;
  }
  if (event.kind === 'Change') return `Change ${event.position} ${event.task.taskId}:${event.task.state}`;
  return `${event.kind} ${event.position}`;
}

async function take(stream: AsyncIterator<TaskStreamEvent>, count: number): Promise<string[]> {
  const lines: string[] = [];
  while (lines.length < count) {
    const { done, value } = await stream.next();
    if (done === true) break;
    lines.push(line(value));
  }
  return lines;
}

describe('streams of tasks', () => {
  it('begins with what is open, then gives each change with its end and its result', async () => {
    const x = new Fixture();
    x.change(task('t1'));
    const stream = x.streams.open({ reader: WEB });
    x.change(task('t2'));
    x.change(task('t1', { state: 'COMPLETED', result: { pages: 7 } }));
    expect(await take(stream, 2)).toEqual(['Snapshot e1.1 t1:ACCEPTED', 'Change e1.2 t2:ACCEPTED']);
    const { value } = await stream.next();
    expect(value).toMatchObject({ kind: 'Change', position: 'e1.3', task: { result: { pages: 7 } } });
    x.streams.checkpoint();
    expect(await take(stream, 1)).toEqual(['Checkpoint e1.3']);
    await stream.return?.();
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });

  it('gives a slow reader only the newest state of each task', async () => {
    const x = new Fixture();
    const stream = x.streams.open({ reader: WEB });
    for (let done = 1; done <= 50; done++) x.change(task('t1', { state: 'RUNNING', progress: { done } }));
    x.change(task('t2'));
    x.change(task('t1', { state: 'COMPLETED', result: 1 }));
    expect(await take(stream, 3)).toEqual(['Snapshot e1.0 ', 'Change e1.51 t2:ACCEPTED', 'Change e1.52 t1:COMPLETED']);
  });

  it('goes on after a position; begins anew where that is of another life, or too old', async () => {
    const x = new Fixture();
    x.change(task('t1'));
    x.change(task('t2'));
    x.change(task('t1', { state: 'CANCELLED' }));
    expect(await take(x.streams.open({ reader: WEB, after: 'e1.1' }), 3)).toEqual([
      'Change e1.2 t2:ACCEPTED',
      'Change e1.3 t1:CANCELLED',
      'Checkpoint e1.3',
    ]);
    for (const after of ['e0.1', 'e1.4', 'e1.x', 'nonsense', 'e1.']) {
      expect(await take(x.streams.open({ reader: WEB, after }), 2)).toEqual([
        'Resync e1.3',
        'Snapshot e1.3 t2:ACCEPTED',
      ]);
    }
    // Large results push out what was kept.
    for (let number = 0; number < 40; number++) x.change(task(`x${number}`, { state: 'COMPLETED' }), 1024 * 1024);
    expect(await take(x.streams.open({ reader: WEB, after: 'e1.3' }), 1)).toEqual(['Resync e1.43']);
    expect(await take(x.streams.open({ reader: WEB, after: 'e1.42' }), 1)).toEqual(['Change e1.43 x39:COMPLETED']);
  });

  it('lets a reader that lags too far begin anew instead of keeping everything for it', async () => {
    const x = new Fixture();
    const stream = x.streams.open({ reader: WEB });
    expect(await take(stream, 1)).toEqual(['Snapshot e1.0 ']);
    for (let number = 0; number < 1_001; number++) x.change(task(`t${number}`, { state: 'COMPLETED' }));
    x.change(task('open'));
    expect(await take(stream, 2)).toEqual(['Resync e1.1002', 'Snapshot e1.1002 open:ACCEPTED']);
    x.change(task('open', { state: 'FAILED' }));
    expect(await take(stream, 1)).toEqual(['Change e1.1003 open:FAILED']);
  });

  it('keeps only so much of large tasks for a reader', async () => {
    const x = new Fixture();
    const stream = x.streams.open({ reader: WEB });
    expect(await take(stream, 1)).toEqual(['Snapshot e1.0 ']);
    const large = (name: string) => x.change(task(name, { state: 'RUNNING' }), 1024 * 1024);
    // The same task over and over takes the place of one.
    for (let number = 0; number < 20; number++) large('t1');
    expect(await take(stream, 1)).toEqual(['Change e1.20 t1:RUNNING']);
    for (const name of ['t1', 't2', 't3', 't4', 't5', 't6', 't7', 't8']) large(name);
    expect(await take(stream, 2)).toEqual([
      'Resync e1.28',
      'Snapshot e1.28 t1:RUNNING,t2:RUNNING,t3:RUNNING,t4:RUNNING,t5:RUNNING,t6:RUNNING,t7:RUNNING,t8:RUNNING',
    ]);
  });

  it('shows callers their own, people their namespaces, and contents only to whom they are for', async () => {
    const x = new Fixture();
    const others = task('t2', { caller: 'agent:bank/app', namespace: 'bank', agent: 'bank/ledger' });
    x.change(task('t1', { state: 'RUNNING', progress: { done: 1 } }));
    x.change(others);
    const bank = { all: false, namespaces: new Set(['bank']) } as const;
    const shop = { all: false, namespaces: new Set(['shop']) } as const;
    const all = { all: true } as const;
    const first = async (reader: TaskReader) => (await x.streams.open({ reader }).next()).value;
    expect(line(await first(WEB))).toBe('Snapshot e1.2 t1:RUNNING');
    expect(line(await first({ kind: 'PEOPLE', scope: bank, contents: bank }))).toBe('Snapshot e1.2 t2:ACCEPTED');
    const viewer = await first({ kind: 'PEOPLE', scope: all, contents: bank });
    expect(viewer.tasks[0]).not.toHaveProperty('progress');
    const operator = await first({ kind: 'PEOPLE', scope: all, contents: shop });
    expect(operator.tasks[0]).toMatchObject({ progress: { done: 1 } });
  });

  it('filters', async () => {
    const x = new Fixture();
    const stream = x.streams.open({ reader: WEB, filter: { agent: 'shop/reports', capability: 'report' } });
    x.change(task('t1', { capability: 'print' }));
    x.change(task('t2', { agent: 'shop/other' }));
    x.change(task('t3'));
    expect(await take(stream, 2)).toEqual(['Snapshot e1.0 ', 'Change e1.3 t3:ACCEPTED']);
  });

  it('tells who follows one task how it ended before, as soon as the database can say it', async () => {
    const x = new Fixture();
    x.change(task('t1', { state: 'COMPLETED', result: 7 }));
    x.away = true;
    const stream = x.streams.open({ reader: WEB, filter: { taskId: 't1' } });
    const first = stream.next();
    await new Promise((resolve) => setImmediate(resolve));
    x.streams.checkpoint();
    x.away = false;
    x.pauses[0]?.();
    expect(await first).toMatchObject({ value: { kind: 'Snapshot', tasks: [{ taskId: 't1', result: 7 }] } });
    expect(await take(stream, 1)).toEqual(['Checkpoint e1.1']);
    // What is another's, or never was, is not there.
    const foreign: TaskReader = { kind: 'CALLER', caller: 'agent:shop/other' };
    expect(await take(x.streams.open({ reader: foreign, filter: { taskId: 't1' } }), 1)).toEqual(['Snapshot e1.1 ']);
    expect(await take(x.streams.open({ reader: WEB, filter: { taskId: 't9' } }), 1)).toEqual(['Snapshot e1.1 ']);
  });

  it('ends its readers when the server stops', async () => {
    const x = new Fixture();
    const stream = x.streams.open({ reader: WEB });
    await take(stream, 1);
    const next = stream.next();
    x.streams.close();
    expect(await next).toEqual({ done: true, value: undefined });
  });
});

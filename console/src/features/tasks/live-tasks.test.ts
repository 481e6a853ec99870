import { describe, expect, it } from 'vitest';
import { type LiveTasks, NO_LIVE_TASKS, newest, takeTasks } from './live-tasks';
import type { TaskRow } from './tasks.operations';

const task = (taskId: string, parts: Partial<TaskRow> = {}): TaskRow => ({
  taskId,
  requestId: 'r',
  caller: 'app:shop/web',
  namespace: 'shop',
  agent: 'shop/orders',
  capability: 'order_export',
  instance: 'shop/orders/one',
  state: 'ACCEPTED',
  epoch: 1,
  progress: null,
  error: null,
  createdAt: '2026-01-31T12:00:00.000Z',
  updatedAt: '2026-01-31T12:00:00.000Z',
  deadlineAt: '2026-01-31T12:15:00.000Z',
  ...parts,
});

const told = (...events: Parameters<typeof takeTasks>[1][]): LiveTasks => events.reduce(takeTasks, NO_LIVE_TASKS);
const snapshot = (...tasks: TaskRow[]) => ({ kind: 'SNAPSHOT', tasks }) as const;
const change = (...tasks: TaskRow[]) => ({ kind: 'CHANGE', tasks }) as const;

describe('the live tasks', () => {
  it('replace everything by a snapshot', () => {
    expect([...told(snapshot(task('t1')), snapshot(task('t2'))).tasks.keys()]).toEqual(['t2']);
  });

  it('count what makes a list outdated: who is new, a state, an instance; not progress', () => {
    const begun = told(snapshot(task('t1')));
    const moving = takeTasks(begun, change(task('t1', { progress: { done: 1 } })));
    expect(moving.structure).toBe(begun.structure);
    expect(moving.tasks.get('t1')?.progress).toEqual({ done: 1 });
    expect(takeTasks(moving, change(task('t1', { state: 'RUNNING' }))).structure).toBe(begun.structure + 1);
    expect(takeTasks(moving, change(task('t1', { instance: 'shop/orders/two' }))).structure).toBe(begun.structure + 1);
    expect(takeTasks(moving, change(task('t2'))).structure).toBe(begun.structure + 1);
  });

  it('take no older state of a task, as a resumed stream may repeat', () => {
    const newer = task('t1', { state: 'COMPLETED', updatedAt: '2026-01-31T12:05:00.000Z' });
    const older = task('t1', { state: 'RUNNING', updatedAt: '2026-01-31T12:04:00.000Z' });
    expect(told(change(newer), change(older)).tasks.get('t1')?.state).toBe('COMPLETED');
    expect(newest(older, told(change(newer))).state).toBe('COMPLETED');
    expect(newest(newer, told(change(older))).state).toBe('COMPLETED');
    expect(newest(older, NO_LIVE_TASKS)).toBe(older);
  });

  it('of a later dispatch win whatever the clock says', () => {
    const second = task('t1', { epoch: 2, updatedAt: '2026-01-31T11:00:00.000Z' });
    expect(newest(task('t1'), told(change(second))).epoch).toBe(2);
  });

  it('forget the oldest ends, and no task that is open', () => {
    const ended = Array.from({ length: 1_100 }, (_, index) => task(`e${index}`, { state: 'COMPLETED' }));
    const { tasks } = told(change(task('open'), ...ended));
    expect(tasks.size).toBe(1_000);
    expect(tasks.has('open')).toBe(true);
    expect([tasks.has('e0'), tasks.has('e1099')]).toEqual([false, true]);
  });
});

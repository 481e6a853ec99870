import type { ResultFrame, WireError } from '@agent-reach/sdk/protocol';
import { describe, expect, it } from 'vitest';
import { testLink } from '../../perceive/testing.js';
import type { DispatchDeskDeps } from './dispatch-desk.js';
import { settled, TestTaskRunner } from './testing.js';

const NO_ATTEMPTS: DispatchDeskDeps['attempts'] = { completed: () => {}, servedBy: () => undefined };
const result = (dispatchId: string, pages = 7): ResultFrame => ({
  type: 'result',
  dispatchId,
  ok: true,
  result: { pages },
});
const reports = (agent: string) => agent === 'shop/reports';
const others = (agent: string) => agent === 'shop/others';

describe('what agents without a connection report', () => {
  it('ends the task, and is answered when that is stored', async () => {
    const x = new TestTaskRunner();
    const one = await x.join();
    const desk = x.tasks.reports(NO_ATTEMPTS);
    x.accept(one);
    const progress = { type: 'progress', dispatchId: 'd1', sequence: 1, progress: { done: 1 } } as const;
    expect(desk.progress(progress, others)).toBe(false);
    expect(desk.progress(progress, reports)).toBe(true);
    expect(desk.progress({ ...progress, progress: { done: 0 } }, reports)).toBe(true);
    expect(x.runner.view('t1')).toMatchObject({ state: 'RUNNING', progress: { done: 1 } });
    x.store.goAway();
    let answer: boolean | undefined;
    const reported = desk.result(result('d1'), reports, 10).then((taken) => {
      answer = taken;
    });
    await settled();
    expect(answer).toBeUndefined();
    x.store.comeBack();
    await reported;
    expect(answer).toBe(true);
    expect(x.stored()).toMatchObject({ state: 'COMPLETED', result: { pages: 7 } });
    expect(one.live.tasks).toBe(0);
    // Again, or by somebody else.
    expect(await desk.result(result('d1', 9), reports, 10)).toBe(true);
    expect(await desk.result(result('d1', 9), others, 10)).toBe(false);
    expect(desk.progress({ ...progress, sequence: 2 }, reports)).toBe(false);
    expect(x.stored()?.result).toEqual({ pages: 7 });
  });

  it('is asked for again when it could not be stored in time', async () => {
    const x = new TestTaskRunner();
    x.accept(await x.join());
    x.store.goAway();
    const reported = x.tasks.reports(NO_ATTEMPTS).result(result('d1'), reports, 10);
    const failure = expect(reported).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE', retryable: true });
    await settled();
    x.pass(10_100);
    await failure;
    const again = x.tasks.reports(NO_ATTEMPTS).result(result('d1'), reports, 10);
    x.store.comeBack();
    expect(await again).toBe(true);
  });

  it('counts while the instance can not be reached, and replaces an unknown outcome when it is gone', async () => {
    const x = new TestTaskRunner();
    const link = testLink('one');
    const one = await x.join('one', { link });
    x.accept(one);
    x.accept(one, { taskId: 't2', dispatchId: 'd2' });
    x.t.registry.linkClosed(link, [one.ref]);
    const desk = x.tasks.reports(NO_ATTEMPTS);
    expect(await desk.result(result('d1'), reports, 10)).toBe(true);
    expect(x.stored()?.state).toBe('COMPLETED');
    x.pass(50_000);
    expect(x.stored('t2')?.state).toBe('UNKNOWN');
    expect(await desk.result(result('d2'), others, 10)).toBe(false);
    expect(await desk.result(result('d2'), reports, 10)).toBe(true);
    expect(x.stored('t2')).toMatchObject({ state: 'COMPLETED', result: { pages: 7 } });
  });

  it('is of no use for a dispatch that another one took the place of, or that never was', async () => {
    const x = new TestTaskRunner();
    const link = testLink('one');
    const one = await x.join('one', { link });
    x.accept(one, { idempotent: true });
    x.t.registry.goodbye(one.ref, link);
    x.pass(1_100);
    const two = await x.join('two');
    const [again] = x.again;
    if (again !== undefined) x.acceptAgain(again, two, 'd2');
    x.store.dispatches.delete('d1');
    const desk = x.tasks.reports(NO_ATTEMPTS);
    expect(await desk.result(result('d1'), reports, 10)).toBe(false);
    expect(await desk.result(result('d9'), reports, 10)).toBe(false);
    expect(x.runner.view('t1')?.state).toBe('ACCEPTED');
  });

  it('is of no use once the task ended by something else, also while that end is being stored', async () => {
    const x = new TestTaskRunner();
    const one = await x.join();
    x.accept(one);
    const desk = x.tasks.reports(NO_ATTEMPTS);
    x.store.goAway();
    void x.runner.cancel('t1', 'user:ann', 'OPERATOR');
    const crossing = desk.result(result('d1'), reports, 10);
    x.store.comeBack();
    expect(await crossing).toBe(false);
    expect(await desk.result(result('d1'), reports, 10)).toBe(false);
    expect(x.stored()?.state).toBe('CANCELLED');

    x.accept(one, { taskId: 't2', dispatchId: 'd2', deadlineAt: x.t.clock.wall() + 1_000 });
    x.pass(1_100);
    expect(x.stored('t2')?.error?.code).toBe('DEADLINE_EXCEEDED');
    expect(await desk.result(result('d2'), reports, 10)).toBe(false);
  });

  it('that the work failed is taken once and again', async () => {
    const x = new TestTaskRunner();
    x.accept(await x.join());
    const desk = x.tasks.reports(NO_ATTEMPTS);
    const error = { code: 'BUSINESS_ERROR', message: 'there is no such month' } as const;
    const failure: ResultFrame = { type: 'result', dispatchId: 'd1', ok: false, error };
    expect(await desk.result(failure, reports, 10)).toBe(true);
    expect(await desk.result(failure, reports, 10)).toBe(true);
    expect(x.stored()).toMatchObject({ state: 'FAILED', error: { code: 'BUSINESS_ERROR' } });
  });

  it('is to come again while what became of the dispatch is being stored', async () => {
    const x = new TestTaskRunner();
    const one = await x.join();
    // Never accepted; the attempt ended with its endpoint, and the store still has the task as open.
    x.store.put(x.newTask(one));
    const desk = x.tasks.reports(NO_ATTEMPTS);
    await expect(desk.result(result('d1'), reports, 10)).rejects.toMatchObject({
      code: 'STORAGE_UNAVAILABLE',
      retryable: true,
    });
    expect(await desk.result(result('d1'), others, 10)).toBe(false);
    x.store.end('t1', 1, { state: 'UNKNOWN', error: { code: 'OUTCOME_UNKNOWN' } as WireError }, () => {});
    expect(await desk.result(result('d1'), reports, 10)).toBe(true);
    expect(x.stored()).toMatchObject({ state: 'COMPLETED', result: { pages: 7 } });
  });

  it('stands for the acceptance that it overtook', async () => {
    const x = new TestTaskRunner();
    const one = await x.join();
    const task = x.newTask(one);
    x.store.put(task);
    one.live.tasks++;
    const desk = x.tasks.reports({
      servedBy: () => ({}) as never,
      completed: (frame, link, bytes) => {
        x.runner.accepted(task, task, one);
        x.runner.completed(frame, link, bytes);
      },
    });
    expect(await desk.result(result('d1'), reports, 10)).toBe(true);
    expect(x.stored()?.state).toBe('COMPLETED');
    expect(one.live.tasks).toBe(0);
  });
});

import { describe, expect, it } from 'vitest';
import type { CallRequest } from './ports.js';
import type { OpenTask } from './tasks/tasks.port.js';
import { TestExecution } from './testing.js';
import { ORDER_PACK, policyWith } from './testing-policies.js';

const PACK: Partial<CallRequest> = {
  requestId: 'r1',
  target: { capability: 'order_pack' },
  params: { item: 'pen' },
  timeoutMs: 2_000,
};

async function shop(idempotent: boolean, ...instances: string[]) {
  const x = new TestExecution();
  for (const name of instances) await x.join(name, { capabilities: [{ ...ORDER_PACK, idempotent }] });
  return x;
}

const tasks = (x: TestExecution) => x.t.registry.instances().map((instance) => instance.tasks);

describe('a task', () => {
  it('is durable before it is sent, and its caller has its id as soon as an instance accepted it', async () => {
    const x = await shop(false, 'one');
    const call = x.call({ ...PACK, taskTimeoutMs: 60_000 });
    const [stored] = x.tasks.stored.values();
    expect(x.last.frame).toMatchObject({ timeoutMs: 60_000, task: { taskId: stored?.task.taskId, epoch: 1 } });
    expect(call.outcome).toBeUndefined();
    x.last.accept();
    expect(call.outcome).toMatchObject({ ok: true, taskId: stored?.task.taskId, attempts: 1 });
    expect(x.tasks.kept).toEqual([{ taskId: stored?.task.taskId, epoch: 1, instance: 'shop/orders/one' }]);
    expect(tasks(x)).toEqual([1]);
    expect(x.t.registry.instances().map((instance) => instance.inFlight)).toEqual([0]);
    expect(x.wheel.armed).toBe(0);
  });

  it('that is repeated is the same task, also when memory knows nothing of it', async () => {
    const x = await shop(false, 'one');
    const call = x.call(PACK);
    x.last.accept();
    const { taskId } = call.outcome ?? {};
    expect(x.call(PACK).outcome).toMatchObject({ ok: true, taskId, replayed: true });
    x.t.clock.advance(61_000);
    x.executor.expire();
    expect(x.call(PACK).outcome).toMatchObject({ ok: true, taskId, replayed: true });
    expect(x.call({ ...PACK, params: { item: 'ink' } }).outcome).toMatchObject({ error: { code: 'CONFLICT' } });
    expect(x.received).toHaveLength(1);
  });

  it('that nobody takes never was', async () => {
    const x = await shop(false, 'one', 'two');
    const call = x.call(PACK);
    for (let attempt = 1; attempt <= 3; attempt++) x.last.refuse();
    expect(call.outcome).toMatchObject({ ok: false, error: { code: 'REFUSED' } });
    expect(x.tasks.stored.size).toBe(0);
    expect(tasks(x)).toEqual([0, 0]);
  });

  it('goes to the next instance under the next epoch', async () => {
    const x = await shop(false, 'one', 'two');
    const call = x.call(PACK);
    x.last.refuse();
    expect(x.received).toHaveLength(2);
    expect(x.last.frame.task?.epoch).toBe(2);
    x.last.accept();
    expect(call.outcome).toMatchObject({ ok: true, attempts: 2 });
    expect(x.tasks.kept).toMatchObject([{ epoch: 2, instance: x.last.frame.instance }]);
  });

  it('whose instance is lost before it accepted is unknown when it may not be executed twice', async () => {
    const x = await shop(false, 'one', 'two');
    const call = x.call(PACK);
    x.t.registry.goodbye(x.last.instance.ref, x.last.instance.link as never);
    const [stored] = x.tasks.stored.values();
    expect(call.outcome).toMatchObject({
      ok: false,
      error: { code: 'OUTCOME_UNKNOWN', details: { taskId: stored?.task.taskId } },
    });
    expect(stored?.end).toMatchObject({ state: 'UNKNOWN' });
    expect(x.received).toHaveLength(1);
  });

  it('has a pool of its own beside the calls', async () => {
    const x = new TestExecution();
    await x.join('one', { capabilities: [ORDER_PACK], maxTasks: 1, maxConcurrency: 1 });
    x.call(PACK);
    x.last.accept();
    expect(x.call({ ...PACK, requestId: 'r2' }).outcome).toMatchObject({
      error: {
        code: 'OVERLOADED',
        message: 'The one candidate left at stage CAPACITY had no room: at maxTasks 1.',
        retryAfterMs: 5_000,
      },
    });
  });

  it('is dispatched again under the epoch that its keeper names', async () => {
    const x = await shop(true, 'one', 'two');
    x.call(PACK);
    x.last.accept();
    const [stored] = x.tasks.stored.values();
    const ends: unknown[] = [];
    const task = { ...stored?.task, state: 'RUNNING', progress: undefined } as OpenTask;
    x.executor.dispatch(task, 2, (error) => ends.push(error));
    expect(x.last.frame).toMatchObject({ requestId: 'r1', caller: 'agent:shop/web', task: { epoch: 2 } });
    x.last.accept();
    expect(ends).toEqual([undefined]);
    expect(x.tasks.kept.map(({ epoch }) => epoch)).toEqual([1, 2]);
    expect(x.executor.open).toBe(0);
  });

  it('that ended meanwhile is not dispatched again', async () => {
    const x = await shop(true, 'one');
    x.call(PACK);
    x.last.accept();
    const [stored] = x.tasks.stored.values();
    if (stored === undefined) throw new Error('nothing stored');
    x.tasks.end(stored.task.taskId, 1, { state: 'COMPLETED', result: 1 }, () => {});
    const codes: (string | undefined)[] = [];
    const task = { ...stored.task, state: 'RUNNING', progress: undefined } as OpenTask;
    x.executor.dispatch(task, 2, (error) => codes.push(error?.code));
    expect(codes).toEqual(['CANCELLED']);
    expect(x.received).toHaveLength(1);
    expect(tasks(x)).toEqual([1]);
  });

  it('that falls to one who offers the same as a call leaves no task behind', async () => {
    const x = new TestExecution();
    await x.join('one', { capabilities: [ORDER_PACK] }, 'packer');
    const { mode: _, ...asCall } = ORDER_PACK;
    const call = x.call(PACK);
    await x.join('one', { capabilities: [asCall] }, 'helper');
    x.last.refuse();
    expect(x.last.frame.instance).toBe('shop/helper/one');
    expect(x.tasks.stored.size).toBe(0);
    expect(x.claims.stored.size).toBe(1);
    x.last.answer({ parcel: 4 });
    expect(call.outcome).toMatchObject({ ok: true, taskId: undefined, result: { parcel: 4 } });
  });

  it('that is dispatched again is never given a fixed answer, nor to one who takes no tasks', async () => {
    const x = await shop(true, 'one');
    x.call(PACK);
    x.last.accept();
    const [stored] = x.tasks.stored.values();
    const task = { ...stored?.task, state: 'RUNNING', progress: undefined } as OpenTask;
    x.t.registry.removeAgent('shop/orders');
    x.t.registry.setPolicies([policyWith({ fallback: [{ kind: 'ANSWER', result: {} }] })]);
    const codes: (string | undefined)[] = [];
    x.executor.dispatch(task, 2, (error) => codes.push(error?.code));
    const { mode: _, ...asCall } = ORDER_PACK;
    await x.join('one', { capabilities: [{ ...asCall, idempotent: true }] }, 'helper');
    x.executor.dispatch(task, 2, (error) => codes.push(error?.code));
    expect(codes).toEqual(['NO_ROUTE', 'NO_ROUTE']);
    expect(x.received).toHaveLength(1);
  });

  it('that its caller cancels before it is accepted is cancelled when it is', async () => {
    const x = await shop(false, 'one');
    const call = x.call(PACK);
    call.cancel();
    expect(call.outcome).toBeUndefined();
    x.last.accept();
    const [stored] = x.tasks.stored.values();
    const taskId = stored?.task.taskId;
    expect(x.tasks.cancelled).toEqual([{ taskId, by: 'agent:shop/web' }]);
    expect(call.outcome).toMatchObject({ ok: false, error: { code: 'CANCELLED', details: { taskId } } });
    expect(x.call(PACK).outcome).toMatchObject({ ok: true, taskId, replayed: true });
  });

  it('goes on when its caller cancels before it is accepted and somebody else waits, or its caller only went away', async () => {
    const x = await shop(false, 'one');
    const call = x.call(PACK);
    const waiting = x.call(PACK);
    call.cancel();
    x.last.accept();
    expect([call.outcome?.ok, waiting.outcome?.ok]).toEqual([true, true]);
    const { request, caller } = x.parts({ ...PACK, requestId: 'r2' });
    const gone = new AbortController();
    const outcome = x.executor.call(request, caller, gone.signal);
    gone.abort();
    x.last.accept();
    expect(await outcome).toMatchObject({ ok: true });
    expect(x.tasks.cancelled).toEqual([]);
  });

  it('whose first word is a result that cannot be taken was accepted, and failed by that', async () => {
    const x = await shop(false, 'one');
    const call = x.call(PACK);
    const { dispatchId } = x.last.frame;
    const error = { code: 'INVALID_FRAME', message: 'a number would be changed', retryable: false } as const;
    x.executor.attempts.faulty(dispatchId, x.last.instance.link as never, error);
    expect(call.outcome).toMatchObject({ ok: true, attempts: 1 });
    expect(x.tasks.kept).toHaveLength(1);
  });
});

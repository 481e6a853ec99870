import { ReachError } from '@agent-reach/sdk/protocol';
import { describe, expect, it } from 'vitest';
import { testLink } from '../../perceive/testing.js';
import { linkOf, MemoryTasks, settled, TestTaskRunner } from './testing.js';

const noRoute = new ReachError('NO_ROUTE', 'nobody').toWire();

describe('a task that goes well', () => {
  it('shows progress in order, is stored before it is confirmed, and leaves one audit record', async () => {
    const x = new TestTaskRunner();
    const one = await x.join();
    x.accept(one);
    expect(x.runner.view('t1')).toMatchObject({ state: 'ACCEPTED', epoch: 1, instance: 'shop/reports/one' });
    expect(x.progress(one, 1)).toBe(true);
    expect(x.progress(one, 1)).toBe(false);
    expect(x.progress(one, 0)).toBe(false);
    expect(x.runner.view('t1')).toMatchObject({ state: 'RUNNING', progress: { done: 1 } });
    expect(x.store.progressed).toEqual(['t1 1 {"done":1}']);

    x.store.goAway();
    expect(x.result(one)).toBe(true);
    expect(one.live.tasks).toBe(0);
    expect(x.told).toEqual([]);
    expect(x.runner.open).toBe(1);

    x.t.clock.advance(2_000);
    x.store.comeBack();
    expect(x.told).toEqual(['confirm d1']);
    expect(x.stored()).toMatchObject({ state: 'COMPLETED', result: { pages: 7 } });
    expect(x.runner.open).toBe(0);
    expect(x.wheel.armed).toBe(0);
    expect(x.audit.filter(({ action }) => action === 'task')).toEqual([
      {
        occurredAt: Date.parse('2026-01-01T00:00:00.000Z'),
        kind: 'CALL',
        namespace: 'shop',
        action: 'task',
        actor: 'agent:shop/web',
        target: 'shop/reports',
        capability: 'report',
        instance: 'shop/reports/one',
        outcome: 'OK',
        requestId: 'r1',
        durationMs: 2_000,
        details: { taskId: 't1', epoch: 1, state: 'COMPLETED' },
      },
    ]);
  });

  it('confirms the same result again and changes nothing by it; no progress comes after the end', async () => {
    const x = new TestTaskRunner();
    const one = await x.join();
    x.accept(one);
    x.result(one);
    expect(x.result(one, 'd1', { pages: 8 })).toBe(false);
    expect(x.progress(one, 9)).toBe(false);
    expect(x.told).toEqual(['confirm d1', 'confirm d1']);
    expect(x.stored()?.result).toEqual({ pages: 7 });
    expect(one.live.tasks).toBe(0);
    expect(x.audit.filter(({ action }) => action === 'task')).toHaveLength(1);
  });

  it('takes no result of another connection', async () => {
    const x = new TestTaskRunner();
    const one = await x.join('one');
    const two = await x.join('two');
    x.accept(one);
    expect(x.result(two)).toBe(false);
    expect(x.progress(two, 1)).toBe(false);
    expect(x.runner.faulty('d1', linkOf(two), noRoute)).toBe(false);
    expect(x.runner.view('t1')?.state).toBe('ACCEPTED');
    expect(x.told).toEqual([]);
  });

  it('ends as FAILED, and confirmed, when the result does not match its schema or cannot be passed on', async () => {
    const x = new TestTaskRunner();
    const one = await x.join();
    x.accept(one);
    x.result(one, 'd1', { pages: 'many' });
    expect(x.stored()).toMatchObject({ state: 'FAILED', error: { code: 'INVALID_RESULT' } });
    expect(x.invalid).toEqual(['shop/reports report']);
    x.accept(one, { taskId: 't2', dispatchId: 'd2' });
    const error = new ReachError('INVALID_FRAME', 'result.pages: 1e400').toWire();
    expect(x.runner.faulty('d2', linkOf(one), error)).toBe(true);
    expect(x.stored('t2')).toMatchObject({ state: 'FAILED', error: { code: 'INVALID_RESULT' } });
    expect(x.told).toEqual(['confirm d1', 'confirm d2']);
    expect(one.live.tasks).toBe(0);
    // Again: it need not be sent a third time.
    expect(x.runner.faulty('d2', linkOf(one), error)).toBe(false);
    expect(x.told).toEqual(['confirm d1', 'confirm d2', 'confirm d2']);
  });

  it('takes the failures of agents: FAILED, or UNKNOWN when the agent does not know itself', async () => {
    const x = new TestTaskRunner();
    const one = await x.join();
    const fail = (dispatchId: string, code: 'BUSINESS_ERROR' | 'OUTCOME_UNKNOWN') =>
      x.runner.completed({ type: 'result', dispatchId, ok: false, error: { code, message: 'no' } }, linkOf(one), 100);
    x.accept(one);
    fail('d1', 'BUSINESS_ERROR');
    x.accept(one, { taskId: 't2', dispatchId: 'd2' });
    fail('d2', 'OUTCOME_UNKNOWN');
    expect(x.stored()).toMatchObject({ state: 'FAILED', error: { code: 'BUSINESS_ERROR', message: 'no' } });
    expect(x.stored('t2')).toMatchObject({ state: 'UNKNOWN', error: { code: 'OUTCOME_UNKNOWN' } });
    expect(x.over).toEqual(['d1 true', 'd2 false']);
  });
});

describe('cancel and deadline', () => {
  it('cancels once, tells the instance why, and answers when it is stored', async () => {
    const x = new TestTaskRunner();
    const one = await x.join();
    x.accept(one);
    x.store.goAway();
    const cancelling = x.tasks.cancel('t1', { kind: 'CALLER', caller: 'agent:shop/web' }, 'agent:shop/web');
    await settled();
    expect(x.told).toEqual(['cancel d1 CALLER']);
    expect(one.live.tasks).toBe(0);
    // The result comes while the cancellation is being stored: too late, but the agent need not send it again.
    expect(x.result(one)).toBe(false);
    x.store.comeBack();
    expect(await cancelling).toMatchObject({ state: 'CANCELLED', error: { code: 'CANCELLED' } });
    expect(x.told).toEqual(['cancel d1 CALLER', 'confirm d1']);
    expect(x.audit.at(-1)).toMatchObject({ outcome: 'CANCELLED', details: { cancelledBy: 'agent:shop/web' } });
    // Again: it stays what it is.
    const again = await x.tasks.cancel('t1', { kind: 'CALLER', caller: 'agent:shop/web' }, 'agent:shop/web');
    expect(again.state).toBe('CANCELLED');
  });

  it('answers with the result when that came first', async () => {
    const x = new TestTaskRunner();
    const one = await x.join();
    x.accept(one);
    x.store.goAway();
    x.result(one);
    const people = { kind: 'PEOPLE', scope: { all: true }, contents: { all: true } } as const;
    const cancelling = x.tasks.cancel('t1', people, 'user:ann');
    await settled();
    x.store.comeBack();
    expect((await cancelling).state).toBe('COMPLETED');
    expect(x.told).toEqual(['confirm d1']);
  });

  it('says after a while that a cancellation is not stored yet', async () => {
    const x = new TestTaskRunner();
    const one = await x.join();
    x.accept(one);
    x.store.goAway();
    const cancelling = x.tasks.cancel('t1', { kind: 'CALLER', caller: 'agent:shop/web' }, 'agent:shop/web');
    const failure = expect(cancelling).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    await settled();
    x.pass(10_100);
    await failure;
  });

  it('ends at its deadline by the monotonic clock, whatever the wall clock does', async () => {
    const x = new TestTaskRunner();
    const link = testLink('one');
    const one = await x.join('one', { link });
    x.accept(one, { deadlineAt: x.t.clock.wall() + 10_000 });
    x.t.clock.stepWall(3_600_000);
    x.wheel.advance(x.t.clock.monotonic() + 9_900);
    expect(x.runner.open).toBe(1);
    x.t.clock.advance(10_100);
    x.wheel.advance(x.t.clock.monotonic());
    expect(x.stored()).toMatchObject({ state: 'FAILED', error: { code: 'DEADLINE_EXCEEDED' } });
    expect(x.told).toEqual(['cancel d1 DEADLINE']);
    expect(one.live.tasks).toBe(0);
  });

  it('asks an instance without a connection to stop when the same process is back', async () => {
    const x = new TestTaskRunner();
    const link = testLink('one');
    const one = await x.join('one', { link });
    x.accept(one);
    x.t.registry.linkClosed(link, [one.ref]);
    await x.tasks.cancel('t1', { kind: 'CALLER', caller: 'agent:shop/web' }, 'agent:shop/web');
    expect(x.told).toEqual([]);
    await x.join('one', { link: testLink('again') });
    expect(x.told).toEqual(['cancel d1 CALLER']);
  });
});

describe('an instance that goes', () => {
  it('keeps its task while it is SUSPECT and gives the result over its new connection', async () => {
    const x = new TestTaskRunner();
    const link = testLink('one');
    const one = await x.join('one', { link });
    x.accept(one);
    x.t.registry.linkClosed(link, [one.ref]);
    x.pass(20_000);
    expect(one.state.name).toBe('SUSPECT');
    expect(x.result(one.link === undefined ? await x.join('one', { link: testLink('again') }) : one)).toBe(true);
    expect(x.stored()?.state).toBe('COMPLETED');
    expect(x.again).toEqual([]);
    expect(one.live.tasks).toBe(0);
  });

  it('loses a task that is not idempotent when it is gone: UNKNOWN, and a result that comes after all counts', async () => {
    const x = new TestTaskRunner();
    const link = testLink('one');
    const one = await x.join('one', { link });
    x.accept(one);
    x.t.registry.linkClosed(link, [one.ref]);
    x.pass(50_000);
    expect(one.state.name).toBe('GONE');
    expect(x.stored()).toMatchObject({ state: 'UNKNOWN', error: { code: 'OUTCOME_UNKNOWN' } });
    expect(x.again).toEqual([]);
    expect(one.live.tasks).toBe(0);

    const successor = await x.join('one', { incarnation: 'inc-next' });
    expect(x.result(successor)).toBe(true);
    expect(x.stored()).toMatchObject({ state: 'COMPLETED', result: { pages: 7 }, error: undefined });
    expect(x.result(successor, 'd1', { pages: 9 })).toBe(false);
    expect(x.stored()?.result).toEqual({ pages: 7 });
    expect(x.told).toEqual(['confirm d1', 'confirm d1']);
    expect(successor.live.tasks).toBe(0);
  });

  it('asks the next incarnation before it calls the outcome unknown', async () => {
    const x = new TestTaskRunner();
    const one = await x.join('one');
    x.accept(one);
    const successor = await x.join('one', { incarnation: 'inc-next', link: testLink('next') });
    expect(x.recalls).toEqual([
      {
        type: 'recall',
        instance: 'shop/reports/one',
        dispatchId: 'd1',
        caller: 'agent:shop/web',
        requestId: 'r1',
        capability: 'report',
      },
    ]);
    expect(
      x.runner.recalled(
        { type: 'recalled', dispatchId: 'd1', state: 'DONE', ok: true, result: { pages: 3 } },
        linkOf(successor),
      ),
    ).toBe(true);
    expect(x.stored()).toMatchObject({ state: 'COMPLETED', result: { pages: 3 } });
    expect(one.live.tasks).toBe(0);
    expect(successor.live.tasks).toBe(0);
  });

  it('does not trust another process that never saw it: UNKNOWN', async () => {
    const x = new TestTaskRunner();
    const one = await x.join('one');
    x.accept(one);
    const successor = await x.join('one', { incarnation: 'inc-next', link: testLink('next') });
    x.runner.recalled({ type: 'recalled', dispatchId: 'd1', state: 'NEVER_SEEN' }, linkOf(successor));
    expect(x.stored()?.state).toBe('UNKNOWN');
    expect(x.again).toEqual([]);
  });

  it('gives an idempotent task to another under the next epoch; what the first still says changes nothing', async () => {
    const x = new TestTaskRunner();
    const link = testLink('one');
    const one = await x.join('one', { link });
    x.accept(one, { idempotent: true });
    x.progress(one, 1);
    x.t.registry.goodbye(one.ref, link);
    x.pass(1_100);
    const [first] = x.again;
    expect(first).toMatchObject({ epoch: 2, task: { taskId: 't1', requestId: 'r1', progress: { done: 1 } } });

    const two = await x.join('two');
    if (first !== undefined) x.acceptAgain(first, two, 'd2');
    expect(x.runner.view('t1')).toMatchObject({
      state: 'ACCEPTED',
      epoch: 2,
      instance: 'shop/reports/two',
      progress: undefined,
    });
    // The first process is back and has finished it after all.
    const back = await x.join('one', { link: testLink('back') });
    expect(x.result(back, 'd1', { pages: 1 })).toBe(false);
    expect(x.told).toEqual(['confirm d1']);
    expect(x.runner.view('t1')?.state).toBe('ACCEPTED');
    expect(x.result(two, 'd2', { pages: 2 })).toBe(true);
    expect(x.stored()).toMatchObject({ state: 'COMPLETED', result: { pages: 2 }, epoch: 2 });
    expect([one.live.tasks, two.live.tasks, back.live.tasks]).toEqual([0, 0, 0]);
    expect(x.over).toEqual(['d1 undefined', 'd2 true']);
  });

  it('tries again with growing pauses while nobody takes it, until its deadline', async () => {
    const x = new TestTaskRunner();
    const link = testLink('one');
    const one = await x.join('one', { link });
    x.accept(one, { idempotent: true, deadlineAt: x.t.clock.wall() + 60_000 });
    x.t.registry.goodbye(one.ref, link);
    x.pass(1_100);
    const tries: number[] = [];
    for (let seconds = 0; seconds < 70; seconds++) {
      const open = x.again.at(-1);
      if (tries.length < x.again.length) {
        tries.push(open?.epoch ?? 0);
        // Nothing was dispatched.
        open?.ended(noRoute, 1);
      }
      x.pass(1_000);
    }
    // After 1, 2, 4, 8, 16 and 30 s, the last of which is beyond the deadline. Nobody took it, so the epoch stays.
    expect(tries).toEqual([2, 2, 2, 2, 2, 2]);
    expect(x.stored()).toMatchObject({ state: 'FAILED', error: { code: 'DEADLINE_EXCEEDED' } });
    expect(x.wheel.armed).toBe(0);
  });

  it('ends at once when it is refused for good, and takes the next epoch after those that were dispatched', async () => {
    const x = new TestTaskRunner();
    const link = testLink('one');
    const one = await x.join('one', { link });
    x.accept(one, { idempotent: true });
    x.t.registry.goodbye(one.ref, link);
    x.pass(1_100);
    x.again[0]?.ended(new ReachError('CONNECTION_LOST', 'gone').toWire(), 3);
    x.pass(1_100);
    expect(x.again[1]?.epoch).toBe(4);
    x.again[1]?.ended(new ReachError('DENIED', 'not any more').toWire(), 3);
    expect(x.stored()).toMatchObject({ state: 'FAILED', error: { code: 'DENIED' } });
  });

  it('cancels on its way: whoever accepts it then is told to stop', async () => {
    const x = new TestTaskRunner();
    const link = testLink('one');
    const one = await x.join('one', { link });
    x.accept(one, { idempotent: true });
    x.t.registry.goodbye(one.ref, link);
    x.pass(1_100);
    const two = await x.join('two');
    await x.tasks.cancel('t1', { kind: 'CALLER', caller: 'agent:shop/web' }, 'agent:shop/web');
    expect(x.stored()?.state).toBe('CANCELLED');
    const [again] = x.again;
    if (again === undefined) throw new Error('it was not dispatched again');
    two.live.tasks++;
    x.runner.accepted(
      again.task,
      {
        taskId: 't1',
        epoch: 2,
        instance: two.ref,
        agent: two.agent,
        incarnation: two.record.incarnation,
        dispatchId: 'd2',
      },
      two,
    );
    expect(two.live.tasks).toBe(0);
    expect(x.over).toEqual(['d1 undefined', 'd2 undefined']);
    expect(x.told).toEqual(['cancel d2 SUPERSEDED']);
    expect(x.runner.open).toBe(0);
  });
});

describe('a restart of the server', () => {
  async function restarted(overrides: { idempotent?: boolean; state?: 'ACCEPTED' | 'RUNNING' } = {}) {
    const before = new TestTaskRunner();
    const one = await before.join('one');
    const task = before.accept(one, { idempotent: overrides.idempotent ?? false });
    const store = new MemoryTasks();
    store.put(task);
    const { callback: _, ...rest } = task;
    store.left = [{ ...rest, state: overrides.state ?? 'ACCEPTED', progress: undefined }];
    const x = new TestTaskRunner(store);
    await x.runner.start();
    return x;
  }
  const recalled = (state: 'NEVER_SEEN' | 'RUNNING' | 'UNKNOWN') =>
    ({ type: 'recalled', dispatchId: 'd1', state }) as const;

  it('takes the task over when the same process says that it runs', async () => {
    const x = await restarted();
    const one = await x.join('one');
    expect(x.told).toEqual(['recall d1']);
    expect(x.runner.recalled(recalled('RUNNING'), linkOf(one))).toBe(true);
    expect(x.runner.recalled(recalled('RUNNING'), linkOf(one))).toBe(false);
    expect(one.live.tasks).toBe(1);
    expect(x.progress(one, 4)).toBe(true);
    expect(x.result(one)).toBe(true);
    expect(x.stored()?.state).toBe('COMPLETED');
    expect(one.live.tasks).toBe(0);
  });

  it('takes a result that comes before the answer to the recall', async () => {
    const x = await restarted();
    const one = await x.join('one');
    expect(x.result(one)).toBe(true);
    expect(x.stored()?.state).toBe('COMPLETED');
    expect(x.runner.recalled(recalled('RUNNING'), linkOf(one))).toBe(false);
    expect(one.live.tasks).toBe(0);
  });

  it('sends it again when the same process never saw it, idempotent or not', async () => {
    const x = await restarted();
    const one = await x.join('one');
    x.runner.recalled(recalled('NEVER_SEEN'), linkOf(one));
    expect(x.again.map(({ epoch }) => epoch)).toEqual([2]);
    const [again] = x.again;
    if (again !== undefined) x.acceptAgain(again, one, 'd2');
    expect(x.result(one, 'd2')).toBe(true);
    expect(x.stored()).toMatchObject({ state: 'COMPLETED', epoch: 2 });
  });

  it('ends as UNKNOWN when the process does not know, when it does not answer, and when nobody comes', async () => {
    const unsure = await restarted();
    const one = await unsure.join('one');
    unsure.runner.recalled(recalled('UNKNOWN'), linkOf(one));
    expect(unsure.stored()?.state).toBe('UNKNOWN');

    const silent = await restarted();
    const mute = await silent.join('one');
    const wait = (ms: number) => {
      silent.t.clock.advance(ms);
      silent.wheel.advance(silent.t.clock.monotonic());
    };
    for (let second = 0; second < 59; second++) wait(1_000);
    expect(silent.told).toEqual(new Array(6).fill('recall d1'));
    expect(silent.stored()?.state).toBe('ACCEPTED');
    wait(1_100);
    expect(silent.stored()?.state).toBe('UNKNOWN');
    expect(silent.told).toHaveLength(6);
    expect(mute.live.tasks).toBe(0);

    const alone = await restarted();
    alone.pass(59_000);
    expect(alone.stored()?.state).toBe('ACCEPTED');
    alone.pass(1_100);
    expect(alone.stored()?.state).toBe('UNKNOWN');
  });

  it('asks again over the next connection when the one before broke', async () => {
    const x = await restarted();
    const link = testLink('first');
    const one = await x.join('one', { link });
    x.t.registry.linkClosed(link, [one.ref]);
    await x.join('one', { link: testLink('second') });
    expect(x.told).toEqual(['recall d1', 'recall d1']);
    x.runner.recalled(recalled('RUNNING'), linkOf(one));
    expect(one.live.tasks).toBe(1);
  });

  it('cancels before the instance is back, which then hears of it', async () => {
    const x = await restarted();
    const link = testLink('first');
    const one = await x.join('one', { link });
    x.t.registry.linkClosed(link, [one.ref]);
    await x.tasks.cancel('t1', { kind: 'CALLER', caller: 'agent:shop/web' }, 'agent:shop/web');
    expect(x.stored()?.state).toBe('CANCELLED');
    await x.join('one', { link: testLink('second') });
    expect(x.told).toEqual(['recall d1', 'cancel d1 CALLER']);
  });

  it('takes a task of an endpoint over as it is, since that can not be asked; not that of another registration', async () => {
    const endpoint = {
      url: 'http://reports.example.com/',
      healthPath: '/health',
      encoding: 'JSON',
      probeIntervalMs: 10_000,
      probeTimeoutMs: 2_000,
    } as const;
    const back = async (incarnation: string) => {
      const x = await restarted();
      const one = (await x.t.join({ instance: 'one' }, incarnation, testLink('one'), 'reports')).instance;
      one.record = { ...one.record, endpoint };
      x.runner.joined(one);
      return { x, one };
    };
    const same = await back('inc-one');
    expect(same.x.told).toEqual([]);
    expect(same.one.live.tasks).toBe(1);
    const other = await back('inc-other');
    expect(other.x.stored()?.state).toBe('UNKNOWN');
    expect(other.one.live.tasks).toBe(0);
  });

  it('takes the answer to a recall that was sent again', async () => {
    const x = await restarted();
    const one = await x.join('one');
    x.t.clock.advance(10_100);
    x.wheel.advance(x.t.clock.monotonic());
    expect(x.told).toEqual(['recall d1', 'recall d1']);
    expect(x.runner.recalled(recalled('RUNNING'), linkOf(one))).toBe(true);
    x.t.clock.advance(10_100);
    x.wheel.advance(x.t.clock.monotonic());
    expect(x.told).toHaveLength(2);
    expect(one.live.tasks).toBe(1);
  });

  it('asks the store about a bounded number of results that nobody waits for, from each link', async () => {
    const x = new TestTaskRunner();
    const one = await x.join('one');
    const two = await x.join('two');
    let asked: string[] = [];
    x.store.ofDispatch = (dispatchId) => {
      asked.push(dispatchId);
      return Promise.resolve(undefined);
    };
    for (let number = 0; number < 3_000; number++) x.result(one, `late-${number}`);
    expect(asked).toHaveLength(200);
    await settled();
    asked = [];
    x.result(two, 'other');
    x.result(one, 'more');
    expect(asked).toEqual(['other']);
    await settled();
    x.t.clock.advance(1_000);
    asked = [];
    for (let number = 0; number < 3_000; number++) x.result(one, `later-${number}`);
    expect(asked).toHaveLength(20);
  });

  it('confirms the result of an attempt that was not accepted in time when the task has another dispatch', async () => {
    const x = new TestTaskRunner();
    const one = await x.join('one');
    const two = await x.join('two');
    const task = x.newTask(two, { dispatchId: 'd2', epoch: 2 });
    x.runner.superseded({ ...task, instance: one.ref, agent: one.agent, dispatchId: 'd1', epoch: 1 });
    x.accept(two, task);
    expect(x.result(one, 'd1', { pages: 1 })).toBe(false);
    expect(x.told).toEqual(['confirm d1']);
    expect(x.runner.view('t1')?.state).toBe('ACCEPTED');
    // Not to somebody else.
    x.result(two, 'd1');
    expect(x.told).toEqual(['confirm d1']);
  });

  it('fails at once what is over its deadline', async () => {
    const x = new TestTaskRunner();
    const one = await x.join('one');
    const { callback: _, ...task } = x.newTask(one, { deadlineAt: x.t.clock.wall() - 1 });
    x.store.put({ ...task, callback: undefined });
    x.store.left = [{ ...task, state: 'RUNNING', progress: { done: 1 } }];
    await x.runner.start();
    x.pass(20);
    expect(x.stored()).toMatchObject({ state: 'FAILED', error: { code: 'DEADLINE_EXCEEDED' } });
  });

  it('confirms the result of a task that had ended before, and takes that of one whose outcome was unknown', async () => {
    const x = new TestTaskRunner();
    const one = await x.join('one');
    const ended = x.newTask(one);
    x.store.put(ended);
    x.store.end('t1', 1, { state: 'CANCELLED', error: noRoute }, () => {});
    const unknown = x.newTask(one, { taskId: 't2', dispatchId: 'd2' });
    x.store.put(unknown);
    x.store.end('t2', 1, { state: 'UNKNOWN', error: noRoute }, () => {});
    x.store.put(x.newTask(one, { taskId: 't3', dispatchId: 'd3' }));

    for (const dispatchId of ['d1', 'd2', 'd3', 'd4']) expect(x.result(one, dispatchId)).toBe(false);
    await settled();
    expect(x.told).toEqual(['confirm d1', 'confirm d2']);
    expect(x.stored()?.state).toBe('CANCELLED');
    expect(x.stored('t2')).toMatchObject({ state: 'COMPLETED', result: { pages: 7 } });
    expect(x.stored('t3')?.state).toBe('ACCEPTED');
  });
});

import type { AuditRecord, DispatchFrame, RegisterFrame } from '@agent-reach/sdk/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Delivery, LaterFrames } from '../../execute/attempts/delivery.js';
import { TICK_MS, TimingWheel } from '../../execute/attempts/timing-wheel.js';
import { CallMetrics } from '../../execute/calls/call-metrics.js';
import { Executor } from '../../execute/executor.js';
import { Holds } from '../../execute/idempotency/hold.js';
import { TestClaims } from '../../execute/idempotency/testing-claims.js';
import type { CallOutcome, CallRequest } from '../../execute/ports.js';
import { Router } from '../../execute/routing/router.js';
import { Tasks } from '../../execute/tasks/tasks.js';
import type { Instance } from '../../perceive/instance.js';
import { TestRegistry, testLink } from '../../perceive/testing.js';
import type { TaskStorage } from './tasks.js';
import { TaskServers } from './tasks.testing.js';

const WEB = { kind: 'CALLER', caller: 'agent:shop/web' } as const;

/** One life of a server: its call path over a real database, with instances that a test plays. */
class Life {
  readonly t = new TestRegistry((instance) => {
    this.executor.attempts.lost(instance);
    this.tasks.runner.lost(instance);
  });
  readonly sent: { readonly instance: Instance; readonly frame: DispatchFrame }[] = [];
  readonly told: string[] = [];
  readonly audit: AuditRecord[] = [];
  readonly faults: unknown[] = [];
  readonly wheel = new TimingWheel(this.t.clock.monotonic(), (error) => this.faults.push(error));
  readonly executor: Executor;
  readonly tasks: Tasks;

  constructor(readonly storage: TaskStorage) {
    const { clock, registry } = this.t;
    const metrics = new CallMetrics({ observe: () => {} });
    const delivery: Delivery = {
      offer: (instance, frame) => this.sent.push({ instance, frame }),
      cancel: (_, dispatchId, reason) => this.told.push(`cancel ${dispatchId} ${reason}`),
      recall: (_, { dispatchId }) => this.told.push(`recall ${dispatchId}`),
      confirm: (_, dispatchId) => this.told.push(`confirm ${dispatchId}`),
    };
    const audit = { record: (entry: AuditRecord) => void this.audit.push(entry) };
    const onFault = (error: unknown) => void this.faults.push(error);
    const common = { clock, wheel: this.wheel, delivery, audit, metrics, onFault };
    const later: LaterFrames = {
      completed: (...frame) => this.tasks.runner.completed(...frame),
      faulty: (...frame) => this.tasks.runner.faulty(...frame),
      progressed: (...frame) => this.tasks.runner.progressed(...frame),
      recalled: (...frame) => this.tasks.runner.recalled(...frame),
    };
    this.executor = new Executor({
      ...common,
      random: () => 0,
      registry,
      router: new Router({
        clock,
        random: () => 0,
        registry,
        epoch: 'e1',
        recentCalls: { wants: () => false, add: () => {} },
        needs: registry.lookup,
      }),
      later,
      holds: new Holds({
        clock,
        claims: new TestClaims(),
        tasks: storage.store,
        keeper: {
          accepted: (...accepted) => this.tasks.runner.accepted(...accepted),
          superseded: (dispatch) => this.tasks.runner.superseded(dispatch),
          cancel: (...cancelled) => this.tasks.runner.cancel(...cancelled),
        },
        onUnknown: () => {},
      }),
      recovery: { wait: () => () => {} },
      writeRecords: () => {},
      outcomes: { ended: () => {} },
      paramsHash: (params) => JSON.stringify(params),
      ruleLink: () => '',
      callbackFault: () => undefined,
    });
    this.tasks = new Tasks({
      ...common,
      store: storage.store,
      reads: storage.reads,
      dispatcher: this.executor,
      instances: registry.table,
      onOver: (...over) => this.executor.taskOver(...over),
      epoch: 'e1',
    });
  }

  async join(name: string, idempotent: boolean, incarnation = `inc-${name}`): Promise<Instance> {
    const frame: Partial<RegisterFrame> = {
      instance: name,
      capabilities: [
        {
          name: 'pack',
          description: 'Use it to have one order packed; answers the number of the parcel.',
          inputSchema: { type: 'object', properties: { item: { type: 'string' } } },
          mode: 'TASK',
          idempotent,
        },
      ],
    };
    const instance = await this.t.ready(frame, incarnation, testLink(`${name} ${Math.random()}`));
    this.tasks.runner.joined(instance);
    return instance;
  }

  call(request: Partial<CallRequest> = {}): Promise<CallOutcome> {
    return new Promise((resolve) => {
      this.executor.start(
        { requestId: 'r1', target: { capability: 'pack' }, params: { item: 'pen' }, timeoutMs: 60_000, ...request },
        {
          caller: 'agent:shop/web',
          namespace: 'shop',
          roles: [],
          zone: undefined,
          domain: 'PRODUCTION',
          visible: () => true,
          sentBy: undefined,
          link: undefined,
          serves: undefined,
        },
        resolve,
      );
    });
  }

  /** The next dispatch that was sent. */
  async next(index = 0) {
    await until(() => this.sent.length > index);
    const sent = this.sent[index];
    const link = sent?.instance.link;
    if (sent === undefined || link === undefined) throw new Error('nothing was sent');
    const { instance, frame } = sent;
    const { dispatchId } = frame;
    return {
      instance,
      frame,
      accept: () => this.executor.attempts.acked({ type: 'ack', dispatchId, accepted: true }, link),
      answer: (result: unknown) =>
        this.executor.attempts.completed({ type: 'result', dispatchId, ok: true, result }, link, 100),
    };
  }

  pass(ms: number): void {
    for (let done = 0; done < ms; done += TICK_MS) {
      this.t.clock.advance(TICK_MS);
      this.wheel.advance(this.t.clock.monotonic());
    }
  }

  get counters(): number[] {
    return this.t.registry.instances().flatMap(({ tasks, inFlight }) => [tasks, inFlight]);
  }
}

let servers: TaskServers;
beforeEach(async () => {
  servers = await TaskServers.create();
});
afterEach(() => servers.close());

const live = async () => new Life(await servers.start());

describe('a task from its call to its end', () => {
  it('is accepted, ends by the result, and is the same task when it is asked for again', async () => {
    const x = await live();
    await x.join('one', false);
    const call = x.call();
    const first = await x.next();
    first.accept();
    const { taskId = '' } = await call;
    expect(x.counters).toEqual([1, 0]);
    expect((await x.tasks.get(taskId, WEB)).state).toBe('ACCEPTED');
    first.answer('p-7');
    await until(() => x.told.length > 0);
    expect(x.told).toEqual([`confirm ${first.frame.dispatchId}`]);
    expect(await x.storage.reads.find(taskId)).toMatchObject({ state: 'COMPLETED', result: 'p-7' });
    expect(x.counters).toEqual([0, 0]);
    expect(await x.call()).toMatchObject({ taskId, replayed: true });
    expect(x.sent).toHaveLength(1);
    expect(x.audit.map(({ action, outcome }) => `${action} ${outcome}`)).toContain('task OK');
    expect(x.faults).toEqual([]);
  });

  it('is accepted by its result alone', async () => {
    const x = await live();
    await x.join('one', false);
    const call = x.call();
    (await x.next()).answer('p-7');
    const { taskId = '' } = await call;
    await until(() => x.told.length > 0);
    expect((await x.tasks.get(taskId, WEB)).result).toBe('p-7');
    expect(x.counters).toEqual([0, 0]);
  });

  it('goes to another instance when its own is gone, and only the present dispatch completes it', async () => {
    const x = await live();
    await x.join('one', true);
    const call = x.call();
    const first = await x.next();
    first.accept();
    const { taskId = '' } = await call;
    await x.join('two', true);
    if (first.instance.link !== undefined) x.t.registry.goodbye(first.instance.ref, first.instance.link);
    x.pass(1_100);
    const second = await x.next(1);
    expect(second.frame).toMatchObject({ instance: 'shop/orders/two', task: { taskId, epoch: 2 } });
    second.accept();
    first.answer('late');
    second.answer('p-8');
    await until(() => x.told.length > 0);
    expect(await x.storage.reads.find(taskId)).toMatchObject({ state: 'COMPLETED', result: 'p-8', epoch: 2 });
    expect(x.counters).toEqual([0, 0]);
    expect(x.executor.open).toBe(0);
    expect(x.wheel.armed).toBe(0);
  });

  it('survives a killed server: the same process is asked and goes on', async () => {
    const x = await live();
    await x.join('one', false);
    const call = x.call();
    const first = await x.next();
    first.accept();
    const { taskId = '' } = await call;

    // Nothing is closed: the process is gone.
    const y = await live();
    await y.tasks.runner.start();
    const one = await y.join('one', false);
    expect(y.told).toEqual([`recall ${first.frame.dispatchId}`]);
    const { dispatchId } = first.frame;
    if (one.link === undefined) throw new Error('it did not join');
    y.executor.attempts.recalled({ type: 'recalled', dispatchId, state: 'RUNNING' }, one.link);
    expect(y.counters).toEqual([1, 0]);
    expect(await y.call()).toMatchObject({ taskId });
    y.executor.attempts.completed({ type: 'result', dispatchId, ok: true, result: 'p-9' }, one.link, 100);
    await until(() => y.told.length > 1);
    expect(await y.storage.reads.find(taskId)).toMatchObject({ state: 'COMPLETED', result: 'p-9' });
    expect(y.counters).toEqual([0, 0]);
    expect(y.sent).toEqual([]);
    // The old server writes nothing any more.
    first.answer('of the past');
    await until(() => servers.fenced === 1);
    expect((await y.storage.reads.find(taskId))?.result).toBe('p-9');
    expect(x.told).toEqual([]);
  });

  it('that was stored but never sent is sent by the next server, once', async () => {
    const x = await live();
    await x.join('one', false);
    void x.call();
    const first = await x.next();

    const y = await live();
    await y.tasks.runner.start();
    const one = await y.join('one', false);
    const { dispatchId } = first.frame;
    if (one.link === undefined) throw new Error('it did not join');
    y.executor.attempts.recalled({ type: 'recalled', dispatchId, state: 'NEVER_SEEN' }, one.link);
    const again = await y.next();
    expect(again.frame).toMatchObject({ requestId: 'r1', params: { item: 'pen' }, task: { epoch: 2 } });
    again.accept();
    again.answer('p-10');
    await until(() => y.told.length > 1);
    const { taskId = '' } = await y.call();
    expect(await y.tasks.get(taskId, WEB)).toMatchObject({ state: 'COMPLETED', result: 'p-10' });
    expect(y.sent).toHaveLength(1);
    expect(y.counters).toEqual([0, 0]);
  });

  it('runs beside 149 others', async () => {
    const x = await live();
    await x.join('one', false);
    await x.join('two', false);
    const calls = Array.from({ length: 150 }, (_, index) => x.call({ requestId: `r${index}` }));
    for (let index = 0; index < 150; index++) (await x.next(index)).accept();
    const ids = (await Promise.all(calls)).map(({ taskId }) => taskId);
    expect(new Set(ids).size).toBe(150);
    for (let index = 0; index < 150; index++) (await x.next(index)).answer(`p-${index}`);
    await until(() => x.told.length === 150);
    expect(await servers.database.prisma.task.count({ where: { state: 'COMPLETED' } })).toBe(150);
    expect(x.counters).toEqual([0, 0, 0, 0]);
    expect(x.tasks.runner.open).toBe(0);
  });
});

async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; tries < 1_000 && !condition(); tries++) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(condition()).toBe(true);
}

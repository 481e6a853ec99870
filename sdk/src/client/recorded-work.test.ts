import { beforeEach, expect, test } from 'vitest';
import type { DispatchFrame, WelcomeFrame } from '../protocol/index.js';
import { Dispatches, type DispatchHost, type Served } from './dispatches.js';
import type { Handler, HandlerContext } from './execution.js';
import { MemoryRecord } from './record/memory-record.js';
import type { RequestRecord } from './record/request-record.js';
import { ManualClock } from './testing/manual-clock.js';
import { TimingWheel } from './wheel.js';

const settled = () => new Promise((resolve) => setImmediate(resolve));

let clock: ManualClock;
let sent: Record<string, unknown>[];
let log: string[];
let ran: HandlerContext[];
let finish: ((value: unknown) => void)[];
let record: RequestRecord;

const slow: Handler = (_params, ctx) => {
  ran.push(ctx);
  return new Promise((resolve) => finish.push(resolve));
};
const handlers = new Map<string, Served>([
  ['cancel', { handler: slow, idempotent: false }],
  ['at-once', { handler: (_params, ctx) => ran.push(ctx), idempotent: false }],
  ['report', { handler: slow, idempotent: true }],
]);

beforeEach(() => {
  clock = new ManualClock();
  log = [];
  record = new MemoryRecord(() => clock.wall());
});

/** A process of the agent that starts and registers; earlier ones are dead. */
function start(limits: { maxConcurrency?: number; maxQueue?: number; maxTasks?: number } = {}): Dispatches {
  sent = [];
  ran = [];
  finish = [];
  const frames = sent;
  const host: DispatchHost = {
    clock,
    wheel: new TimingWheel(clock),
    call: () => Promise.reject(new Error('no calls here')),
    welcome: { limits: { maxFrameBytes: 10_000 } } as WelcomeFrame,
    send: (text) => frames.push(JSON.parse(text)) > 0,
    flushSoon: () => undefined,
    log: (level, message) => log.push(`${level} ${message}`),
  };
  const dispatches = new Dispatches(handlers, { maxConcurrency: 10, maxQueue: 0, maxTasks: 2, ...limits }, host);
  dispatches.useRecord(record);
  dispatches.onRegistered(true);
  return dispatches;
}

const dispatch = (dispatchId: string, capability: string, more: Partial<DispatchFrame> = {}): DispatchFrame => ({
  type: 'dispatch',
  dispatchId,
  instance: 'shop/order/a',
  requestId: 'r1',
  caller: 'app:shop/web',
  capability,
  params: {},
  timeoutMs: 1000,
  attempt: 1,
  ...more,
});

const taskDispatch = (dispatchId: string, epoch = 1, more: Partial<DispatchFrame> = {}) =>
  dispatch(dispatchId, 'report', { task: { taskId: 't1', epoch }, ...more });

const recall = (dispatchId: string, requestId = 'r1') =>
  ({ type: 'recall', instance: 'shop/order/a', dispatchId, caller: 'app:shop/web', requestId }) as const;

const ack = (dispatchId: string) => ({ type: 'ack', dispatchId, accepted: true });
const result = (dispatchId: string, value: unknown) => ({ type: 'result', dispatchId, ok: true, result: value });
const unknown = (dispatchId: string) => ({
  type: 'result',
  dispatchId,
  ok: false,
  error: {
    code: 'OUTCOME_UNKNOWN',
    message: 'an earlier process of this agent began this request and did not note its end',
  },
});

test('a repetition gets the first result, in this process and in the next', async () => {
  const first = start();
  first.onDispatch(dispatch('d1', 'cancel'));
  finish[0]?.('done');
  await settled();
  first.onDispatch(dispatch('d2', 'cancel'));
  expect(sent).toEqual([result('d1', 'done'), result('d2', 'done')]);
  expect([ran.length, first.inFlight]).toEqual([1, 0]);
  const next = start();
  next.onDispatch(dispatch('d3', 'cancel'));
  next.onDispatch(dispatch('d4', 'cancel', { caller: 'app:shop/other' }));
  expect(sent).toEqual([result('d3', 'done')]);
  expect(ran.map((ctx) => ctx.dispatchId)).toEqual(['d4']);
});

test('a failure is a result too: it is not tried again', async () => {
  const first = start();
  first.onDispatch(dispatch('d1', 'cancel'));
  finish[0]?.(Promise.reject(new Error('halfway')));
  await settled();
  start().onDispatch(dispatch('d2', 'cancel'));
  expect(sent).toEqual([
    { type: 'result', dispatchId: 'd2', ok: false, error: { code: 'AGENT_ERROR', message: 'halfway' } },
  ]);
});

test('a process that died after its handler had started leaves OUTCOME_UNKNOWN', () => {
  start().onDispatch(dispatch('d1', 'cancel'));
  const next = start();
  next.onDispatch(dispatch('d2', 'cancel'));
  next.onDispatch(dispatch('d3', 'cancel'));
  expect(sent).toEqual([unknown('d2'), unknown('d3')]);
  expect([ran.length, next.inFlight]).toEqual([0, 0]);
});

test('twenty duplicates at once are one execution that answers them all', async () => {
  const dispatches = start();
  for (let index = 1; index <= 20; index += 1) dispatches.onDispatch(dispatch(`d${index}`, 'cancel'));
  dispatches.onFlush();
  expect([ran.length, dispatches.inFlight]).toEqual([1, 1]);
  finish[0]?.('once');
  await settled();
  const ids = Array.from({ length: 20 }, (_, index) => `d${index + 1}`);
  expect(sent.filter((frame) => frame.type === 'ack').map((frame) => frame.dispatchId)).toEqual([
    ...ids.slice(1),
    'd1',
  ]);
  expect(sent.slice(20)).toEqual(ids.map((id) => result(id, 'once')));
});

test('what was executed is answered while it drains and while it is full, and the rest is refused and forgotten', () => {
  const dispatches = start({ maxConcurrency: 1 });
  dispatches.onDispatch(dispatch('d1', 'at-once'));
  dispatches.onDispatch(dispatch('d2', 'cancel', { requestId: 'r2' }));
  dispatches.onDispatch(dispatch('d3', 'at-once'));
  dispatches.onDispatch(dispatch('d4', 'at-once', { requestId: 'r4' }));
  dispatches.refuseAll('DRAINING');
  dispatches.onDispatch(dispatch('d5', 'at-once'));
  dispatches.onDispatch(dispatch('d6', 'at-once', { requestId: 'r4' }));
  expect(sent).toEqual([
    result('d1', 1),
    result('d3', 1),
    { type: 'ack', dispatchId: 'd4', accepted: false, reason: 'BUSY', retryAfterMs: 100 },
    result('d5', 1),
    { type: 'ack', dispatchId: 'd6', accepted: false, reason: 'DRAINING' },
  ]);
  dispatches.onRecall(recall('d4', 'r4'));
  expect(sent.at(-1)).toEqual({ type: 'recalled', dispatchId: 'd4', state: 'NEVER_SEEN' });
});

test('what waits in the queue has not begun: its process may die, and its time may end', async () => {
  const first = start({ maxConcurrency: 1, maxQueue: 1 });
  first.onDispatch(dispatch('d1', 'cancel'));
  first.onDispatch(dispatch('d2', 'cancel', { requestId: 'r2' }));
  first.onFlush();
  expect(sent).toEqual([ack('d1'), ack('d2')]);
  first.onRecall(recall('d2', 'r2'));
  expect(sent.at(-1)).toEqual({ type: 'recalled', dispatchId: 'd2', state: 'RUNNING' });
  clock.advance(2000);
  finish[0]?.('late');
  await settled();
  first.onFlush();
  expect(sent.at(-1)).toEqual({
    type: 'result',
    dispatchId: 'd2',
    ok: false,
    error: { code: 'AGENT_ERROR', message: 'its time was over before it began' },
  });
  expect(await record.find({ caller: 'app:shop/web', requestId: 'r2' })).toBeUndefined();
});

test('what leaves the queue was accepted once', async () => {
  const dispatches = start({ maxConcurrency: 1, maxQueue: 1 });
  dispatches.onDispatch(dispatch('d1', 'cancel'));
  dispatches.onDispatch(dispatch('d2', 'cancel', { requestId: 'r2' }));
  dispatches.onFlush();
  for (const value of ['first', 'second']) {
    finish.shift()?.(value);
    await settled();
    dispatches.onFlush();
  }
  expect(sent).toEqual([ack('d1'), ack('d2'), result('d1', 'first'), result('d2', 'second')]);
});

test('the same requestId for another capability is refused as a failure', () => {
  const dispatches = start();
  dispatches.onDispatch(dispatch('d1', 'at-once'));
  dispatches.onDispatch(dispatch('d2', 'cancel'));
  expect(sent.at(-1)).toEqual({
    type: 'result',
    dispatchId: 'd2',
    ok: false,
    error: { code: 'AGENT_ERROR', message: 'requestId r1 was used for at-once before' },
  });
});

test('a request that runs is not joined by another capability, by a dispatch or by a recall', async () => {
  const dispatches = start();
  const declined = (type: string, more: object = {}) => ({
    type,
    dispatchId: 'd2',
    ...more,
    ok: false,
    error: { code: 'AGENT_ERROR', message: 'requestId r1 was used for cancel before' },
  });
  dispatches.onDispatch(dispatch('d1', 'cancel'));
  dispatches.onDispatch(dispatch('d2', 'at-once'));
  expect(sent).toEqual([declined('result')]);
  dispatches.onRecall({ ...recall('d2'), capability: 'at-once' });
  expect(sent.at(-1)).toEqual(declined('recalled', { state: 'DONE' }));
  dispatches.onRecall({ ...recall('d3'), capability: 'cancel' });
  expect(sent.at(-1)).toEqual({ type: 'recalled', dispatchId: 'd3', state: 'RUNNING' });
  sent.length = 0;
  finish[0]?.('done');
  await settled();
  expect(sent).toEqual([result('d1', 'done'), result('d3', 'done')]);
  start().onRecall({ ...recall('d2'), capability: 'at-once' });
  expect(sent).toEqual([declined('recalled', { state: 'DONE' })]);
});

test('a recall says what became of a dispatch', async () => {
  const first = start();
  first.onDispatch(dispatch('d1', 'cancel'));
  first.onDispatch(dispatch('d2', 'at-once', { requestId: 'r2' }));
  for (const frame of [recall('d1'), recall('d2', 'r2'), recall('d3', 'r3')]) first.onRecall(frame);
  expect(sent.slice(1)).toEqual([
    { type: 'recalled', dispatchId: 'd1', state: 'RUNNING' },
    { type: 'recalled', dispatchId: 'd2', state: 'DONE', ok: true, result: 2 },
    { type: 'recalled', dispatchId: 'd3', state: 'NEVER_SEEN' },
  ]);
  const next = start();
  next.onRecall(recall('d1'));
  next.onRecall(recall('d2', 'r2'));
  expect(sent).toEqual([
    { type: 'recalled', dispatchId: 'd1', state: 'UNKNOWN' },
    { type: 'recalled', dispatchId: 'd2', state: 'DONE', ok: true, result: 2 },
  ]);
});

test('a server that was restarted gets the results of what is recorded', async () => {
  const dispatches = start();
  dispatches.onDispatch(dispatch('d1', 'cancel'));
  dispatches.onDispatch(dispatch('d2', 'cancel', { requestId: 'r2' }));
  dispatches.onLost();
  finish[0]?.('while it was away');
  await settled();
  expect(sent).toEqual([]);
  dispatches.onRegistered(false);
  finish[1]?.('after it');
  await settled();
  expect(sent).toEqual([result('d1', 'while it was away'), result('d2', 'after it')]);
});

test('the failure of a cancelled execution is told when it must not be repeated', async () => {
  const dispatches = start();
  dispatches.onDispatch(dispatch('d1', 'cancel'));
  dispatches.onCancel('d1', 'DEADLINE');
  expect(ran[0]?.signal.aborted).toBe(true);
  finish[0]?.(Promise.reject(new Error('stopped')));
  await settled();
  expect(sent).toEqual([
    { type: 'result', dispatchId: 'd1', ok: false, error: { code: 'AGENT_ERROR', message: 'stopped' } },
  ]);
});

test('a handler starts only when a record that takes its time has noted it', async () => {
  let noted: (known: undefined) => void = () => undefined;
  const memory = new MemoryRecord(() => clock.wall());
  record = {
    begin: (request) =>
      new Promise((resolve) => {
        noted = () => resolve(memory.begin(request));
      }),
    end: async (end) => memory.end(end),
    find: async (key) => memory.find(key),
    confirmed: async (key) => memory.confirmed(key),
    unconfirmed: async () => memory.unconfirmed(),
  };
  const dispatches = start();
  dispatches.onDispatch(dispatch('d1', 'at-once'));
  dispatches.onDispatch(dispatch('d2', 'at-once'));
  dispatches.onFlush();
  expect([ran.length, sent, dispatches.inFlight]).toEqual([0, [], 1]);
  noted(undefined);
  await settled();
  expect(sent).toEqual([ack('d2'), result('d1', 1), result('d2', 1)]);
  expect(dispatches.inFlight).toBe(0);
  start().onDispatch(dispatch('d3', 'at-once'));
  noted(undefined);
  await settled();
  expect(sent).toEqual([result('d3', 1)]);
});

test('when the record cannot say whether it knows a request, nothing is executed; an end that fails is sent', async () => {
  const memory = new MemoryRecord(() => clock.wall());
  record = {
    begin: () => Promise.reject(new Error('the database is away')),
    end: () => Promise.reject(new Error('the database is away')),
    find: (key) => memory.find(key),
    confirmed: () => undefined,
    unconfirmed: () => [],
  };
  const dispatches = start();
  dispatches.onDispatch(dispatch('d1', 'cancel'));
  await settled();
  expect(sent).toEqual([{ type: 'ack', dispatchId: 'd1', accepted: false, reason: 'BUSY', retryAfterMs: 100 }]);
  expect([ran.length, dispatches.inFlight]).toEqual([0, 0]);
  record.begin = () => undefined;
  dispatches.onDispatch(dispatch('d2', 'at-once'));
  await settled();
  expect(sent.at(-1)).toEqual(result('d2', 1));
  expect(log).toEqual([
    'error the record of executed requests failed at begin: the database is away',
    'error the record of executed requests failed at end: the database is away',
  ]);
});

test('a task is accepted first, reports progress in order, and its result is sent until it is confirmed', async () => {
  const dispatches = start();
  dispatches.onDispatch(taskDispatch('d1'));
  expect(ran[0]?.task).toEqual({ taskId: 't1', epoch: 1 });
  ran[0]?.progress({ done: 1 });
  dispatches.onLost();
  ran[0]?.progress({ done: 2 });
  ran[0]?.progress({ done: 3 });
  dispatches.onRegistered(true);
  finish[0]?.('report');
  await settled();
  ran[0]?.progress({ done: 4 });
  const progress = { type: 'progress', dispatchId: 'd1' };
  expect(sent).toEqual([
    ack('d1'),
    { ...progress, sequence: 1, progress: { done: 1 } },
    { ...progress, sequence: 2, progress: { done: 3 } },
    result('d1', 'report'),
  ]);
  dispatches.onLost();
  dispatches.onRegistered(false);
  expect(sent.slice(4)).toEqual([result('d1', 'report')]);
  const next = start();
  expect(sent).toEqual([result('d1', 'report')]);
  next.onResultAck('d1');
  next.onResultAck('d1');
  next.onLost();
  next.onRegistered(true);
  expect(sent).toHaveLength(1);
  start();
  expect(sent).toEqual([]);
});

test('progress of a call does nothing, and only an object can be told', () => {
  const dispatches = start();
  dispatches.onDispatch(dispatch('d1', 'cancel'));
  ran[0]?.progress({ done: 1 });
  expect([ran[0]?.task, sent]).toEqual([undefined, []]);
  dispatches.onDispatch(taskDispatch('d2', 1, { requestId: 'r2' }));
  expect(() => ran[1]?.progress(7 as never)).toThrow('progress: got 7, allowed: an object');
  expect(() => ran[1]?.progress({ text: 'x'.repeat(20_000) })).toThrow('allowed are 10000');
});

test('tasks have slots of their own', () => {
  const dispatches = start({ maxConcurrency: 1, maxTasks: 1 });
  dispatches.onDispatch(dispatch('d1', 'cancel'));
  dispatches.onDispatch(taskDispatch('d2', 1, { requestId: 'r2' }));
  dispatches.onDispatch(taskDispatch('d3', 1, { requestId: 'r3' }));
  expect(sent).toEqual([
    ack('d2'),
    { type: 'ack', dispatchId: 'd3', accepted: false, reason: 'BUSY', retryAfterMs: 100 },
  ]);
  expect([dispatches.inFlight, dispatches.tasksRunning]).toEqual([1, 1]);
});

test('an idempotent task that a dead process had begun runs again; another does not', () => {
  const first = start();
  first.onDispatch(taskDispatch('d1'));
  first.onDispatch(dispatch('d2', 'cancel', { requestId: 'r2', task: { taskId: 't2', epoch: 1 } }));
  const next = start();
  next.onRecall(recall('d1'));
  next.onDispatch(taskDispatch('d3', 2));
  next.onDispatch(dispatch('d4', 'cancel', { requestId: 'r2', task: { taskId: 't2', epoch: 2 } }));
  expect(sent).toEqual([{ type: 'recalled', dispatchId: 'd1', state: 'NEVER_SEEN' }, ack('d3'), unknown('d4')]);
});

test('a task that is dispatched again while it runs tells its progress and result under the newest dispatch', async () => {
  const dispatches = start();
  dispatches.onDispatch(taskDispatch('d1'));
  dispatches.onDispatch(taskDispatch('d2', 2));
  dispatches.onCancel('d1', 'SUPERSEDED');
  expect(ran).toHaveLength(1);
  expect(ran[0]?.signal.aborted).toBe(false);
  ran[0]?.progress({ done: 1 });
  finish[0]?.('report');
  await settled();
  expect(sent.slice(2)).toEqual([
    { type: 'progress', dispatchId: 'd2', sequence: 1, progress: { done: 1 } },
    result('d1', 'report'),
    result('d2', 'report'),
  ]);
  dispatches.onResultAck('d2');
  expect(await record.unconfirmed()).toEqual([]);
});

test('an idempotent task that was cancelled and is dispatched again runs again', async () => {
  const dispatches = start();
  dispatches.onDispatch(taskDispatch('d1'));
  dispatches.onCancel('d1', 'SUPERSEDED');
  dispatches.onDispatch(taskDispatch('d2', 2));
  finish[0]?.(Promise.reject(new Error('stopped')));
  finish[1]?.('report');
  await settled();
  expect(sent).toEqual([ack('d1'), ack('d2'), result('d2', 'report')]);
  expect(dispatches.tasksRunning).toBe(0);
});

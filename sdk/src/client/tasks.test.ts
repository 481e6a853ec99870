import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TaskStreamEvent, TaskView } from '../protocol/index.js';
import { systemClock } from './clock.js';
import { checkConnectOptions } from './options.js';
import { Reach } from './reach.js';
import { ScriptedServer, type ServerSide } from './testing/scripted-server.js';

/** Comes back at once: the jitter of every wait is 0. */
const eager = { ...systemClock, random: () => 0 };

let server: ScriptedServer;
let reach: Reach;
let side: ServerSide;

beforeEach(async () => {
  server = await ScriptedServer.start();
  reach = new Reach(
    checkConnectOptions({ url: server.url, token: 'secret', drainOn: [], log: () => undefined }),
    eager,
  );
  side = await server.connection();
  await side.greet();
});

afterEach(async () => {
  const closed = reach.close();
  await server.stop();
  await closed;
});

const view = (state: TaskView['state'], more: Partial<TaskView> = {}): TaskView => ({
  taskId: 't1',
  requestId: 'r1',
  caller: 'app:shop/web',
  namespace: 'shop',
  agent: 'shop/order',
  capability: 'order_report',
  instance: 'shop/order/a',
  state,
  epoch: 1,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  deadlineAt: '2026-01-01T00:15:00.000Z',
  ...more,
});

/** The next subscription to the task: how to send to it. */
async function subscribed(at = side): Promise<(...events: TaskStreamEvent[]) => void> {
  const { id, stream, filter } = await at.next('subscribe');
  expect([stream, filter]).toEqual(['tasks', { taskId: 't1' }]);
  return (...events) => at.send(...events.map((event) => ({ type: 'event', id, event }) as const));
}

const snapshot = (...tasks: TaskView[]): TaskStreamEvent => ({ kind: 'Snapshot', position: 'e1-1', tasks });
const change = (task: TaskView): TaskStreamEvent => ({ kind: 'Change', position: 'e1-2', task });

/** Answers the next call: an instance took the task. */
async function accept(): Promise<void> {
  const { requestId } = await side.next('call');
  side.send({ type: 'accepted', requestId, taskId: 't1', attempts: 1, instance: 'shop/order/a' });
}

test('starts a task, and its result comes over a broken connection', async () => {
  const callback = { url: 'https://shop.example.com/done', secret: '0123456789abcdef' };
  const starting = reach.startTask({ capability: 'order_report', requestId: 'r1', taskTimeoutMs: 60_000, callback });
  const call = await side.next('call');
  expect(call).toMatchObject({ taskTimeoutMs: 60_000, callback });
  side.send({ type: 'accepted', requestId: 'r1', taskId: 't1', attempts: 1 });
  const task = await starting;
  expect([task.taskId, task.requestId]).toEqual(['t1', 'r1']);
  const result = task.result();
  const send = await subscribed();
  send(snapshot(view('ACCEPTED')));
  side.socket.terminate();
  const again = await server.connection();
  await again.greet();
  (await subscribed(again))(change(view('COMPLETED', { result: { lines: 3 } })));
  expect(await result).toEqual({ lines: 3 });
  await again.next('unsubscribe');
});

test('updates give the task as it is and each change, and end with it', async () => {
  const states: unknown[] = [];
  const reading = (async () => {
    for await (const { state, progress } of reach.task('t1').updates()) states.push([state, progress]);
  })();
  const send = await subscribed();
  send(snapshot(view('ACCEPTED')), { kind: 'Checkpoint', position: 'e1-1' });
  send(change(view('RUNNING', { progress: { done: 1 } })), change(view('COMPLETED', { result: 1 })));
  await reading;
  expect(states).toEqual([
    ['ACCEPTED', undefined],
    ['RUNNING', { done: 1 }],
    ['COMPLETED', undefined],
  ]);
  await side.next('unsubscribe');
});

test('a task that has ended answers from the snapshot', async () => {
  const result = reach.task('t1').result();
  (await subscribed())(snapshot(view('COMPLETED', { result: 'done' })));
  expect(await result).toBe('done');
});

test.each([
  ['FAILED', 'BUSINESS_ERROR'],
  ['CANCELLED', 'CANCELLED'],
  ['UNKNOWN', 'OUTCOME_UNKNOWN'],
] as const)('a task that ended as %s rejects with its error', async (state, code) => {
  const result = reach.task('t1').result();
  const error = { code, message: 'so it is', retryable: false };
  (await subscribed())(snapshot(view(state, { error })));
  await expect(result).rejects.toMatchObject({ code, requestId: 'r1', instance: 'shop/order/a' });
});

test('a task that is not there is NOT_FOUND', async () => {
  const [result, cancel] = [reach.task('t1').result(), reach.task('t1').cancel()];
  for (let index = 0; index < 2; index += 1) (await subscribed())(snapshot());
  await expect(result).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(cancel).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(() => reach.task('')).toThrow('task: taskId');
});

test('cancel asks again after a broken connection, and ends with the task', async () => {
  const cancelled = reach.task('t1').cancel();
  (await subscribed())(snapshot(view('RUNNING')));
  expect(await side.next('cancel')).toEqual({ type: 'cancel', taskId: 't1' });
  side.socket.terminate();
  const again = await server.connection();
  await again.greet();
  const send = await subscribed(again);
  send({ kind: 'Resync', position: 'e2-0', reason: 'another life' }, snapshot(view('RUNNING')));
  await again.next('cancel');
  send(change(view('CANCELLED')));
  await cancelled;
});

test('waits for its turn when the connection has as many streams as it may have', async () => {
  const result = reach.task('t1').result();
  const { id } = await side.next('subscribe');
  const error = { code: 'RATE_LIMITED', message: 'At most 100 streams.', retryable: true, retryAfterMs: 1 } as const;
  side.send({ type: 'error', ref: id, error });
  (await subscribed())(snapshot(view('COMPLETED', { result: 'done' })));
  expect(await result).toBe('done');
});

test('a call to a task follows it to its end', async () => {
  const states: string[] = [];
  const onUpdate = ({ state }: TaskView) => states.push(state);
  const outcome = reach.callDetailed({ capability: 'order_report', requestId: 'r1', timeoutMs: 5000, onUpdate });
  await accept();
  (await subscribed())(snapshot(view('ACCEPTED')), change(view('COMPLETED', { result: 7, instance: 'shop/order/b' })));
  expect(await outcome).toMatchObject({ result: 7, taskId: 't1', instance: 'shop/order/b', attempts: 1 });
  expect(states).toEqual(['ACCEPTED', 'COMPLETED']);
});

test('aborting a call to a task cancels the task', async () => {
  const abort = new AbortController();
  const call = reach.call({ capability: 'order_report', requestId: 'r1', signal: abort.signal });
  await accept();
  (await subscribed())(snapshot(view('ACCEPTED')));
  abort.abort();
  await expect(call).rejects.toMatchObject({ code: 'CANCELLED', requestId: 'r1' });
  expect(await side.next('cancel')).toEqual({ type: 'cancel', taskId: 't1' });
});

test('startTask can only start a task, since it always says how long that may take', async () => {
  const starting = reach.startTask({ capability: 'charge', requestId: 'r1' });
  expect(await side.next('call')).toMatchObject({ taskTimeoutMs: 900_000 });
  const error = { code: 'INVALID_PARAMS', message: 'charge is no task', retryable: false } as const;
  side.send({ type: 'reply', ok: false, error, requestId: 'r1', attempts: 0 });
  await expect(starting).rejects.toMatchObject({ code: 'INVALID_PARAMS', attempts: 0 });
});

test('startTask says that there was an answer already, and which', async () => {
  const starting = reach.startTask({ capability: 'order_query', requestId: 'r1' });
  await side.next('call');
  side.send({ type: 'reply', ok: true, result: { state: 'SENT' }, requestId: 'r1', attempts: 1 });
  await expect(starting).rejects.toMatchObject({ code: 'CONFLICT', details: { result: { state: 'SENT' } } });
});

test('closing the connection ends the waiting, not the task', async () => {
  const result = reach.task('t1').result();
  const updates = reach.task('t1').updates()[Symbol.asyncIterator]();
  const next = updates.next();
  const refused = expect(result).rejects.toMatchObject({ code: 'CANCELLED' });
  await subscribed();
  await subscribed();
  await reach.close();
  await refused;
  expect((await next).done).toBe(true);
  expect(side.received.filter((frame) => frame.type === 'cancel')).toEqual([]);
});

test('an agent answers recalls, and sends a result of a task until it is confirmed', async () => {
  const agent = reach
    .agent({
      type: 'commerce.order',
      version: '1.0.0',
      description: 'Orders',
      instance: 'a',
      record: false,
      maxTasks: 7,
    })
    .handle(
      'order_report',
      { description: 'Answers what it was asked, for tests.', input: { type: 'object' }, mode: 'TASK' },
      (_params, ctx) => {
        ctx.progress({ done: 1 });
        return 'report';
      },
    );
  const started = agent.start();
  expect((await side.admit()).maxTasks).toBe(7);
  await started;
  const caller = 'app:shop/web' as const;
  const task = { taskId: 't1', epoch: 1 };
  side.send({
    type: 'dispatch',
    dispatchId: 'd1',
    instance: 'shop/order/a',
    requestId: 'r1',
    caller,
    capability: 'order_report',
    params: {},
    timeoutMs: 10_000,
    attempt: 1,
    task,
  });
  expect(await side.next('ack')).toMatchObject({ dispatchId: 'd1', accepted: true });
  expect(await side.next('progress')).toMatchObject({ dispatchId: 'd1', sequence: 1, progress: { done: 1 } });
  expect(await side.next('result')).toMatchObject({ dispatchId: 'd1', result: 'report' });
  side.socket.terminate();
  const again = await server.connection();
  await again.greet('epoch-2');
  await again.admit();
  expect(await again.next('result')).toMatchObject({ dispatchId: 'd1', result: 'report' });
  again.send({ type: 'recall', instance: 'shop/order/b', dispatchId: 'd1', caller, requestId: 'r1' });
  again.send({ type: 'recall', instance: 'shop/order/a', dispatchId: 'd1', caller, requestId: 'r1' });
  expect(await again.next('recalled')).toEqual({
    type: 'recalled',
    dispatchId: 'd1',
    state: 'DONE',
    ok: true,
    result: 'report',
  });
  again.send({ type: 'resultAck', dispatchId: 'd1' });
  again.send({ type: 'heartbeat', instances: [], registerAgain: ['shop/order/a'] });
  await again.admit();
  expect(again.received).toEqual([]);
});

test('a broadcast answers with what everybody answered', async () => {
  const gathered = reach.broadcast({ capability: 'order_query', requestId: 'b1' });
  await side.next('broadcast');
  const answers = [{ instance: 'shop/order/a', ok: true, result: 1, durationMs: 2 }] as const;
  side.send({ type: 'gathered', requestId: 'b1', ok: true, answers, traceId: 'tr' });
  expect(await gathered).toEqual({ requestId: 'b1', traceId: 'tr', answers });
});

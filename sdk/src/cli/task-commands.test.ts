import { afterEach, beforeEach, expect, test } from 'vitest';
import { ScriptedServer, type ServerSide } from '../client/testing/scripted-server.js';
import type { TaskView } from '../protocol/index.js';
import { runProgram } from './program.js';

let server: ScriptedServer;
let out: string[];
let err: string[];
let interrupt: AbortController;

beforeEach(async () => {
  server = await ScriptedServer.start();
  out = [];
  err = [];
  interrupt = new AbortController();
});

afterEach(() => server.stop());

function run(...args: string[]): Promise<number> {
  return runProgram(args, {
    env: { REACH_URL: server.url, REACH_TOKEN: 'secret' },
    out: (line) => out.push(line),
    err: (line) => err.push(line),
    readInput: () => Promise.resolve('{}'),
    readFile: () => Promise.resolve('{}'),
    run: () => Promise.resolve(0),
    interrupted: interrupt.signal,
  });
}

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
  updatedAt: '2026-01-01T00:00:01.000Z',
  deadlineAt: '2026-01-01T00:15:00.000Z',
  ...more,
});

async function greeted(): Promise<ServerSide> {
  const side = await server.connection();
  await side.greet();
  return side;
}

/** Sends the states of the task that was subscribed to. */
async function tell(side: ServerSide, first: TaskView, ...rest: TaskView[]): Promise<void> {
  const { id, filter } = await side.next('subscribe');
  expect(filter).toEqual({ taskId: 't1' });
  side.send({ type: 'event', id, event: { kind: 'Snapshot', position: '1', tasks: [first] } });
  for (const task of rest) side.send({ type: 'event', id, event: { kind: 'Change', position: '2', task } });
}

async function accept(side: ServerSide): Promise<void> {
  const { requestId } = await side.next('call');
  side.send({ type: 'accepted', requestId, taskId: 't1', attempts: 1 });
}

const LINES = [
  '2026-01-01T00:00:01.000Z  ACCEPTED   task t1  shop/order/a',
  '2026-01-01T00:00:01.000Z  RUNNING    task t1  shop/order/a  {"done":1}',
  '2026-01-01T00:00:01.000Z  COMPLETED  task t1  shop/order/a',
];
const STATES = [
  view('ACCEPTED'),
  view('RUNNING', { progress: { done: 1 } }),
  view('COMPLETED', { progress: { done: 1 }, result: 7 }),
] as const;

test('call follows a task with a line for each change, and prints its result', async () => {
  const done = run('call', 'order_report', '--task-timeout', '60000', '--priority', '7');
  const side = await greeted();
  const { requestId, taskTimeoutMs, priority } = await side.next('call');
  expect([taskTimeoutMs, priority]).toEqual([60_000, 7]);
  side.send({ type: 'accepted', requestId, taskId: 't1', attempts: 1 });
  await tell(side, ...STATES);
  expect(await done).toBe(0);
  expect([out, err]).toEqual([['7'], LINES]);
});

test('call --detach prints the id of the task and ends', async () => {
  const done = run('call', 'order_report', '--detach');
  await accept(await greeted());
  expect(await done).toBe(0);
  expect(out).toEqual(['t1']);
});

test('call --detach on what is no task prints why it was not executed', async () => {
  const done = run('call', 'charge', '--detach');
  const side = await greeted();
  const { requestId, taskTimeoutMs } = await side.next('call');
  expect(taskTimeoutMs).toBe(900_000);
  const message = 'taskTimeoutMs: charge answers at once and is no task, so nothing goes on after its answer.';
  side.send({
    type: 'reply',
    ok: false,
    error: { code: 'INVALID_PARAMS', message, retryable: false },
    requestId,
    attempts: 0,
  });
  expect(await done).toBe(2);
  expect([out, err[0]]).toEqual([[], `INVALID_PARAMS: ${message}`]);
});

test('interrupting a call cancels its task', async () => {
  const done = run('call', 'order_report');
  const side = await greeted();
  await accept(side);
  await tell(side, view('ACCEPTED'));
  while (err.length === 0) await new Promise((resolve) => setImmediate(resolve));
  interrupt.abort();
  expect(await side.next('cancel')).toEqual({ type: 'cancel', taskId: 't1' });
  expect(await done).toBe(130);
});

test('task follows to the end', async () => {
  const done = run('task', 't1');
  await tell(await greeted(), ...STATES);
  expect(await done).toBe(0);
  expect([out, err]).toEqual([['7'], LINES]);
});

test('task --now tells how it stands, --json for programs', async () => {
  const done = run('task', 't1', '--now', '--json');
  await tell(await greeted(), view('ACCEPTED'));
  expect(await done).toBe(0);
  expect(out.map((line) => JSON.parse(line))).toEqual([view('ACCEPTED')]);
});

test('a task that failed says why and ends with the exit code of its error', async () => {
  const done = run('task', 't1');
  const error = { code: 'BUSINESS_ERROR', message: 'no such month', retryable: false } as const;
  await tell(await greeted(), view('FAILED', { error }));
  expect(await done).toBe(5);
  expect(err[1]).toBe('BUSINESS_ERROR: no such month');
});

test('interrupting task leaves the task alone', async () => {
  const done = run('task', 't1');
  const side = await greeted();
  await tell(side, view('ACCEPTED'));
  while (err.length === 0) await new Promise((resolve) => setImmediate(resolve));
  interrupt.abort();
  expect(await done).toBe(130);
  expect(side.received.filter((frame) => frame.type === 'cancel')).toEqual([]);
});

test('cancel waits until the task has ended', async () => {
  const done = run('cancel', 't1');
  const side = await greeted();
  const { id } = await side.next('subscribe');
  side.send({ type: 'event', id, event: { kind: 'Snapshot', position: '1', tasks: [view('RUNNING')] } });
  expect(await side.next('cancel')).toEqual({ type: 'cancel', taskId: 't1' });
  side.send({ type: 'event', id, event: { kind: 'Change', position: '2', task: view('CANCELLED') } });
  expect(await done).toBe(0);
  expect(err).toEqual(['task t1 has ended']);
});

test('a task that is not there is explained', async () => {
  const done = run('cancel', 't1');
  const side = await greeted();
  const { id } = await side.next('subscribe');
  side.send({ type: 'event', id, event: { kind: 'Snapshot', position: '1', tasks: [] } });
  expect(await done).toBe(1);
  expect(err[0]).toBe('NOT_FOUND: there is no task t1 of yours');
});

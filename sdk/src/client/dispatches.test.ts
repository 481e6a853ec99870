import { beforeEach, expect, test } from 'vitest';
import type { DispatchFrame, WelcomeFrame } from '../protocol/index.js';
import { Calls } from './calls.js';
import { Dispatches, type DispatchHost, type Served } from './dispatches.js';
import type { Handler, HandlerContext } from './execution.js';
import { AgentError, BusinessError } from './failures.js';
import { ManualClock } from './testing/manual-clock.js';
import { TimingWheel } from './wheel.js';

const settled = () => new Promise((resolve) => setImmediate(resolve));

let clock: ManualClock;
let sent: Record<string, unknown>[];
let host: DispatchHost;
let release: ((value: unknown) => void)[];
let contexts: HandlerContext[];
const plain: Record<string, Handler> = Object.fromEntries<Handler>([
  ['echo', (params) => params],
  ['nothing', () => undefined],
  ['refuse', () => Promise.reject(new BusinessError('out of stock', { sku: 'A1' }))],
  ['retryable', () => Promise.reject(new AgentError('pool empty', { retryable: true }))],
  ['broken', () => Promise.reject(new TypeError('x is not a function'))],
  ['circular', () => ({ big: 1n })],
  [
    'slow',
    (_params, ctx) => {
      contexts.push(ctx);
      return new Promise((resolve) => release.push(resolve));
    },
  ],
]);

const handlers = new Map<string, Served>(
  Object.entries(plain).map(([name, handler]) => [name, { handler, idempotent: true }]),
);

beforeEach(() => {
  clock = new ManualClock();
  sent = [];
  release = [];
  contexts = [];
  const wheel = new TimingWheel(clock);
  const send = (text: string) => sent.push(JSON.parse(text)) > 0;
  const welcome = { limits: { maxFrameBytes: 10_000 } } as WelcomeFrame;
  const calls = new Calls({ welcome, send }, clock, wheel, 1000);
  const call = calls.start.bind(calls);
  host = { clock, wheel, call, welcome, send, flushSoon: () => undefined, log: () => undefined };
});

function make(limits = { maxConcurrency: 10, maxQueue: 0 }): Dispatches {
  const dispatches = new Dispatches(handlers, { ...limits, maxTasks: 1 }, host);
  dispatches.onRegistered(true);
  return dispatches;
}

function dispatch(dispatchId: string, capability: string, more: Partial<DispatchFrame> = {}): DispatchFrame {
  return {
    type: 'dispatch',
    dispatchId,
    instance: 'shop/order/a',
    requestId: `r-${dispatchId}`,
    caller: 'app:shop/web',
    capability,
    params: {},
    timeoutMs: 1000,
    attempt: 1,
    ...more,
  };
}

test('a handler that is done at once sends its result and no ack', () => {
  const dispatches = make();
  dispatches.onDispatch(dispatch('d1', 'echo', { params: { n: 1 } }));
  dispatches.onDispatch(dispatch('d2', 'nothing'));
  dispatches.onFlush();
  expect(sent).toEqual([
    { type: 'result', dispatchId: 'd1', ok: true, result: { n: 1 } },
    { type: 'result', dispatchId: 'd2', ok: true, result: null },
  ]);
});

test('the ack of any other leaves at the end of the turn, before its result', async () => {
  const dispatches = make();
  dispatches.onDispatch(dispatch('d1', 'slow'));
  expect(dispatches.inFlight).toBe(1);
  dispatches.onFlush();
  release[0]?.('done');
  await settled();
  dispatches.onFlush();
  expect(sent).toEqual([
    { type: 'ack', dispatchId: 'd1', accepted: true },
    { type: 'result', dispatchId: 'd1', ok: true, result: 'done' },
  ]);
  expect(dispatches.inFlight).toBe(0);
});

test.each([
  ['refuse', { code: 'BUSINESS_ERROR', message: 'out of stock', details: { sku: 'A1' } }],
  ['retryable', { code: 'AGENT_ERROR', message: 'pool empty', retryable: true }],
  ['broken', { code: 'AGENT_ERROR', message: 'x is not a function' }],
  ['circular', { code: 'AGENT_ERROR', message: 'the result cannot be written as JSON' }],
  ['unknown', { code: 'AGENT_ERROR', message: 'this instance has no handler for unknown' }],
])('a handler that fails: %s', async (capability, error) => {
  make().onDispatch(dispatch('d1', capability));
  await settled();
  expect(sent).toEqual([{ type: 'result', dispatchId: 'd1', ok: false, error }]);
});

test('beyond its limit it queues as many as declared and refuses the rest as BUSY', async () => {
  const dispatches = make({ maxConcurrency: 1, maxQueue: 1 });
  for (const id of ['d1', 'd2', 'd3']) dispatches.onDispatch(dispatch(id, 'slow'));
  expect(sent).toEqual([{ type: 'ack', dispatchId: 'd3', accepted: false, reason: 'BUSY', retryAfterMs: 100 }]);
  expect([dispatches.inFlight, dispatches.queued]).toEqual([1, 1]);
  release[0]?.(1);
  await settled();
  expect(contexts.map((ctx) => ctx.dispatchId)).toEqual(['d1', 'd2']);
});

test('what waited until its time was over is not started', async () => {
  const dispatches = make({ maxConcurrency: 1, maxQueue: 2 });
  for (const id of ['d1', 'd2']) dispatches.onDispatch(dispatch(id, 'slow'));
  dispatches.onDispatch(dispatch('d3', 'slow', { timeoutMs: 5000 }));
  clock.advance(2000);
  release[0]?.(1);
  await settled();
  expect(contexts.map((ctx) => ctx.dispatchId)).toEqual(['d1', 'd3']);
});

test('the signal follows the cancel and the deadline, and a cancelled failure is not sent', async () => {
  const dispatches = make();
  dispatches.onDispatch(dispatch('d1', 'slow'));
  dispatches.onDispatch(dispatch('d2', 'slow'));
  const [first, second] = contexts;
  expect([first?.signal.aborted, second?.signal.aborted]).toEqual([false, false]);
  dispatches.onCancel('d1', 'CALLER');
  expect([first?.signal.aborted, second?.signal.aborted]).toEqual([true, false]);
  clock.advance(1050);
  expect(second?.signal.aborted).toBe(true);
  expect(second?.remainingMs()).toBe(0);
  release[0]?.(Promise.reject(new Error('stopped')));
  await settled();
  expect(sent).toEqual([]);
  expect(dispatches.inFlight).toBe(1);
});

test('a result without a connection is kept and sent after registering again, unless the server forgot', async () => {
  const dispatches = make();
  for (const id of ['d1', 'd2']) dispatches.onDispatch(dispatch(id, 'slow'));
  dispatches.onLost();
  release[0]?.('kept');
  await settled();
  expect(sent).toEqual([]);
  dispatches.onRegistered(true);
  expect(sent).toEqual([{ type: 'result', dispatchId: 'd1', ok: true, result: 'kept' }]);
  dispatches.onLost();
  dispatches.onRegistered(false);
  release[1]?.('nobody knows it');
  await settled();
  expect(sent).toHaveLength(1);
});

test('a dispatch that comes twice runs once', async () => {
  const dispatches = make();
  dispatches.onDispatch(dispatch('d1', 'slow'));
  dispatches.onDispatch(dispatch('d1', 'slow'));
  expect(contexts).toHaveLength(1);
});

test('while draining it refuses new dispatches and is idle when the running ones are done', async () => {
  const dispatches = make();
  dispatches.onDispatch(dispatch('d1', 'slow'));
  dispatches.refuseAll('DRAINING');
  dispatches.onDispatch(dispatch('d2', 'echo'));
  expect(sent).toEqual([{ type: 'ack', dispatchId: 'd2', accepted: false, reason: 'DRAINING' }]);
  const idle = dispatches.idle();
  release[0]?.(1);
  await idle;
  expect(dispatches.inFlight).toBe(0);
});

test('a nested call names the dispatch and has no more time than is left', async () => {
  const dispatches = make();
  dispatches.onDispatch(dispatch('d1', 'slow', { traceparent: '00-aa-bb-01' }));
  clock.advance(300);
  const nested = contexts[0]?.call({ capability: 'inventory_check', requestId: 'n1', timeoutMs: 60_000 });
  expect(sent).toEqual([
    {
      type: 'call',
      requestId: 'n1',
      target: { capability: 'inventory_check' },
      params: {},
      timeoutMs: 700,
      traceparent: '00-aa-bb-01',
      serving: 'd1',
    },
  ]);
  dispatches.onCancel('d1', 'CALLER');
  await expect(nested).rejects.toMatchObject({ code: 'CANCELLED' });
});

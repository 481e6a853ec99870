import { beforeEach, expect, test } from 'vitest';
import type { WelcomeFrame } from '../protocol/index.js';
import { Calls } from './calls.js';
import { ManualClock } from './testing/manual-clock.js';
import { TimingWheel } from './wheel.js';

const WELCOME = { limits: { maxFrameBytes: 1000 } } as WelcomeFrame;

class Link {
  welcome: WelcomeFrame | undefined = WELCOME;
  readonly sent: Record<string, unknown>[] = [];

  send = (text: string): boolean => {
    if (this.welcome === undefined) return false;
    this.sent.push(JSON.parse(text));
    return true;
  };
}

let clock: ManualClock;
let link: Link;
let calls: Calls;

beforeEach(() => {
  clock = new ManualClock();
  link = new Link();
  calls = new Calls(link, clock, new TimingWheel(clock), 30_000);
});

test('sends a call and ends it with its reply, once', async () => {
  const outcome = calls.start({ capability: 'order_query', params: { id: 7 }, requestId: 'r1', timeoutMs: 2000 });
  expect(link.sent).toEqual([
    { type: 'call', requestId: 'r1', target: { capability: 'order_query' }, params: { id: 7 }, timeoutMs: 2000 },
  ]);
  const reply = { type: 'reply', ok: true, requestId: 'r1', attempts: 1, instance: 'shop/order/a' } as const;
  calls.onAnswer({ ...reply, result: { state: 'SENT' } });
  calls.onAnswer({ ...reply, result: 'late' });
  expect(await outcome).toEqual({
    result: { state: 'SENT' },
    requestId: 'r1',
    instance: 'shop/order/a',
    attempts: 1,
    replayed: false,
    cached: false,
    fallback: undefined,
    taskId: undefined,
    traceId: undefined,
  });
  expect(calls.size).toBe(0);
});

test('rejects with the code, requestId and attempts of the reply', async () => {
  const call = calls.start({ agent: 'order', requestId: 'r1' });
  const error = { code: 'REFUSED', message: 'busy', retryable: true, retryAfterMs: 300 } as const;
  calls.onAnswer({ type: 'reply', ok: false, error, requestId: 'r1', attempts: 3 });
  await expect(call).rejects.toMatchObject({ code: 'REFUSED', retryAfterMs: 300, requestId: 'r1', attempts: 3 });
});

test('reports every fault of a request', async () => {
  const request = { params: [] as never, requestId: '', timeoutMs: 0.5 };
  await expect(calls.start(request)).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    fields: [{ path: 'capability' }, { path: 'params' }, { path: 'requestId' }, { path: 'timeoutMs' }],
  });
  expect(link.sent).toEqual([]);
});

test('sends a need and versions as they are', async () => {
  const call = calls.start({ need: 'where is my order', agent: 'order', versions: '^1.2', requestId: 'r1' });
  const target = { need: 'where is my order', agent: 'order', versions: '^1.2' };
  expect(link.sent).toEqual([{ type: 'call', requestId: 'r1', target, params: {} }]);
  calls.onAnswer({ type: 'reply', ok: true, result: 1, requestId: 'r1', attempts: 1 });
  expect((await call).result).toBe(1);
});

test.each([
  [{ need: 'orders', capability: 'order_query' }, 'need', 'one of capability and need'],
  [{ need: '' }, 'need', 'text of 1 to 500 characters'],
  [{ need: 'x'.repeat(501), agent: 'order' }, 'need', 'text of 1 to 500 characters'],
  [{ capability: 'c', versions: '^^1' }, 'versions', expect.stringContaining('a semantic version range')],
  [{}, 'capability', 'at least one of capability, need, agent and type, as text'],
])('refuses a target of %j', async (target, path, allowed) => {
  await expect(calls.start(target)).rejects.toMatchObject({ code: 'INVALID_INPUT', fields: [{ path, allowed }] });
  expect(link.sent).toEqual([]);
});

test('a need that is unclear rejects with its candidates', async () => {
  const call = calls.start({ need: 'orders', requestId: 'r1' });
  const candidates = [{ namespace: 'shop', capability: 'order_query', description: 'Knows orders.', score: 1.2 }];
  const error = { code: 'NEED_UNCLEAR', message: 'unclear', retryable: false, details: { candidates } } as const;
  calls.onAnswer({ type: 'reply', ok: false, error, requestId: 'r1', attempts: 0 });
  await expect(call).rejects.toMatchObject({ code: 'NEED_UNCLEAR', retryable: false, details: { candidates } });
});

test('a call without a connection waits for it and is sent with the time that is left', async () => {
  link.welcome = undefined;
  const call = calls.start({ capability: 'c', requestId: 'r1', timeoutMs: 1000 });
  clock.advance(400);
  link.welcome = WELCOME;
  calls.onOpen();
  expect(link.sent).toMatchObject([{ requestId: 'r1', timeoutMs: 600 }]);
  calls.onAnswer({ type: 'reply', ok: true, result: 1, requestId: 'r1', attempts: 1 });
  expect((await call).result).toBe(1);
});

test('a call that finds no connection within its time ends with CONNECT_FAILED and is never sent', async () => {
  link.welcome = undefined;
  const call = calls.start({ capability: 'c', timeoutMs: 1000 });
  clock.advance(1050);
  await expect(call).rejects.toMatchObject({ code: 'CONNECT_FAILED', retryable: true });
  link.welcome = WELCOME;
  calls.onOpen();
  expect(link.sent).toEqual([]);
});

/** The connection breaks. */
function lose(): void {
  link.welcome = undefined;
  calls.onLost();
}

/** There is another. */
function reopen(): void {
  link.welcome = WELCOME;
  calls.onOpen();
}

const answered = (requestId: string, result: unknown) =>
  calls.onAnswer({ type: 'reply', ok: true, result, requestId, attempts: 1 });

test('calls that were sent when the connection broke are sent again, with the time that is left', async () => {
  const sent = calls.start({ capability: 'c', requestId: 'r1', params: { n: 1 }, timeoutMs: 1000 });
  const open = calls.start({ capability: 'c', requestId: 'r2' });
  clock.advance(100);
  lose();
  const waiting = calls.start({ capability: 'c', requestId: 'r3' });
  clock.advance(300);
  reopen();
  const call = { type: 'call', target: { capability: 'c' } };
  expect(link.sent).toEqual([
    { ...call, requestId: 'r1', params: { n: 1 }, timeoutMs: 1000 },
    { ...call, requestId: 'r2', params: {} },
    { ...call, requestId: 'r1', params: { n: 1 }, timeoutMs: 600 },
    { ...call, requestId: 'r2', params: {} },
    { ...call, requestId: 'r3', params: {} },
  ]);
  for (const [requestId, result] of Object.entries({ r1: 1, r2: 2, r3: 3 })) answered(requestId, result);
  expect((await Promise.all([sent, open, waiting])).map(({ result }) => result)).toEqual([1, 2, 3]);
});

test('a sent call that finds no other connection in its time ends as CONNECTION_LOST', async () => {
  const timed = calls.start({ capability: 'c', requestId: 'r1', timeoutMs: 1000 });
  const untimed = calls.start({ capability: 'c', requestId: 'r2' });
  lose();
  clock.advance(1050);
  await expect(timed).rejects.toMatchObject({ code: 'CONNECTION_LOST', retryable: true, requestId: 'r1' });
  expect(calls.size).toBe(1);
  clock.advance(29_000);
  await expect(untimed).rejects.toMatchObject({ code: 'CONNECTION_LOST', requestId: 'r2' });
  reopen();
  expect(link.sent).toHaveLength(2);
});

test('a call that is sent a second time and gets no answer in its time ends as DEADLINE_EXCEEDED', async () => {
  const call = calls.start({ capability: 'c', requestId: 'r1', timeoutMs: 1000 });
  lose();
  clock.advance(500);
  reopen();
  clock.advance(800);
  await expect(call).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
  expect(link.sent.at(-1)).toEqual({ type: 'cancel', requestId: 'r1' });
});

test('a call that was aborted while there was no connection is not sent again', async () => {
  const abort = new AbortController();
  const call = calls.start({ capability: 'c', requestId: 'r1', signal: abort.signal });
  lose();
  abort.abort();
  reopen();
  await expect(call).rejects.toMatchObject({ code: 'CANCELLED' });
  expect(link.sent).toHaveLength(1);
});

test('tells where an answer came from', async () => {
  const cached = calls.start({ capability: 'c', requestId: 'r1', priority: 9 });
  expect(link.sent).toMatchObject([{ priority: 9 }]);
  calls.onAnswer({ type: 'reply', ok: true, result: 1, requestId: 'r1', attempts: 0, cached: true });
  expect(await cached).toMatchObject({ cached: true, fallback: undefined });
  const stale = calls.start({ capability: 'c', requestId: 'r2' });
  calls.onAnswer({ type: 'reply', ok: true, result: 1, requestId: 'r2', attempts: 2, fallback: 'STALE' });
  expect(await stale).toMatchObject({ cached: false, fallback: 'STALE' });
});

test('an accepted task ends the call with its id', async () => {
  const call = calls.start({ capability: 'c', requestId: 'r1', taskTimeoutMs: 60_000 });
  expect(link.sent).toMatchObject([{ taskTimeoutMs: 60_000 }]);
  calls.onAnswer({ type: 'accepted', requestId: 'r1', taskId: 't1', attempts: 1 });
  expect(await call).toMatchObject({ taskId: 't1', result: undefined });
});

test('reports the faults of a task request, and never its secret', async () => {
  const callback = { url: 'ftp://x', secret: 'too short' };
  const call = calls.start({ capability: 'c', priority: 10, taskTimeoutMs: 999, callback });
  await expect(call).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    message: expect.not.stringContaining('too short'),
    fields: [
      { path: 'priority', got: '10', allowed: 'a whole number from 0 to 9' },
      { path: 'taskTimeoutMs', got: '999', allowed: 'a whole number from 1000 to 86400000' },
      { path: 'callback.url', got: '"ftp://x"' },
      { path: 'callback.secret', got: '9 characters', allowed: 'a string of 16 to 256 characters' },
    ],
  });
});

test('a broadcast gathers answers, and is not sent again when the connection breaks', async () => {
  const gathered = calls.broadcast({ capability: 'c', requestId: 'b1', timeoutMs: 1000 });
  expect(link.sent).toEqual([
    { type: 'broadcast', requestId: 'b1', target: { capability: 'c' }, params: {}, timeoutMs: 1000 },
  ]);
  const answers = [
    { instance: 'shop/order/a', ok: true, result: 1, durationMs: 3 },
    {
      instance: 'shop/order/b',
      ok: false,
      error: { code: 'REFUSED', message: 'busy', retryable: true },
      durationMs: 1,
    },
  ] as const;
  calls.onAnswer({ type: 'gathered', requestId: 'b1', ok: true, answers, traceId: 'tr' });
  expect(await gathered).toEqual({ answers, requestId: 'b1', traceId: 'tr' });
  const nobody = calls.broadcast({ capability: 'c', requestId: 'b2' });
  const error = { code: 'NO_ROUTE', message: 'nobody', retryable: true } as const;
  calls.onAnswer({ type: 'gathered', requestId: 'b2', ok: false, error, traceId: 'tr' });
  await expect(nobody).rejects.toMatchObject({ code: 'NO_ROUTE', requestId: 'b2', traceId: 'tr' });
  const lost = calls.broadcast({ capability: 'c', requestId: 'b3' });
  lose();
  await expect(lost).rejects.toMatchObject({ code: 'CONNECTION_LOST' });
  reopen();
  expect(link.sent).toHaveLength(3);
});

test('a server that does not say so itself is overdue shortly after the deadline', async () => {
  const call = calls.start({ capability: 'c', requestId: 'r1', timeoutMs: 1000 });
  clock.advance(1000);
  expect(calls.size).toBe(1);
  clock.advance(300);
  await expect(call).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
  expect(link.sent.at(-1)).toEqual({ type: 'cancel', requestId: 'r1' });
});

test('aborting its signal cancels a call at the server', async () => {
  const abort = new AbortController();
  const call = calls.start({ capability: 'c', requestId: 'r1', signal: abort.signal });
  abort.abort();
  await expect(call).rejects.toMatchObject({ code: 'CANCELLED' });
  expect(link.sent.at(-1)).toEqual({ type: 'cancel', requestId: 'r1' });
  await expect(calls.start({ capability: 'c', signal: abort.signal })).rejects.toMatchObject({ code: 'CANCELLED' });
});

test('a second call under a requestId that waits is a CONFLICT', async () => {
  const first = calls.start({ capability: 'c', requestId: 'r1' });
  await expect(calls.start({ capability: 'c', requestId: 'r1' })).rejects.toMatchObject({ code: 'CONFLICT' });
  calls.onAnswer({ type: 'reply', ok: true, result: 1, requestId: 'r1', attempts: 1 });
  expect((await first).result).toBe(1);
});

test('parameters over the limit of a frame are refused here', async () => {
  const call = calls.start({ capability: 'c', params: { text: 'x'.repeat(2000) } });
  await expect(call).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE', fields: [{ allowed: 'at most 1000 bytes' }] });
  expect(link.sent).toEqual([]);
});

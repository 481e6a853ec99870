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
  calls.onReply({ ...reply, result: { state: 'SENT' } });
  calls.onReply({ ...reply, result: 'late' });
  expect(await outcome).toEqual({
    result: { state: 'SENT' },
    requestId: 'r1',
    instance: 'shop/order/a',
    attempts: 1,
    replayed: false,
    traceId: undefined,
  });
  expect(calls.size).toBe(0);
});

test('rejects with the code, requestId and attempts of the reply', async () => {
  const call = calls.start({ agent: 'order', requestId: 'r1' });
  const error = { code: 'REFUSED', message: 'busy', retryable: true, retryAfterMs: 300 } as const;
  calls.onReply({ type: 'reply', ok: false, error, requestId: 'r1', attempts: 3 });
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
  calls.onReply({ type: 'reply', ok: true, result: 1, requestId: 'r1', attempts: 1 });
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
  calls.onReply({ type: 'reply', ok: false, error, requestId: 'r1', attempts: 0 });
  await expect(call).rejects.toMatchObject({ code: 'NEED_UNCLEAR', retryable: false, details: { candidates } });
});

test('a call without a connection waits for it and is sent with the time that is left', async () => {
  link.welcome = undefined;
  const call = calls.start({ capability: 'c', requestId: 'r1', timeoutMs: 1000 });
  clock.advance(400);
  link.welcome = WELCOME;
  calls.onOpen();
  expect(link.sent).toMatchObject([{ requestId: 'r1', timeoutMs: 600 }]);
  calls.onReply({ type: 'reply', ok: true, result: 1, requestId: 'r1', attempts: 1 });
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

test('when the connection breaks, sent calls end as CONNECTION_LOST and waiting ones go on', async () => {
  const sent = calls.start({ capability: 'c', requestId: 'r1' });
  link.welcome = undefined;
  const waiting = calls.start({ capability: 'c', requestId: 'r2' });
  calls.onLost();
  await expect(sent).rejects.toMatchObject({ code: 'CONNECTION_LOST', retryable: true, requestId: 'r1' });
  link.welcome = WELCOME;
  calls.onOpen();
  calls.onReply({ type: 'reply', ok: true, result: 2, requestId: 'r2', attempts: 1 });
  expect((await waiting).result).toBe(2);
  expect(link.sent.map((frame) => frame.requestId)).toEqual(['r1', 'r2']);
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
  calls.onReply({ type: 'reply', ok: true, result: 1, requestId: 'r1', attempts: 1 });
  expect((await first).result).toBe(1);
});

test('parameters over the limit of a frame are refused here', async () => {
  const call = calls.start({ capability: 'c', params: { text: 'x'.repeat(2000) } });
  await expect(call).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE', fields: [{ allowed: 'at most 1000 bytes' }] });
  expect(link.sent).toEqual([]);
});

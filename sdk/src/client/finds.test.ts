import { beforeEach, expect, test } from 'vitest';
import { type FoundCapability, ReachError } from '../protocol/index.js';
import { Finds } from './finds.js';
import { ManualClock } from './testing/manual-clock.js';
import { TimingWheel } from './wheel.js';

const REFUND: FoundCapability = {
  namespace: 'shop',
  capability: 'payment_refund',
  aliases: [],
  description: 'Gives money back.',
  tags: [],
  idempotent: false,
  mode: 'SYNC',
  score: 2.5,
};

class Link {
  open = true;
  readonly sent: Record<string, unknown>[] = [];
  private ids = 0;

  send = (text: string): boolean => {
    if (this.open) this.sent.push(JSON.parse(text));
    return this.open;
  };

  nextId = (): string => String(++this.ids);
}

let clock: ManualClock;
let link: Link;
let finds: Finds;

beforeEach(() => {
  clock = new ManualClock();
  link = new Link();
  finds = new Finds(link, new TimingWheel(clock), 30_000);
});

test('asks, and resolves with what was found', async () => {
  const found = finds.start('refund', { namespace: 'shop', limit: 3 });
  expect(link.sent).toEqual([{ type: 'find', id: '1', text: 'refund', namespace: 'shop', limit: 3 }]);
  finds.onFound({ type: 'found', id: 'another', capabilities: [] });
  finds.onFound({ type: 'found', id: '1', capabilities: [REFUND] });
  expect(await found).toEqual([REFUND]);
});

test('reports every fault of a question and asks nothing', async () => {
  const options = { namespace: '', limit: 51, timeoutMs: 0 };
  await expect(finds.start('x'.repeat(501), options)).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    fields: [{ path: 'text' }, { path: 'namespace' }, { path: 'limit' }, { path: 'timeoutMs' }],
  });
  expect(link.sent).toEqual([]);
});

test('waits for the connection, and asks again on a new one', async () => {
  link.open = false;
  const found = finds.start('refund');
  link.open = true;
  finds.onOpen();
  finds.onOpen();
  expect(link.sent.map(({ id }) => id)).toEqual(['1', '1']);
  finds.onFound({ type: 'found', id: '1', capabilities: [] });
  expect(await found).toEqual([]);
});

test('ends when nothing comes in time, and says whether there was a connection', async () => {
  const unanswered = finds.start('refund', { timeoutMs: 1_000 });
  clock.advance(1_050);
  await expect(unanswered).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED', retryable: true });
  link.open = false;
  const unsent = finds.start('refund');
  clock.advance(30_050);
  await expect(unsent).rejects.toMatchObject({ code: 'CONNECT_FAILED', retryable: true });
  link.open = true;
  finds.onOpen();
  expect(link.sent).toHaveLength(1);
});

test('rejects with what the server answers', async () => {
  const found = finds.start('refund');
  expect(finds.onError('other', { code: 'RATE_LIMITED', message: 'slow', retryable: true })).toBe(false);
  expect(finds.onError('1', { code: 'RATE_LIMITED', message: 'slow', retryable: true, retryAfterMs: 200 })).toBe(true);
  await expect(found).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfterMs: 200 });
});

test('rejects what waits, and what is still to come, when the connection is over', async () => {
  const over = new ReachError('CANCELLED', 'closed');
  const waiting = finds.start('refund');
  finds.end(over);
  await expect(waiting).rejects.toBe(over);
  await expect(finds.start('refund')).rejects.toBe(over);
});

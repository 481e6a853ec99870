import type { FallbackStep } from '@agent-reach/sdk/decide';
import { describe, expect, it } from 'vitest';
import type { CallRequest } from './ports.js';
import { TestExecution } from './testing.js';
import { ORDER_CREATE, PRICE_QUERY, policyWith } from './testing-policies.js';

const CREATE: Partial<CallRequest> = {
  requestId: 'r1',
  target: { agent: 'orders', capability: 'order_create' },
  params: { item: 'pen' },
  timeoutMs: 2_000,
};
const BACKUP: FallbackStep = { kind: 'AGENT', agent: 'shop/backup' };
const MADE_UP: FallbackStep = { kind: 'ANSWER', result: { made: 'up' } };

/** Agent `orders` may not execute twice, `backup` says that it may. */
async function shop(...fallback: FallbackStep[]) {
  const x = new TestExecution();
  x.t.registry.setPolicies([policyWith({ fallback })]);
  await x.join('one', { capabilities: [ORDER_CREATE], maxConcurrency: 1 });
  await x.join('one', { capabilities: [{ ...ORDER_CREATE, idempotent: true }] }, 'backup');
  return x;
}

/** r1 is sent, and the instance is lost with it. */
async function lost(...fallback: FallbackStep[]) {
  const x = await shop(...fallback);
  const first = x.call(CREATE);
  x.t.registry.removeAgent('shop/orders');
  expect(first.outcome).toMatchObject({ ok: false, error: { code: 'OUTCOME_UNKNOWN' } });
  return x;
}

/** r1 was answered, and this server does not remember it any more. */
async function answered() {
  const x = await shop();
  x.call(CREATE);
  x.last.answer({ number: 4 });
  x.t.clock.advance(61_000);
  return x;
}

const ANSWER = { ok: true, result: { number: 4 }, replayed: true, fallback: undefined };

describe('a repetition of what may not be executed twice', () => {
  it('is not executed by a backup agent', async () => {
    const x = await lost(BACKUP);
    expect(x.call(CREATE).outcome).toMatchObject({ replayed: true, error: { code: 'OUTCOME_UNKNOWN' } });
    expect(x.received).toHaveLength(1);
  });

  it('is not given a makeshift answer', async () => {
    const x = await lost(MADE_UP);
    expect(x.call(CREATE).outcome).toMatchObject({ replayed: true, error: { code: 'OUTCOME_UNKNOWN' } });
  });

  it('gets its answer though everybody is full', async () => {
    const x = await answered();
    x.call({ ...CREATE, requestId: 'r2' });
    expect(x.call({ ...CREATE, requestId: 'r3' }).outcome).toMatchObject({ error: { code: 'OVERLOADED' } });
    expect(x.call(CREATE).outcome).toMatchObject(ANSWER);
  });

  it('gets its answer though nobody is there', async () => {
    const x = await answered();
    x.t.registry.drain('shop/orders/one', 'user:ada', '');
    expect(x.call({ ...CREATE, requestId: 'r2' }).outcome).toMatchObject({ error: { code: 'NO_ROUTE' } });
    expect(x.call(CREATE).outcome).toMatchObject(ANSWER);
  });

  it('gets its answer though the breaker is open', async () => {
    const x = await answered();
    for (let count = 1; count <= 5; count++) {
      x.call({ ...CREATE, requestId: `bad ${count}` });
      x.last.fail('AGENT_ERROR', 'out of paper');
    }
    expect(x.call({ ...CREATE, requestId: 'r2' }).outcome).toMatchObject({ error: { code: 'CIRCUIT_OPEN' } });
    expect(x.call(CREATE).outcome).toMatchObject(ANSWER);
  });

  it('gets its answer though its caller may not make another call, which costs it nothing', async () => {
    const x = await shop();
    x.t.registry.setPolicies([policyWith({ rateLimit: { calls: 1, windowMs: 3_600_000 } })]);
    x.call(CREATE);
    x.last.answer({ number: 4 });
    x.t.clock.advance(61_000);
    expect(x.call({ ...CREATE, requestId: 'r2' }).outcome).toMatchObject({ error: { code: 'RATE_LIMITED' } });
    expect(x.call(CREATE).outcome).toMatchObject(ANSWER);
  });

  it('gets its answer when the place that it waited for never became free', async () => {
    const x = await answered();
    x.t.registry.setPolicies([policyWith({ queue: { maxLength: 5, maxWaitMs: 10_000 }, fallback: [MADE_UP] })]);
    x.call({ ...CREATE, requestId: 'r2', timeoutMs: 60_000 });
    const [other, again] = [x.call({ ...CREATE, requestId: 'r3' }), x.call(CREATE)];
    x.pass(2_010);
    expect(other.outcome).toMatchObject({ ok: true, fallback: 'ANSWER' });
    expect(again.outcome).toMatchObject(ANSWER);
  });

  it('is a conflict where it asks for something else', async () => {
    const x = await lost(MADE_UP);
    expect(x.call({ ...CREATE, params: { item: 'ink' } }).outcome).toMatchObject({ error: { code: 'CONFLICT' } });
  });

  it('waits for what became of a call that an earlier server began, and falls back when it was never seen', async () => {
    const x = await shop();
    x.call(CREATE);
    const restarted = await shop(MADE_UP);
    restarted.t.registry.removeAgent('shop/orders');
    for (const [key, claim] of x.claims.stored) restarted.claims.stored.set(key, claim);
    const call = restarted.call(CREATE);
    expect(call.outcome).toBeUndefined();
    restarted.claims.stored.clear();
    restarted.recalls[0]?.resolved({ kind: 'FREE' });
    expect(call.outcome).toMatchObject({ ok: true, fallback: 'ANSWER', replayed: false });
    expect(restarted.wheel.armed).toBe(0);
  });
});

describe('a first call that nobody can take', () => {
  it('falls back once the database knows nothing of it', async () => {
    const x = await shop(BACKUP);
    x.t.registry.removeAgent('shop/orders');
    const call = x.call(CREATE);
    x.last.answer({ number: 5 });
    expect(call.outcome).toMatchObject({ ok: true, result: { number: 5 }, fallback: 'AGENT' });
  });

  it('has no fallback while the database is away, and is not kept waiting', async () => {
    const x = await shop(BACKUP, MADE_UP);
    x.t.registry.removeAgent('shop/orders');
    x.claims.away = true;
    const call = x.call(CREATE);
    x.pass(990);
    expect(call.outcome).toBeUndefined();
    x.pass(20);
    expect(call.outcome).toMatchObject({ ok: false, error: { code: 'NO_ROUTE' } });
    expect(x.received).toEqual([]);
    expect([x.claims.waiting, x.wheel.armed, x.executor.open]).toEqual([0, 0, 0]);
  });

  it('has no fallback when the database is away while it is claimed', async () => {
    const x = await shop(MADE_UP);
    x.claims.away = true;
    const call = x.call(CREATE);
    x.pass(2_010);
    expect(call.outcome).toMatchObject({ ok: false, error: { code: 'STORAGE_UNAVAILABLE' } });
  });

  it('can be cancelled while it is looked up', async () => {
    const x = await shop(MADE_UP);
    x.t.registry.removeAgent('shop/orders');
    x.claims.away = true;
    const call = x.call(CREATE);
    call.cancel();
    expect(call.outcome).toMatchObject({ ok: false, error: { code: 'CANCELLED' } });
    expect([x.claims.waiting, x.wheel.armed, x.executor.open]).toEqual([0, 0, 0]);
  });

  it('of what is idempotent asks no database', async () => {
    const x = await shop(MADE_UP);
    await x.join('one', { capabilities: [PRICE_QUERY] }, 'prices');
    x.t.registry.setPolicies([policyWith({ fallback: [{ kind: 'STALE', maxAgeMs: 60_000 }] })]);
    const price = { target: { agent: 'prices', capability: 'price_query' }, params: {} };
    x.call(price);
    x.last.answer(120);
    x.t.clock.advance(20_000);
    x.claims.away = true;
    x.t.registry.drain('shop/prices/one', 'user:ada', '');
    expect(x.call(price).outcome).toMatchObject({ ok: true, result: 120, fallback: 'STALE' });
    x.t.registry.removeAgent('shop/prices');
    expect(x.call(price).outcome).toMatchObject({ ok: true, result: 120, fallback: 'STALE' });
  });
});

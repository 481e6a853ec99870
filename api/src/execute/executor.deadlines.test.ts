import { describe, expect, it } from 'vitest';
import type { CallRequest } from './ports.js';
import { TestExecution } from './testing.js';
import { ORDER_CREATE, PRICE_QUERY } from './testing-policies.js';

const CREATE: Partial<CallRequest> = { requestId: 'r1', target: { capability: 'order_create' }, params: {} };
const PRICE: Partial<CallRequest> = { target: { capability: 'price_query' }, params: {} };
const QUERY: Partial<CallRequest> = { requestId: 'r1' };

async function shop() {
  const x = new TestExecution();
  await x.join('one', { capabilities: [ORDER_CREATE, PRICE_QUERY] }, 'shop');
  await x.join('one');
  return x;
}

describe("a first caller's deadline, while others wait for the same execution,", () => {
  it('is the end for that caller alone', async () => {
    const x = await shop();
    const first = x.call({ ...QUERY, timeoutMs: 50 });
    const second = x.call({ ...QUERY, timeoutMs: 20_000 });
    x.last.accept();
    x.pass(60);
    expect(first.outcome).toMatchObject({ ok: false, error: { code: 'DEADLINE_EXCEEDED' } });
    expect(x.last.cancelled).toBeUndefined();
    expect(second.outcome).toBeUndefined();
    x.pass(5_000);
    x.last.answer({ status: 'sent' });
    expect(second.outcome).toMatchObject({ ok: true, result: { status: 'sent' }, replayed: true });
    expect(x.received).toHaveLength(1);
    expect([x.executor.open, x.wheel.armed, x.faults]).toEqual([0, 0, []]);
    expect([...x.metrics.calls]).toEqual([
      ['DEADLINE_EXCEEDED', 1],
      ['OK', 1],
    ]);
  });

  it('says that the outcome is unknown where nothing may be executed twice, and the others get the result', async () => {
    const x = await shop();
    const first = x.call({ ...CREATE, timeoutMs: 50 });
    const second = x.call({ ...CREATE, timeoutMs: 20_000 });
    x.pass(60);
    expect(first.outcome).toMatchObject({ ok: false, error: { code: 'OUTCOME_UNKNOWN' } });
    expect(x.last.cancelled).toBeUndefined();
    x.last.answer({ number: 4 });
    expect(second.outcome).toMatchObject({ ok: true, result: { number: 4 }, replayed: true });
    expect(x.call({ ...CREATE, timeoutMs: 50 }).outcome).toMatchObject({ ok: true, result: { number: 4 } });
    expect(x.received).toHaveLength(1);
  });

  it('leaves the execution to those who make an equal call', async () => {
    const x = await shop();
    const first = x.call({ ...PRICE, timeoutMs: 50 });
    const second = x.call({ ...PRICE, timeoutMs: 20_000 });
    x.last.accept();
    x.pass(60);
    expect(first.outcome).toMatchObject({ error: { code: 'DEADLINE_EXCEEDED' } });
    x.last.answer(120);
    expect(second.outcome).toMatchObject({ ok: true, result: 120, cached: true });
    expect(x.received).toHaveLength(1);
  });

  it('is followed by the deadline of the last who waits, who may name none', async () => {
    const x = await shop();
    x.call({ ...QUERY, timeoutMs: 50 });
    const [second, third] = [x.call({ ...QUERY, timeoutMs: 3_000 }), x.call(QUERY)];
    x.last.accept();
    x.pass(3_010);
    expect(second.outcome).toMatchObject({ error: { code: 'DEADLINE_EXCEEDED' } });
    expect([x.last.cancelled, third.outcome]).toEqual([undefined, undefined]);
    // The attempt's own time is over; there is some left for another.
    x.pass(27_000);
    expect(x.received.map((each) => each.cancelled)).toEqual(['DEADLINE', undefined]);
    x.last.answer({ status: 'sent' });
    expect(third.outcome).toMatchObject({ ok: true, replayed: true });
  });

  it('still lets an overdue ack lead elsewhere', async () => {
    const x = await shop();
    await x.join('two');
    x.call({ ...QUERY, timeoutMs: 50 });
    const second = x.call({ ...QUERY, timeoutMs: 20_000 });
    const [attempt] = x.received;
    x.pass(1_510);
    expect(attempt?.cancelled).toBe('SUPERSEDED');
    x.pass(400);
    expect(x.received).toHaveLength(2);
    x.last.answer({ status: 'sent' });
    expect(second.outcome).toMatchObject({ ok: true, replayed: true });
  });

  it('lets the agent be told to stop when the last of the others leaves too', async () => {
    const x = await shop();
    const first = x.call({ ...QUERY, timeoutMs: 50 });
    const second = x.call({ ...QUERY, timeoutMs: 20_000 });
    x.last.accept();
    x.pass(60);
    second.cancel();
    expect(second.outcome).toMatchObject({ error: { code: 'CANCELLED' } });
    expect(x.last.cancelled).toBe('DEADLINE');
    expect(first.outcome).toMatchObject({ error: { code: 'DEADLINE_EXCEEDED' } });
    expect([x.executor.open, x.wheel.armed]).toEqual([0, 0]);
  });

  it('does not end the wait of the others for the database, before it is sent and after it was answered', async () => {
    const x = await shop();
    x.claims.away = true;
    const first = x.call({ ...CREATE, timeoutMs: 50 });
    const second = x.call({ ...CREATE, timeoutMs: 20_000 });
    x.pass(60);
    expect(first.outcome).toMatchObject({ error: { code: 'DEADLINE_EXCEEDED' } });
    x.claims.back();
    x.claims.away = true;
    const third = x.call({ ...CREATE, timeoutMs: 1_000 });
    x.last.answer({ number: 4 });
    x.pass(1_010);
    expect(third.outcome).toMatchObject({ error: { code: 'DEADLINE_EXCEEDED' } });
    expect(second.outcome).toBeUndefined();
    x.claims.back();
    expect(second.outcome).toMatchObject({ ok: true, result: { number: 4 } });
    expect([x.executor.open, x.wheel.armed]).toEqual([0, 0]);
  });

  it('leaves a record for each who called, and one of the execution with its attempts', async () => {
    const x = await shop();
    x.call({ ...QUERY, timeoutMs: 50 });
    x.call({ ...QUERY, timeoutMs: 20_000 });
    x.pass(60);
    x.last.answer({ status: 'sent' });
    expect(x.audit.map(({ outcome, attempts, details }) => [outcome, attempts, details.replayed])).toEqual([
      ['DEADLINE_EXCEEDED', 0, undefined],
      ['OK', 1, undefined],
      ['OK', 0, true],
    ]);
  });
});

describe("the caller's deadline of what may not be executed twice", () => {
  it('does not reach the agent, whose result is kept', async () => {
    const x = await shop();
    const call = x.call({ ...CREATE, timeoutMs: 50 });
    x.pass(60);
    expect(call.outcome).toMatchObject({ error: { code: 'OUTCOME_UNKNOWN' } });
    expect(x.last.cancelled).toBeUndefined();
    expect(x.unknown).toHaveLength(1);
  });
});

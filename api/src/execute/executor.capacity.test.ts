import { describe, expect, it } from 'vitest';
import { registerFrame } from '../perceive/testing.js';
import { TestExecution } from './testing.js';
import { policyWith } from './testing-policies.js';

const QUEUE = { maxLength: 3, maxWaitMs: 1_000 };

async function narrow(queue: typeof QUEUE | null = QUEUE) {
  const x = new TestExecution();
  const instance = await x.join('one', { maxConcurrency: 1 });
  x.t.registry.setPolicies([policyWith({ queue })]);
  return { x, instance };
}

describe('a call for which nobody has room', () => {
  it('is refused at once with a time to come back, when its policy has no queue', async () => {
    const { x } = await narrow(null);
    x.call();
    expect(x.call().outcome).toMatchObject({ error: { code: 'OVERLOADED', retryAfterMs: 200 } });
  });

  it('waits, and goes as soon as somebody is done, the higher priority first', async () => {
    const { x } = await narrow();
    x.call({ requestId: 'first' });
    const low = x.call({ requestId: 'low', priority: 1 });
    const high = x.call({ requestId: 'high', priority: 9 });
    const usual = x.call({ requestId: 'usual' });
    for (const requestId of ['first', 'high', 'usual', 'low']) {
      expect(x.last.frame.requestId).toBe(requestId);
      x.last.answer({ status: 'sent' });
    }
    expect([low, high, usual].map((call) => call.outcome?.ok)).toEqual([true, true, true]);
    expect(x.executor.waiting).toBe(0);
    expect(x.received).toHaveLength(4);
  });

  it('is refused when so many wait already', async () => {
    const { x } = await narrow();
    for (let count = 0; count < 4; count++) x.call();
    const message = 'Everybody who could take it is full, and 3 calls wait already, as many as the policy lets wait.';
    expect(x.call().outcome).toMatchObject({ error: { code: 'OVERLOADED', message } });
    expect(x.executor.waiting).toBe(3);
  });

  it('is never sent after it waited too long', async () => {
    const { x } = await narrow();
    x.call({ timeoutMs: 60_000 });
    x.last.accept();
    const late = x.call();
    const hurried = x.call({ timeoutMs: 300 });
    x.pass(310);
    expect(hurried.outcome).toMatchObject({ error: { code: 'DEADLINE_EXCEEDED' } });
    x.pass(700);
    expect(late.outcome).toMatchObject({ error: { code: 'OVERLOADED' } });
    x.last.answer({ status: 'sent' });
    expect(x.received).toHaveLength(1);
    expect(x.executor.waiting).toBe(0);
    expect(x.executor.open).toBe(0);
  });

  it('goes to an instance that joins meanwhile, and to one whose limit was raised', async () => {
    const { x } = await narrow();
    x.call();
    x.last.accept();
    const waiting = x.call();
    await x.join('two', { maxConcurrency: 1 });
    x.pass(110);
    expect(x.last.frame.instance).toBe('shop/orders/two');
    x.last.answer({ status: 'sent' });
    expect(waiting.outcome).toMatchObject({ ok: true });
  });

  it('can be cancelled', async () => {
    const { x } = await narrow();
    x.call();
    const waiting = x.call();
    waiting.cancel();
    expect(waiting.outcome).toMatchObject({ error: { code: 'CANCELLED' } });
    expect(x.executor.waiting).toBe(0);
  });

  it('is not overtaken by one that comes when room was made', async () => {
    const { x, instance } = await narrow();
    x.call();
    const waiting = x.call({ requestId: 'waiting' });
    instance.maxConcurrency = 2;
    const newcomer = x.call({ requestId: 'newcomer' });
    expect(x.last.frame.requestId).toBe('waiting');
    x.last.answer({ status: 'sent' });
    expect(waiting.outcome?.ok).toBe(true);
    expect(x.last.frame.requestId).toBe('newcomer');
    x.last.answer({ status: 'sent' });
    expect(newcomer.outcome?.ok).toBe(true);
  });
});

describe('calls that wait for different instances', () => {
  const ONE_AT_A_TIME = { maxConcurrency: 1 };

  it('do not hold up who may go to an idle one, however many they are', async () => {
    const x = new TestExecution();
    await x.join('one', ONE_AT_A_TIME);
    await x.join('one', ONE_AT_A_TIME, 'stock');
    x.t.registry.setPolicies([policyWith({ queue: { maxLength: 100, maxWaitMs: 1_000 } })]);
    const orders = { target: { agent: 'orders', capability: 'order_query' } };
    x.call(orders);
    for (let count = 0; count < 20; count++) x.call(orders);
    expect([x.received.length, x.executor.waiting]).toEqual([1, 20]);
    x.call({ requestId: 'idle', target: { agent: 'stock', capability: 'order_query' } });
    expect(x.last.frame).toMatchObject({ requestId: 'idle', instance: 'shop/stock/one' });
    expect(x.executor.waiting).toBe(20);
  });

  it('let one pass that wants another version', async () => {
    const x = new TestExecution();
    await x.join('old', { ...ONE_AT_A_TIME, version: '1.0.0' });
    await x.join('new', { ...ONE_AT_A_TIME, version: '2.0.0' });
    x.t.registry.setPolicies([policyWith({ queue: { maxLength: 100, maxWaitMs: 1_000 } })]);
    const of = (versions: string) => ({ target: { capability: 'order_query', versions } });
    x.call(of('^1'));
    x.call(of('^1'));
    x.call({ requestId: 'new', ...of('^2') });
    expect(x.last.frame).toMatchObject({ requestId: 'new', instance: 'shop/orders/new' });
    expect(x.executor.waiting).toBe(1);
  });
});

describe('a call that found room after it waited', () => {
  it('is checked against the schema of whom it goes to', async () => {
    const [query] = registerFrame().capabilities;
    if (query === undefined) throw new Error('there is no capability');
    const inputSchema = { type: 'object', properties: { id: { type: 'integer' } } };
    const x = new TestExecution();
    await x.join('old', { maxConcurrency: 1, version: '1.0.0' });
    x.t.registry.setPolicies([policyWith({ queue: QUEUE })]);
    x.call();
    const waiting = x.call({ params: { id: '7' } });
    await x.join('new', { version: '2.0.0', capabilities: [{ ...query, inputSchema }] });
    x.pass(110);
    expect(waiting.outcome).toMatchObject({ error: { code: 'INVALID_PARAMS', fields: [{ path: 'params.id' }] } });
    expect(x.received).toHaveLength(1);
  });

  it('is not sent when its time is over, though its timer is late', async () => {
    const { x } = await narrow();
    x.call({ timeoutMs: 60_000 });
    const waiting = x.call({ timeoutMs: 300 });
    x.t.clock.advance(400);
    x.last.answer({ status: 'sent' });
    expect(x.received).toHaveLength(1);
    x.pass(10);
    expect(waiting.outcome).toMatchObject({ error: { code: 'DEADLINE_EXCEEDED' } });
    expect(x.executor.waiting).toBe(0);
  });

  it('does not go to an agent that it came through: it waits for another', async () => {
    const x = new TestExecution();
    const above = await x.join('one', {}, 'above');
    await x.join('one', { maxConcurrency: 1 }, 'below');
    x.t.registry.setPolicies([policyWith({ queue: QUEUE })]);
    x.call({ target: { agent: 'above', capability: 'order_query' } });
    const serving = x.last.frame.dispatchId;
    x.call({ target: { agent: 'below', capability: 'order_query' } });
    const busy = x.last;
    const nested = x.call({ serving }, { caller: 'agent:shop/above', link: above.link });
    expect([nested.outcome, x.executor.waiting]).toEqual([undefined, 1]);
    x.pass(210);
    expect(x.received).toHaveLength(2);
    busy.answer({ status: 'sent' });
    expect(x.last.frame.instance).toBe('shop/below/one');
    x.last.answer({ status: 'sent' });
    expect(nested.outcome).toMatchObject({ ok: true, agent: 'shop/below' });
  });

  it('would loop, when there is nobody else at all', async () => {
    const x = new TestExecution();
    const above = await x.join('one', {}, 'above');
    x.t.registry.setPolicies([policyWith({ queue: QUEUE })]);
    x.call();
    const { dispatchId: serving } = x.last.frame;
    const nested = x.call({ serving }, { caller: 'agent:shop/above', link: above.link });
    expect(nested.outcome).toMatchObject({ error: { code: 'LOOP_DETECTED' } });
  });
});

describe('a rate limit', () => {
  it('of three a minute admits exactly three of ten at once, by caller, and says when to come back', async () => {
    const x = new TestExecution();
    await x.join('one');
    x.t.registry.setPolicies([policyWith({ rateLimit: { calls: 3, windowMs: 60_000 } })]);
    const calls = Array.from({ length: 10 }, () => x.call());
    expect(x.received).toHaveLength(3);
    expect(calls[9]?.outcome).toMatchObject({ error: { code: 'RATE_LIMITED', retryAfterMs: 60_000 } });
    expect(x.call({}, { caller: 'agent:shop/other' }).outcome).toBeUndefined();
    x.t.clock.advance(60_001);
    expect(x.call().outcome).toBeUndefined();
  });

  it('charges a call once, whatever its retries, and a repetition not at all', async () => {
    const x = new TestExecution();
    await x.join('one');
    await x.join('two');
    x.t.registry.setPolicies([policyWith({ rateLimit: { calls: 2, windowMs: 60_000 } })]);
    x.call({ requestId: 'r1' });
    x.last.refuse();
    x.last.answer({ status: 'sent' });
    expect(x.call({ requestId: 'r1' }).outcome).toMatchObject({ ok: true, replayed: true });
    x.call({ requestId: 'r2' });
    expect(x.call({ requestId: 'r3' }).outcome).toMatchObject({ error: { code: 'RATE_LIMITED' } });
  });
});

describe('a call after a restart of the server', () => {
  async function restarted() {
    const x = new TestExecution();
    await x.join('one');
    const agent = x.t.registry.agent('shop/orders');
    const record = x.t.registry.record('shop/orders/one');
    if (agent === undefined || record === undefined) throw new Error('nobody joined');
    const next = new TestExecution();
    next.t.registry.putAgent(agent);
    next.t.registry.restoreInstance(record);
    return next;
  }

  it('waits for those who were here before, and goes to the first that is back', async () => {
    const x = await restarted();
    const call = x.call({ timeoutMs: 10_000 });
    x.pass(2_000);
    expect(call.outcome).toBeUndefined();
    await x.join('one');
    x.pass(100);
    x.last.answer({ status: 'sent' });
    expect(call.outcome).toMatchObject({ ok: true, attempts: 1 });
    expect(x.executor.waiting).toBe(0);
  });

  it('ends as NO_ROUTE when none of them is back within a lease', async () => {
    const x = await restarted();
    const call = x.call({ timeoutMs: 60_000 });
    for (let second = 0; second < 16; second++) {
      x.pass(1_000);
      x.t.registry.sweep();
    }
    expect(call.outcome).toMatchObject({ ok: false, error: { code: 'NO_ROUTE' } });
    expect(x.executor.open).toBe(0);
  });
});

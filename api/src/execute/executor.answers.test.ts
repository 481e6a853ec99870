import type { FallbackStep } from '@agent-reach/sdk/decide';
import { describe, expect, it } from 'vitest';
import type { CallRequest } from './ports.js';
import { TestExecution } from './testing.js';
import { ORDER_CREATE, PRICE_QUERY, policyWith } from './testing-policies.js';

const PRICE: Partial<CallRequest> = { target: { capability: 'price_query' }, params: { item: 'pen' } };

async function shop(capability = PRICE_QUERY, ...agents: string[]) {
  const x = new TestExecution();
  for (const agent of ['orders', ...agents]) await x.join('one', { capabilities: [capability] }, agent);
  return x;
}

describe('a remembered answer', () => {
  it('is given again while it is fresh, to the same caller, flagged', async () => {
    const x = await shop();
    x.call(PRICE);
    x.last.answer(120);
    expect(x.call(PRICE).outcome).toMatchObject({ ok: true, result: 120, cached: true, instance: 'shop/orders/one' });
    expect(x.call({ ...PRICE, params: { item: 'ink' } }).outcome).toBeUndefined();
    expect(x.call(PRICE, { caller: 'agent:shop/other' }).outcome).toBeUndefined();
    x.t.clock.advance(10_001);
    expect(x.call(PRICE).outcome).toBeUndefined();
    expect(x.received).toHaveLength(4);
  });

  it('is shared by callers where the capability says that it does not depend on them, permission first', async () => {
    const x = await shop({ ...PRICE_QUERY, callerIndependent: true });
    x.call(PRICE);
    x.last.answer(120);
    expect(x.call(PRICE, { caller: 'agent:shop/other' }).outcome).toMatchObject({ result: 120, cached: true });
    x.t.registry.setPermissions([
      { id: 'a', namespace: 'shop', caller: 'agent:shop/web', target: '*', capability: '*', effect: 'ALLOW' },
    ]);
    expect(x.call(PRICE, { caller: 'agent:shop/other' }).outcome).toMatchObject({ error: { code: 'DENIED' } });
  });

  it('is none of what a canary answered to a caller in production', async () => {
    const x = await shop();
    const [canary] = x.t.registry.live();
    if (canary === undefined) throw new Error('nobody joined');
    canary.domain = 'CANARY';
    x.t.registry.table.put(canary);
    x.t.registry.setCanaryShares(new Map([['shop', 100]]));
    x.call(PRICE);
    x.last.answer(120);
    expect(x.call(PRICE).outcome).toBeUndefined();
    x.last.answer(120);
    x.call(PRICE, { domain: 'CANARY' });
    x.last.answer(120);
    expect(x.call(PRICE, { domain: 'CANARY' }).outcome).toMatchObject({ result: 120, cached: true });
  });

  it('answers even when everybody is full', async () => {
    const x = await shop();
    x.call(PRICE);
    x.last.answer(120);
    for (const instance of x.t.registry.live()) instance.maxConcurrency = 0;
    expect(x.call(PRICE).outcome).toMatchObject({ ok: true, cached: true });
    expect(x.call({ ...PRICE, params: { item: 'ink' } }).outcome).toMatchObject({ error: { code: 'OVERLOADED' } });
  });

  it('serves equal calls that come while the first is under way, each within its own time', async () => {
    const x = await shop();
    const first = x.call(PRICE);
    const equals = [x.call(PRICE), x.call(PRICE)];
    const hurried = x.call({ ...PRICE, timeoutMs: 100 });
    expect(x.received).toHaveLength(1);
    x.pass(110);
    expect(hurried.outcome).toMatchObject({ error: { code: 'DEADLINE_EXCEEDED' } });
    x.last.answer(120);
    expect(first.outcome).toMatchObject({ result: 120, cached: false });
    expect(equals.map((call) => call.outcome)).toMatchObject([
      { result: 120, cached: true },
      { result: 120, cached: true },
    ]);
    expect(x.executor.open).toBe(0);
    expect(x.audit).toHaveLength(4);
  });

  it('goes on for those who wait when the first caller cancels, and stops with the last of them', async () => {
    const x = await shop();
    const first = x.call(PRICE);
    const second = x.call(PRICE);
    first.cancel();
    expect(x.last.cancelled).toBeUndefined();
    second.cancel();
    expect(x.last.cancelled).toBe('CALLER');
    expect(x.executor.open).toBe(0);
  });

  it('a call that may not have the answer of the agent that gave it is served by another that it may call', async () => {
    const x = await shop({ ...PRICE_QUERY, callerIndependent: true }, 'stock');
    const rule = { namespace: 'shop', capability: '*', effect: 'ALLOW' } as const;
    x.t.registry.setPermissions([
      { ...rule, id: 'a', caller: 'agent:shop/web', target: 'shop/orders' },
      { ...rule, id: 'b', caller: 'agent:shop/other', target: 'shop/stock' },
    ]);
    const first = x.call(PRICE);
    const others = [
      x.call(PRICE, { caller: 'agent:shop/other' }),
      x.call({ ...PRICE, timeoutMs: 9_000 }, { caller: 'agent:shop/other' }),
    ];
    expect(x.received).toHaveLength(1);
    x.last.answer(120);
    expect(first.outcome).toMatchObject({ ok: true, result: 120, agent: 'shop/orders' });
    expect(x.received).toHaveLength(2);
    x.last.answer(130);
    expect(others.map((call) => call.outcome)).toMatchObject([
      { ok: true, result: 130, agent: 'shop/stock', cached: false },
      { ok: true, result: 130, agent: 'shop/stock', cached: true },
    ]);
    expect(x.executor.open).toBe(0);
  });

  it('a failure of an attempt is the end of all who waited for it', async () => {
    const x = await shop();
    const calls = [x.call(PRICE), x.call(PRICE)];
    x.last.fail('AGENT_ERROR', 'out of paper');
    expect(calls.map((call) => call.outcome)).toMatchObject([
      { error: { code: 'AGENT_ERROR' } },
      { error: { code: 'AGENT_ERROR' } },
    ]);
  });
});

describe('the fallback of a policy', () => {
  const NO_RETRY = { maxRetries: 0, baseMs: 0, factor: 1, capMs: 0 };

  function withFallback(x: TestExecution, ...fallback: FallbackStep[]) {
    x.t.registry.setPolicies([policyWith({ fallback, retry: NO_RETRY, candidates: [] })]);
  }

  it('asks a backup agent that the policy does not list as a candidate', async () => {
    const x = await shop(PRICE_QUERY, 'backup');
    const fallback: FallbackStep[] = [{ kind: 'AGENT', agent: 'shop/backup' }];
    x.t.registry.setPolicies([policyWith({ fallback, retry: NO_RETRY, candidates: ['shop/orders'] })]);
    const call = x.call(PRICE);
    x.last.fail('AGENT_ERROR', 'out of paper');
    x.last.answer(130);
    expect(call.outcome).toMatchObject({ ok: true, result: 130, fallback: 'AGENT', agent: 'shop/backup' });
  });

  it('gives the call to the backup agent, and says so', async () => {
    const x = await shop(PRICE_QUERY, 'backup');
    withFallback(x, { kind: 'AGENT', agent: 'shop/backup' });
    const call = x.call({ ...PRICE, target: { agent: 'orders', capability: 'price_query' } });
    x.last.fail('AGENT_ERROR', 'out of paper');
    expect(x.last.frame.instance).toBe('shop/backup/one');
    x.last.answer(130);
    expect(call.outcome).toMatchObject({ ok: true, result: 130, fallback: 'AGENT', attempts: 2, agent: 'shop/backup' });
  });

  it('gives the last good answer when nobody is left at all, flagged', async () => {
    const x = await shop();
    withFallback(x, { kind: 'STALE', maxAgeMs: 60_000 });
    x.call(PRICE);
    x.last.answer(120);
    x.t.registry.removeAgent('shop/orders');
    x.t.clock.advance(20_000);
    expect(x.call(PRICE).outcome).toMatchObject({ ok: true, result: 120, fallback: 'STALE', cached: false });
    x.t.clock.advance(50_000);
    expect(x.call(PRICE).outcome).toMatchObject({ ok: false, error: { code: 'NO_ROUTE' } });
  });

  it('gives a fixed answer when nothing else helps, and a repetition tries the real thing again', async () => {
    const x = await shop(PRICE_QUERY, 'backup');
    withFallback(x, { kind: 'AGENT', agent: 'shop/backup' }, { kind: 'ANSWER', result: { price: 'ask' } });
    const call = x.call({ ...PRICE, requestId: 'r1', target: { agent: 'orders', capability: 'price_query' } });
    x.last.fail('AGENT_ERROR', 'out of paper');
    x.last.fail('AGENT_ERROR', 'no ink either');
    expect(call.outcome).toMatchObject({ ok: true, result: { price: 'ask' }, fallback: 'ANSWER', instance: undefined });
    x.call({ ...PRICE, requestId: 'r1', target: { agent: 'orders', capability: 'price_query' } });
    expect(x.received).toHaveLength(3);
  });

  it('is forgotten by equal calls that were given its answer too', async () => {
    const x = await shop();
    withFallback(x, { kind: 'ANSWER', result: { price: 'ask' } });
    x.call(PRICE);
    const equal = x.call({ ...PRICE, requestId: 'equal' });
    x.last.fail('AGENT_ERROR', 'out of paper');
    expect(equal.outcome).toMatchObject({ ok: true, result: { price: 'ask' }, fallback: 'ANSWER' });
    const again = x.call({ ...PRICE, requestId: 'equal' });
    x.last.answer(120);
    expect(again.outcome).toMatchObject({ ok: true, result: 120, replayed: false });
  });

  it('tells the first failure when no step gives an answer', async () => {
    const x = await shop();
    withFallback(x, { kind: 'AGENT', agent: 'shop/nobody' });
    const call = x.call(PRICE);
    x.last.fail('AGENT_ERROR', 'out of paper');
    expect(call.outcome).toMatchObject({ ok: false, error: { code: 'AGENT_ERROR', message: 'out of paper' } });
  });

  it('is not for what the caller or the agent decided', async () => {
    const x = await shop();
    withFallback(x, { kind: 'ANSWER', result: {} });
    const call = x.call(PRICE);
    x.last.fail('BUSINESS_ERROR', 'no such item');
    expect(call.outcome).toMatchObject({ error: { code: 'BUSINESS_ERROR' } });
    expect(x.call({ ...PRICE, params: { color: 'red' } }).outcome).toMatchObject({ error: { code: 'INVALID_PARAMS' } });
  });

  it('never hides that something may have been executed', async () => {
    const x = await shop(ORDER_CREATE);
    withFallback(x, { kind: 'ANSWER', result: {} });
    const call = x.call({ target: { capability: 'order_create' }, params: {}, timeoutMs: 100 });
    x.pass(110);
    expect(call.outcome).toMatchObject({ ok: false, error: { code: 'OUTCOME_UNKNOWN' } });
  });

  it('gives its claim back when a fixed answer takes the place of what nobody took', async () => {
    const x = await shop(ORDER_CREATE);
    withFallback(x, { kind: 'ANSWER', result: { queued: true } });
    const call = x.call({ target: { capability: 'order_create' }, params: {} });
    x.last.refuse();
    expect(call.outcome).toMatchObject({ ok: true, result: { queued: true }, fallback: 'ANSWER' });
    expect(x.claims.stored.size).toBe(0);
  });
});

describe('a late answer', () => {
  it('of an attempt that was given up wins while its call goes on', async () => {
    const x = new TestExecution();
    const one = await x.join('one');
    const two = await x.join('two');
    const call = x.call({ timeoutMs: 20_000 });
    const first = x.last;
    x.pass(1_510);
    expect(first.cancelled).toBe('SUPERSEDED');
    x.pass(400);
    const second = x.last;
    expect(second).not.toBe(first);
    first.answer({ status: 'sent' });
    expect(call.outcome).toMatchObject({ ok: true, attempts: 2, instance: first.frame.instance });
    expect(second.cancelled).toBe('SUPERSEDED');
    second.answer({ status: 'lost' });
    expect(x.metrics.lateFrames).toBe(1);
    expect([one.live.inFlight, two.live.inFlight]).toEqual([0, 0]);
    expect(x.wheel.armed).toBe(0);
  });
});

describe('a late answer of the agent that was asked first', () => {
  it('is no fallback, and is remembered, though a backup agent was asked meanwhile', async () => {
    const x = await shop(PRICE_QUERY, 'backup');
    const retry = { maxRetries: 0, baseMs: 0, factor: 1, capMs: 0 };
    x.t.registry.setPolicies([policyWith({ fallback: [{ kind: 'AGENT', agent: 'shop/backup' }], retry })]);
    const asked = { ...PRICE, target: { agent: 'orders', capability: 'price_query' } };
    const call = x.call({ ...asked, timeoutMs: 20_000 });
    const first = x.last;
    x.pass(1_510);
    expect(x.last.frame.instance).toBe('shop/backup/one');
    first.answer(120);
    expect(x.last.cancelled).toBe('SUPERSEDED');
    expect(call.outcome).toMatchObject({ ok: true, result: 120, agent: 'shop/orders', fallback: undefined });
    expect(x.call(asked).outcome).toMatchObject({ ok: true, result: 120, agent: 'shop/orders', cached: true });
  });
});

describe('a late answer from a version that may be repeated, to a call that goes on with one that may not', () => {
  const CREATE: Partial<CallRequest> = { requestId: 'r1', target: { capability: 'order_create' }, timeoutMs: 20_000 };

  /** The attempt on the first version has been given up for lost, and the call is on its way to the second. */
  async function movedOn(away: boolean) {
    const x = new TestExecution();
    await x.join('one', { version: '1.0.0', capabilities: [{ ...ORDER_CREATE, idempotent: true }] });
    const call = x.call({ ...CREATE, params: { item: 'pen' } });
    await x.join('two', { version: '2.0.0', capabilities: [ORDER_CREATE] });
    x.claims.away = away;
    x.pass(1_910);
    return { x, call, first: x.received[0] };
  }

  it('wins while the other is only claimed: nothing is sent, and the claim is given back', async () => {
    const { x, call, first } = await movedOn(true);
    first?.answer({ number: 4 });
    expect(call.outcome).toMatchObject({ ok: true, result: { number: 4 }, instance: 'shop/orders/one' });
    x.claims.back();
    expect(x.received).toHaveLength(1);
    expect(x.claims.stored.size).toBe(0);
    expect(x.t.registry.instances().map(({ inFlight }) => inFlight)).toEqual([0, 0]);
    expect(x.wheel.armed).toBe(0);
  });

  it('is too late once the other was sent, which goes on and is what counts', async () => {
    const { x, call, first } = await movedOn(false);
    expect(x.received).toHaveLength(2);
    first?.answer({ number: 4 });
    expect(x.last.cancelled).toBeUndefined();
    expect(x.metrics.lateFrames).toBe(1);
    x.last.answer({ number: 5 });
    expect(call.outcome).toMatchObject({ ok: true, result: { number: 5 }, instance: 'shop/orders/two' });
    expect(x.claims.stored.get('agent:shop/web r1')?.outcome).toMatchObject({
      result: { number: 5 },
      instance: 'shop/orders/two',
    });
  });
});

describe('a loop', () => {
  it('is found by depth when the agents do not say for what they call', async () => {
    const x = new TestExecution();
    await x.join('one', {}, 'a');
    await x.join('one', {}, 'b');
    const serving = (agent: string) => {
      const ref = `shop/${agent}/one` as const;
      const link = x.t.registry.table.instance(ref)?.link;
      return { caller: `agent:shop/${agent}` as const, link, serves: new Set([ref]) };
    };
    const calls = [x.call({ requestId: 'c0', target: { agent: 'a' } })];
    for (let depth = 1; depth <= 8; depth++) {
      const [from, to] = depth % 2 === 1 ? ['a', 'b'] : ['b', 'a'];
      calls.push(x.call({ requestId: `c${depth}`, target: { agent: to } }, serving(from)));
    }
    expect(x.received).toHaveLength(8);
    const refused = calls[8]?.outcome;
    expect(refused).toMatchObject({ ok: false, error: { code: 'LOOP_DETECTED' } });
    expect(refused?.ok === false && refused.error.message).toContain('shop/a → shop/b → shop/a');
  });
});

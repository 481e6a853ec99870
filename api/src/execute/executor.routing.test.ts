import { DEFAULT_POLICY_CONTENT, type PolicyContent, replayDecision } from '@agent-reach/sdk/decide';
import { describe, expect, it } from 'vitest';
import { TestExecution } from './testing.js';
import { ORDER_PACK } from './testing-policies.js';

function withPolicy(x: TestExecution, content: Partial<PolicyContent>): void {
  const policy = { ...DEFAULT_POLICY_CONTENT, ...content };
  x.t.registry.setPolicies([
    {
      id: 'p1',
      namespace: 'shop',
      name: 'under test',
      version: 3,
      content: policy,
      rolloutPercent: 100,
      stable: undefined,
    },
  ]);
}

describe('a choice', () => {
  it('takes its turn only when it is acted upon', async () => {
    const x = new TestExecution();
    withPolicy(x, { strategy: { name: 'ROUND_ROBIN' } });
    await x.join('one');
    await x.join('two');
    const names = () => x.received.map(({ instance }) => instance.record.name);
    x.call();
    const { request, caller } = x.parts();
    for (let look = 0; look < 5; look++) x.router.explain(request, caller);
    x.call({ params: { wrong: true } });
    x.call();
    x.call();
    expect(names().slice(0, 2).sort()).toEqual(['one', 'two']);
    expect(names()[2]).toBe(names()[0]);
  });

  it('binds an affinity key, and an empty key is none', async () => {
    const x = new TestExecution();
    withPolicy(x, { strategy: { name: 'LEAST_IN_FLIGHT' }, sticky: true });
    await x.join('one');
    await x.join('two');
    for (let call = 0; call < 6; call++) x.call({ affinityKey: 'cart-7' });
    expect(new Set(x.received.map(({ instance }) => instance.ref)).size).toBe(1);
    const before = x.received.length;
    for (let call = 0; call < 12; call++) x.call({ affinityKey: '' });
    expect(new Set(x.received.slice(before).map(({ instance }) => instance.ref)).size).toBe(2);
    expect(x.t.registry.table.bindings.size).toBe(1);
  });
});

describe('quality', () => {
  it('counts the attempts of five minutes, and time alone forgives', async () => {
    const x = new TestExecution();
    const quality = { base: 100, successWeight: 60, latencyWeight: 40, latencyBoundMs: 5_000 };
    const breaker = { ...DEFAULT_POLICY_CONTENT.breaker, consecutiveFailures: 1_000, errorRate: 1 };
    withPolicy(x, { strategy: { name: 'QUALITY', quality }, breaker });
    const one = await x.join('one');
    const two = await x.join('two');
    const serve = (fails: boolean) => {
      x.call();
      if (fails) x.last.fail('AGENT_ERROR', 'broken');
      else x.last.answer({ status: 'sent' });
      return x.last.instance;
    };
    const failing = serve(true);
    const other = failing === one ? two : one;
    expect([failing.live.successRate, other.live.successRate]).toEqual([0, null]);
    for (let call = 0; call < 10; call++) expect(serve(false)).toBe(other);
    expect(other.live.successRate).toBe(1);
    expect(other.live.meanLatencyMs).not.toBeNull();
    // A business error is an answer; what the caller did wrong says nothing of the instance.
    x.call();
    x.last.fail('BUSINESS_ERROR', 'sold out');
    x.call().cancel();
    expect(other.live.successRate).toBe(1);
    x.pass(300_000);
    x.executor.attempts.refreshQuality(x.t.registry.live());
    expect([failing.live.successRate, other.live.successRate]).toEqual([null, null]);
    expect([failing.live.meanLatencyMs, other.live.meanLatencyMs]).toEqual([null, null]);
    expect(new Set(Array.from({ length: 6 }, () => x.call() && x.last.instance))).toEqual(new Set([one, two]));
  });
});

describe('a call by need', () => {
  it('goes to the capability that it means, and its record keeps both', async () => {
    const x = new TestExecution();
    x.needs.set('where is my order?', 'order_query');
    await x.join('one');
    const call = x.call({ target: { need: 'where is my order?' } });
    x.last.answer({ status: 'sent' });
    expect(call.outcome).toMatchObject({ ok: true, capability: 'order_query' });
    expect(x.audit.at(-1)).toMatchObject({
      capability: 'order_query',
      details: { need: 'where is my order?', alias: undefined },
    });
  });

  it('that means nothing ends without an attempt', async () => {
    const x = new TestExecution();
    await x.join('one');
    const call = x.call({ target: { need: 'make coffee' } });
    expect(call.outcome).toMatchObject({ ok: false, attempts: 0, error: { code: 'NO_ROUTE' } });
    expect(x.received).toHaveLength(0);
    expect(x.audit.at(-1)).toMatchObject({ outcome: 'NO_ROUTE', details: { need: 'make coffee' } });
  });

  it('repeated under its requestId gets the first answer; another need is a conflict', async () => {
    const x = new TestExecution();
    x.needs.set('where is my order?', 'order_query');
    x.needs.set('find the order', 'order_query');
    await x.join('one');
    x.call({ requestId: 'r', target: { need: 'where is my order?' } });
    x.last.answer({ status: 'sent' });
    expect(x.call({ requestId: 'r', target: { need: 'where is my order?' } }).outcome).toMatchObject({
      ok: true,
      replayed: true,
    });
    expect(x.call({ requestId: 'r', target: { need: 'find the order' } }).outcome).toMatchObject({
      ok: false,
      error: { code: 'CONFLICT' },
    });
  });
});

describe('a recorded call', () => {
  it('replays to the same choice, and keeps no affinity key', async () => {
    const x = new TestExecution();
    x.recording = true;
    x.random = 0.37;
    for (const name of ['one', 'two', 'three']) await x.join(name);
    for (let call = 0; call < 9; call++) x.call({ affinityKey: `customer-${call % 3}` });
    expect(x.recorded).toHaveLength(9);
    expect(JSON.stringify(x.recorded)).not.toContain('customer-');
    const replayed = x.recorded.map((call) => replayDecision(call, x.t.registry.table.policies).chosen);
    expect(replayed).toEqual(x.received.map(({ instance }) => instance.ref));
  });

  it('made while serving is recorded where it went, past the agents above it', async () => {
    const x = new TestExecution();
    x.recording = true;
    const one = await x.join('one');
    x.call();
    await x.join('other', {}, 'stock');
    const serving = x.last.frame.dispatchId;
    for (let call = 0; call < 6; call++) {
      x.call({ requestId: `n${call}`, serving }, { caller: 'agent:shop/orders', link: one.link });
    }
    const nested = x.recorded.slice(1);
    expect(nested.map(({ chosen }) => chosen)).toEqual(Array(6).fill('shop/stock/other'));
    const { policies } = x.t.registry.table;
    expect(nested.map((call) => replayDecision(call, policies).chosen)).toEqual(Array(6).fill('shop/stock/other'));
  });

  it('is recorded once, whatever its retries', async () => {
    const x = new TestExecution();
    x.recording = true;
    await x.join('one');
    await x.join('two');
    x.call();
    x.last.refuse();
    expect(x.received).toHaveLength(2);
    expect(x.recorded).toHaveLength(1);
  });
});

describe('a failed call whose retry found nobody', () => {
  it('keeps the agent that failed on record, and a repetition needs permission for it', async () => {
    const x = new TestExecution();
    x.random = 0.5;
    const one = await x.join('one');
    const call = x.call({ requestId: 'r' });
    x.last.fail('AGENT_ERROR', 'secret detail', true);
    x.t.registry.drainBySelf(one.ref, x.last.instance.link as NonNullable<typeof one.link>, 'update', undefined);
    x.pass(400);
    expect(call.outcome).toMatchObject({ ok: false, agent: 'shop/orders', error: { code: 'AGENT_ERROR' } });
    expect(x.audit.findLast(({ kind }) => kind === 'CALL')).toMatchObject({ target: 'shop/orders' });
    x.t.registry.setPermissions([]);
    expect(x.call({ requestId: 'r' }).outcome).toMatchObject({ ok: false, error: { code: 'DENIED' } });
  });
});

describe('tags of a target', () => {
  it('are compared one by one when a requestId is repeated', async () => {
    const x = new TestExecution();
    await x.join('one');
    x.call({ requestId: 'r', target: { capability: 'order_query' } });
    x.last.answer({ status: 'sent' });
    const tagged = (tags: string[]) => x.call({ requestId: 'r', target: { capability: 'order_query', tags } }).outcome;
    expect(tagged([])).toMatchObject({ ok: true, replayed: true });
    expect(tagged(['undefined'])).toMatchObject({ ok: false, error: { code: 'CONFLICT' } });
  });
});

describe('how attempts went', () => {
  it('is told of those that say something about their instance, each once', async () => {
    const x = new TestExecution();
    withPolicy(x, { retry: { ...DEFAULT_POLICY_CONTENT.retry, maxRetries: 0 } });
    await x.join('one');
    x.call();
    x.last.answer({ status: 'sent' });
    x.call();
    x.last.fail('BUSINESS_ERROR', 'sold out');
    x.call();
    x.last.answer('not what the schema says');
    x.call();
    x.last.refuse();
    x.call().cancel();
    x.call({ timeoutMs: 200 });
    x.pass(300);
    expect(x.outcomes).toEqual(['shop/orders/one did well', 'shop/orders/one did well', 'shop/orders/one failed']);
  });

  it('is told of a task when it is over, or when nobody accepted it', async () => {
    const x = new TestExecution();
    const one = await x.join('one', { capabilities: [ORDER_PACK] });
    const pack = { target: { capability: 'order_pack' }, params: { item: 'pen' } };
    x.call(pack);
    x.last.accept();
    expect(x.outcomes).toEqual([]);
    x.executor.taskOver(x.last.frame.dispatchId, one, true);
    x.call(pack);
    x.last.accept();
    x.executor.taskOver(x.last.frame.dispatchId, one, false);
    x.call(pack);
    x.executor.attempts.lost(one);
    expect(x.outcomes).toEqual(['shop/orders/one did well', 'shop/orders/one failed', 'shop/orders/one failed']);
  });
});

import { DEFAULT_POLICY_CONTENT } from '@agent-reach/sdk/decide';
import { describe, expect, it } from 'vitest';
import { TestExecution } from './testing.js';

describe('the retry budget', () => {
  it('leaves a capability whose agents all fail a hundred retries in ten seconds', async () => {
    const x = new TestExecution();
    const breaker = { ...DEFAULT_POLICY_CONTENT.breaker, consecutiveFailures: 1_000_000, errorRate: 1 };
    const content = { ...DEFAULT_POLICY_CONTENT, breaker };
    const policy = { id: 'p1', namespace: 'shop', name: 'no breaker', version: 1, content };
    x.t.registry.setPolicies([{ ...policy, rolloutPercent: 100, stable: undefined }]);
    await x.join('one', { maxConcurrency: 1_000 });
    const calls = Array.from({ length: 150 }, () => x.call());
    for (const received of [...x.received]) received.fail('AGENT_ERROR', 'down', true);
    x.pass(400);
    expect(x.received).toHaveLength(250);
    expect(calls.filter((call) => call.outcome !== undefined)).toHaveLength(50);
    expect(calls.at(-1)?.outcome).toMatchObject({ ok: false, attempts: 1, error: { code: 'AGENT_ERROR' } });
    for (const received of x.received.slice(150)) received.answer({ status: 'sent' });
    expect(calls[0]?.outcome).toMatchObject({ ok: true, attempts: 2 });
    expect(x.executor.open).toBe(0);
  });

  it('is not drawn on by the first failover, which goes at once', async () => {
    const x = new TestExecution();
    await x.join('bad', { maxConcurrency: 1_000 });
    const calls = Array.from({ length: 150 }, () => x.call());
    await x.join('good', { maxConcurrency: 1_000 });
    for (const received of x.received.slice(0, 150)) received.refuse();
    for (const received of x.received.slice(150)) received.answer({ status: 'sent' });
    expect(calls.filter((call) => call.outcome?.ok === true)).toHaveLength(150);
  });
});

describe('nested calls', () => {
  it('that have used up their retries are not begun again by the hop above', async () => {
    const x = new TestExecution();
    await x.join('one', {}, 'orders');
    const outer = x.call();
    const outerDispatch = x.last;
    const inner = x.call(
      {
        requestId: 'inner',
        serving: outerDispatch.frame.dispatchId,
        target: { agent: 'stock', capability: 'order_query' },
      },
      { caller: 'agent:shop/orders', link: outerDispatch.instance.link },
    );
    expect(inner.outcome).toMatchObject({ ok: false, error: { code: 'NO_ROUTE' } });
    outerDispatch.fail('AGENT_ERROR', 'no stock service', true);
    x.pass(400);
    // Nobody was there to be retried, so the agent's own word counts: it is repeated.
    expect(x.received).toHaveLength(2);

    await x.join('stock', {}, 'stock');
    const again = x.call(
      { requestId: 'inner-2', serving: x.last.frame.dispatchId, target: { agent: 'stock', capability: 'order_query' } },
      { caller: 'agent:shop/orders', link: outerDispatch.instance.link },
    );
    const second = x.received[1];
    second?.accept();
    for (let attempt = 0; attempt < 3; attempt++) {
      x.last.fail('AGENT_ERROR', 'down', true);
      x.pass(3_000);
    }
    expect(again.outcome).toMatchObject({ ok: false, attempts: 3, error: { code: 'AGENT_ERROR' } });
    const before = x.received.length;
    second?.fail('AGENT_ERROR', 'stock failed', true);
    x.pass(3_000);
    expect(x.received).toHaveLength(before);
    expect(outer.outcome).toMatchObject({ ok: false, attempts: 2, error: { code: 'AGENT_ERROR' } });
  });
});

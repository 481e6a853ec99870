import { describe, expect, it } from 'vitest';
import type { CallRequest } from './ports.js';
import { TestExecution } from './testing.js';
import { ORDER_CREATE, PRICE_QUERY } from './testing-policies.js';

const MIB = 1_048_576;
const PRICE: Partial<CallRequest> = { target: { capability: 'price_query' }, params: { item: 'pen' } };

/** How many of these calls are answered from memory when they are repeated, the newest first. */
function remembered(x: TestExecution, calls: readonly Partial<CallRequest>[]): number {
  const replayed = [...calls].reverse().map((call) => x.call(call).outcome?.replayed === true);
  const first = replayed.indexOf(false);
  return first === -1 ? replayed.length : first;
}

describe('the memory of outcomes holds 64 MiB, the newest', () => {
  it('of failures with what the agent said of them', async () => {
    const x = new TestExecution();
    await x.join('one');
    const calls = Array.from({ length: 70 }, (_, index) => ({ requestId: `r${index}` }));
    for (const call of calls) {
      const running = x.call(call);
      const { dispatchId } = x.last.frame;
      const error = { code: 'BUSINESS_ERROR', message: 'no', details: { page: 'x'.repeat(MIB - 200) } } as const;
      x.executor.attempts.completed(
        { type: 'result', dispatchId, ok: false, error },
        x.last.instance.link as never,
        MIB,
      );
      expect(running.outcome).toMatchObject({ ok: false, error: { code: 'BUSINESS_ERROR' } });
    }
    expect(remembered(x, calls)).toBe(64);
  });

  it('of remembered answers to equal calls', async () => {
    const x = new TestExecution();
    await x.join('one', { capabilities: [PRICE_QUERY] });
    const calls = Array.from({ length: 70 }, (_, index) => ({ ...PRICE, requestId: `r${index}` }));
    x.call({ ...PRICE, requestId: 'first' });
    const { dispatchId } = x.last.frame;
    x.executor.attempts.completed(
      { type: 'result', dispatchId, ok: true, result: 120 },
      x.last.instance.link as never,
      MIB,
    );
    for (const call of calls) expect(x.call(call).outcome).toMatchObject({ ok: true, cached: true });
    expect(remembered(x, calls)).toBe(64);
  });

  it('of what the database knew of calls to an earlier server', async () => {
    const x = new TestExecution();
    await x.join('one', { capabilities: [ORDER_CREATE] });
    const create: Partial<CallRequest> = { target: { capability: 'order_create' }, params: { item: 'pen' } };
    const calls = Array.from({ length: 70 }, (_, index) => ({ ...create, requestId: `r${index}` }));
    const caller = 'agent:shop/web';
    for (const { requestId } of calls) {
      x.claims.stored.set(`${caller} ${requestId}`, {
        caller,
        requestId,
        namespace: 'shop',
        target: { capability: 'order_create' },
        capability: 'order_create',
        paramsHash: '{"item":"pen"}',
        instance: 'shop/orders/one',
        incarnation: 'inc-one',
        dispatchId: `d-${requestId}`,
        nodeEpoch: 0n,
        agent: 'shop/orders',
        outcome: { ok: true, result: 'x'.repeat(MIB - 200), instance: 'shop/orders/one', attempts: 1 },
      });
    }
    for (const call of calls) expect(x.call(call).outcome).toMatchObject({ ok: true, replayed: true });
    x.claims.stored.clear();
    expect(remembered(x, calls)).toBe(64);
  });
});

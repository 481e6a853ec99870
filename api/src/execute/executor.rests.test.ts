import { describe, expect, it } from 'vitest';
import { TestExecution } from './testing.js';
import { policyWith } from './testing-policies.js';

async function refused(retryAfterMs: number, timeoutMs: number) {
  const x = new TestExecution();
  x.random = 0.1;
  await x.join('one');
  const call = x.call({ timeoutMs });
  x.last.refuse(retryAfterMs);
  return { x, call };
}

describe('an instance that refuses a call for a time', () => {
  it('is asked again when that is over, and not before', async () => {
    const { x, call } = await refused(2_000, 30_000);
    x.pass(1_990);
    expect(x.received).toHaveLength(1);
    x.pass(20);
    expect(x.received).toHaveLength(2);
    x.last.refuse(5_000);
    x.pass(4_990);
    expect(x.received).toHaveLength(2);
    x.pass(20);
    x.last.answer({ status: 'sent' });
    expect(call.outcome).toMatchObject({ ok: true, attempts: 3 });
    expect(x.wheel.armed).toBe(0);
  });

  it('is not waited for beyond the time of the call, whose caller hears how long it would be', async () => {
    const { x, call } = await refused(2_000, 1_500);
    expect(call.outcome).toMatchObject({
      ok: false,
      attempts: 1,
      error: { code: 'REFUSED', retryable: true, retryAfterMs: 2_000 },
    });
    const again = await refused(2_000, 3_000);
    again.x.pass(2_010);
    again.x.last.refuse(2_000);
    again.x.pass(100);
    expect(again.call.outcome).toMatchObject({ attempts: 2, error: { code: 'REFUSED' } });
    expect(again.call.outcome?.ok === false && again.call.outcome.error.retryAfterMs).toBeLessThan(2_000);
    expect([x.executor.open, again.x.executor.open, x.wheel.armed, again.x.wheel.armed]).toEqual([0, 0, 0, 0]);
  });

  it('leaves the call to another at once, also to one that comes while it is waited for', async () => {
    const { x, call } = await refused(20_000, 30_000);
    await x.join('two');
    x.pass(1_010);
    expect(x.received).toHaveLength(2);
    expect(x.last.instance.ref).toBe('shop/orders/two');
    x.last.answer({ status: 'sent' });
    expect(call.outcome).toMatchObject({ ok: true, attempts: 2 });
  });

  it('is passed over for one that was tried as well and asked for no time, and for one whose time is over first', async () => {
    const x = new TestExecution();
    await x.join('one');
    await x.join('two');
    x.call({ timeoutMs: 30_000 });
    const [first] = x.received;
    first?.refuse(20_000);
    x.last.refuse();
    x.pass(50);
    expect(x.received.map(({ instance }) => instance === first?.instance)).toEqual([true, false, false]);

    const call = x.call({ timeoutMs: 30_000 });
    const one = x.last;
    one.refuse(9_000);
    x.last.refuse(4_000);
    const two = x.last;
    x.pass(3_900);
    expect(x.last).toBe(two);
    x.pass(150);
    expect(x.last).not.toBe(two);
    expect(x.last.instance).toBe(two.instance);
    x.last.answer({ status: 'sent' });
    expect(call.outcome).toMatchObject({ ok: true, attempts: 3 });
  });

  it('gives way to the fallback when that would be a longer wait than for any other retry', async () => {
    const x = new TestExecution();
    const answer = { status: 'unknown' };
    x.t.registry.setPolicies([policyWith({ fallback: [{ kind: 'ANSWER', result: answer }] })]);
    await x.join('one');
    const call = x.call({ timeoutMs: 30_000 });
    x.last.refuse(3_500);
    expect(call.outcome).toMatchObject({ ok: true, result: answer, fallback: 'ANSWER', attempts: 1 });
    const short = x.call({ timeoutMs: 30_000 });
    x.last.refuse(2_000);
    x.pass(2_010);
    x.last.answer({ status: 'sent' });
    expect(short.outcome).toMatchObject({ ok: true, result: { status: 'sent' }, attempts: 2 });
  });

  it('is not waited for any more when the caller leaves', async () => {
    const { x, call } = await refused(2_000, 30_000);
    call.cancel();
    expect(call.outcome).toMatchObject({ error: { code: 'CANCELLED' } });
    x.pass(3_000);
    expect(x.received).toHaveLength(1);
    expect(x.executor.open).toBe(0);
  });
});

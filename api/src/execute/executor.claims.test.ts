import { describe, expect, it } from 'vitest';
import type { CallRequest } from './ports.js';
import { TestExecution } from './testing.js';
import { ORDER_CREATE, policyWith } from './testing-policies.js';

const CREATE: Partial<CallRequest> = {
  requestId: 'r1',
  target: { capability: 'order_create' },
  params: { item: 'pen' },
  timeoutMs: 2_000,
};

const KEY = 'agent:shop/web r1';

async function shop(...instances: string[]) {
  const x = new TestExecution();
  for (const name of instances) await x.join(name, { capabilities: [ORDER_CREATE] });
  return x;
}

function inFlight(x: TestExecution) {
  return x.t.registry.instances().map((instance) => instance.inFlight);
}

describe('a call that may not be executed twice', () => {
  it('is claimed before it is sent, under the attempt that is sent, and stored before it is answered', async () => {
    const x = await shop('one');
    x.claims.away = true;
    const call = x.call(CREATE);
    expect(x.received).toEqual([]);
    x.claims.back();
    expect(x.received).toHaveLength(1);
    expect(x.claims.stored.get(KEY)).toMatchObject({
      instance: 'shop/orders/one',
      incarnation: 'inc-one',
      dispatchId: x.last.frame.dispatchId,
      capability: 'order_create',
      outcome: undefined,
    });
    x.claims.away = true;
    x.last.answer({ number: 4 });
    expect(call.outcome).toBeUndefined();
    x.claims.back();
    expect(call.outcome).toMatchObject({ ok: true, result: { number: 4 }, attempts: 1 });
    expect(x.claims.stored.get(KEY)?.outcome).toMatchObject({ ok: true, result: { number: 4 }, attempts: 1 });
  });

  it('waits for the database within its time, then is STORAGE_UNAVAILABLE with nothing sent and nothing held', async () => {
    const x = await shop('one');
    x.claims.away = true;
    const call = x.call(CREATE);
    x.pass(1_990);
    expect(call.outcome).toBeUndefined();
    x.pass(20);
    expect(call.outcome).toMatchObject({ ok: false, attempts: 0, error: { code: 'STORAGE_UNAVAILABLE' } });
    x.claims.back();
    expect(x.received).toEqual([]);
    expect(inFlight(x)).toEqual([0]);
    expect(x.claims.stored.size).toBe(0);
    expect(x.wheel.armed).toBe(0);
  });

  it('goes elsewhere, at no cost, when the chosen instance left while it was claimed', async () => {
    const x = await shop('one', 'two');
    x.claims.away = true;
    const call = x.call(CREATE);
    const chosen = x.t.registry.instances().find((instance) => instance.inFlight === 1)?.ref ?? '//';
    x.t.registry.drain(chosen, 'user:ada', '');
    x.claims.back();
    expect(x.received.map((each) => each.frame.instance)).not.toContain(chosen);
    expect(x.received).toHaveLength(1);
    expect(x.claims.stored.get(KEY)?.dispatchId).toBe(x.last.frame.dispatchId);
    x.last.answer({});
    expect(call.outcome).toMatchObject({ ok: true, attempts: 1 });
    expect(inFlight(x)).toEqual([0, 0]);
  });

  it('is claimed anew for the next attempt when the first was not delivered', async () => {
    const x = await shop('one', 'two');
    const call = x.call(CREATE);
    x.claims.away = true;
    x.last.refuse();
    expect(x.received).toHaveLength(1);
    x.claims.back();
    expect(x.received).toHaveLength(2);
    expect(x.claims.stored.get(KEY)).toMatchObject({
      instance: x.last.frame.instance,
      dispatchId: x.last.frame.dispatchId,
    });
    x.last.answer({});
    expect(call.outcome).toMatchObject({ ok: true, attempts: 2 });
  });

  it('gives its claim back when nobody took it, so that it can be repeated', async () => {
    const x = await shop('one');
    x.t.registry.setPolicies([policyWith({ retry: { maxRetries: 0, baseMs: 0, factor: 1, capMs: 0 } })]);
    const call = x.call(CREATE);
    x.last.refuse();
    expect(call.outcome).toMatchObject({ ok: false, error: { code: 'REFUSED' } });
    expect(x.claims.stored.size).toBe(0);
    const again = x.call(CREATE);
    x.last.answer({});
    expect(again.outcome).toMatchObject({ ok: true, replayed: false });
  });

  it('that got no answer is stored as unknown, and a repetition is told so by the database, not by memory', async () => {
    const x = await shop('one');
    const call = x.call(CREATE);
    x.pass(2_010);
    expect(call.outcome).toMatchObject({ ok: false, error: { code: 'OUTCOME_UNKNOWN' } });
    expect(x.claims.stored.get(KEY)?.outcome).toMatchObject({ ok: false, error: { code: 'OUTCOME_UNKNOWN' } });
    expect(x.unknown).toEqual([{ caller: 'agent:shop/web', requestId: 'r1' }]);
    expect(x.call(CREATE).outcome).toMatchObject({ replayed: true, error: { code: 'OUTCOME_UNKNOWN' } });
    const known = x.claims.stored.get(KEY);
    if (known === undefined) throw new Error('the claim is gone');
    x.claims.stored.set(KEY, { ...known, outcome: { ok: true, result: 7, attempts: 1, instance: known.instance } });
    expect(x.call(CREATE).outcome).toMatchObject({ ok: true, result: 7, replayed: true });
    expect(x.received).toHaveLength(1);
  });

  it('that an earlier server answered is answered again, once for each repetition', async () => {
    const x = await shop('one');
    x.call(CREATE);
    x.last.answer({ number: 4 });
    const restarted = await shop('one');
    for (const [key, claim] of x.claims.stored) restarted.claims.stored.set(key, claim);
    expect(restarted.call(CREATE).outcome).toMatchObject({
      ok: true,
      result: { number: 4 },
      replayed: true,
      instance: 'shop/orders/one',
      agent: 'shop/orders',
    });
    expect(restarted.call({ ...CREATE, params: { item: 'ink' } }).outcome).toMatchObject({
      error: { code: 'CONFLICT' },
    });
    expect(restarted.received).toEqual([]);
    expect(inFlight(restarted)).toEqual([0]);
  });

  it('that an earlier server began waits for what became of it', async () => {
    const x = await shop('one');
    x.call(CREATE);
    const restarted = await shop('one');
    for (const [key, claim] of x.claims.stored) restarted.claims.stored.set(key, claim);
    const call = restarted.call(CREATE);
    expect(call.outcome).toBeUndefined();
    expect(restarted.recalls).toHaveLength(1);
    restarted.recalls[0]?.resolved({
      kind: 'RESOLVED',
      outcome: { ok: true, result: 'done', attempts: 1, instance: 'shop/orders/one' },
    });
    expect(call.outcome).toMatchObject({ ok: true, result: 'done', replayed: true });
    expect(restarted.wheel.armed).toBe(0);
  });

  it('that an earlier server began and no instance ever saw is executed', async () => {
    const x = await shop('one');
    x.call(CREATE);
    const restarted = await shop('one');
    for (const [key, claim] of x.claims.stored) restarted.claims.stored.set(key, claim);
    const call = restarted.call(CREATE);
    restarted.claims.stored.clear();
    restarted.recalls[0]?.resolved({ kind: 'FREE' });
    restarted.last.answer('now');
    expect(call.outcome).toMatchObject({ ok: true, result: 'now', replayed: false });
  });

  it('whose recall takes too long ends at its deadline', async () => {
    const x = await shop('one');
    x.call(CREATE);
    const restarted = await shop('one');
    for (const [key, claim] of x.claims.stored) restarted.claims.stored.set(key, claim);
    const call = restarted.call(CREATE);
    restarted.pass(2_010);
    expect(call.outcome).toMatchObject({ ok: false, error: { code: 'DEADLINE_EXCEEDED' } });
    expect(restarted.recalls).toEqual([]);
  });

  it('is not cancelled at the agent once it was sent, and its outcome is kept', async () => {
    const x = await shop('one');
    const call = x.call(CREATE);
    call.cancel();
    expect(x.last.cancelled).toBeUndefined();
    x.last.answer({ number: 4 });
    expect(x.claims.stored.get(KEY)?.outcome).toMatchObject({ ok: true });
  });

  it('is not sent again when it was cancelled and nobody took it, and its claim is given back', async () => {
    const x = await shop('one', 'two');
    const call = x.call(CREATE);
    call.cancel();
    x.last.refuse();
    expect(call.outcome).toMatchObject({ ok: false, attempts: 1, error: { code: 'CANCELLED' } });
    expect(x.received).toHaveLength(1);
    expect(x.claims.stored.size).toBe(0);
    expect(inFlight(x)).toEqual([0, 0]);
  });

  it('is sent again when it was cancelled and somebody else waits for it', async () => {
    const x = await shop('one', 'two');
    const [call, other] = [x.call(CREATE), x.call(CREATE)];
    call.cancel();
    x.last.refuse();
    expect(x.received).toHaveLength(2);
    x.last.answer({ number: 4 });
    expect(other.outcome).toMatchObject({ ok: true, result: { number: 4 } });
  });

  it('that was cancelled and got no answer is kept as unknown', async () => {
    const x = await shop('one', 'two');
    const call = x.call(CREATE);
    call.cancel();
    x.pass(2_010);
    expect(call.outcome).toMatchObject({ ok: false, error: { code: 'OUTCOME_UNKNOWN' } });
    expect(x.claims.stored.get(KEY)?.outcome).toMatchObject({ ok: false, error: { code: 'OUTCOME_UNKNOWN' } });
  });

  it('is cancelled while it is only claimed, and the claim given back', async () => {
    const x = await shop('one');
    x.claims.away = true;
    const call = x.call(CREATE);
    call.cancel();
    expect(call.outcome).toMatchObject({ ok: false, error: { code: 'CANCELLED' } });
    x.claims.back();
    expect(x.claims.stored.size).toBe(0);
    expect(inFlight(x)).toEqual([0]);
  });

  it('whose answer cannot be stored in time says so, and a repetition gets it', async () => {
    const x = await shop('one');
    const call = x.call(CREATE);
    x.claims.away = true;
    x.last.answer({ number: 4 });
    x.pass(2_010);
    expect(call.outcome).toMatchObject({
      ok: false,
      error: { code: 'OUTCOME_UNKNOWN', retryable: true, details: { cause: 'STORAGE_UNAVAILABLE' } },
    });
    x.claims.back();
    expect(x.call(CREATE).outcome).toMatchObject({ ok: true, result: { number: 4 }, replayed: true });
    expect(x.received).toHaveLength(1);
  });

  it('that got no answer is told so also while that cannot be stored', async () => {
    const x = await shop('one');
    const call = x.call(CREATE);
    x.claims.away = true;
    x.pass(2_020);
    expect(call.outcome).toMatchObject({
      ok: false,
      error: { code: 'OUTCOME_UNKNOWN', retryable: false, details: { cause: 'RESPONSE_TIMEOUT' } },
    });
    x.claims.back();
    expect(x.call(CREATE).outcome).toMatchObject({ replayed: true, error: { code: 'OUTCOME_UNKNOWN' } });
    expect(x.wheel.armed).toBe(0);
  });

  it('that is answered at the last moment is stored within another', async () => {
    const x = await shop('one');
    const call = x.call(CREATE);
    x.pass(1_990);
    x.claims.away = true;
    x.last.answer({ number: 4 });
    x.pass(150);
    expect(call.outcome).toBeUndefined();
    x.claims.back();
    expect(call.outcome).toMatchObject({ ok: true, result: { number: 4 } });
  });

  it('runs once for twenty duplicates at once', async () => {
    const x = await shop('one');
    x.claims.away = true;
    const calls = Array.from({ length: 20 }, () => x.call(CREATE));
    x.claims.back();
    expect(x.received).toHaveLength(1);
    x.last.answer({ number: 4 });
    expect(calls.map((call) => call.outcome?.ok)).toEqual(new Array(20).fill(true));
    expect(calls.filter((call) => call.outcome?.replayed)).toHaveLength(19);
  });

  it('goes on at the agent when the server itself fails as it sends it, and a later result counts', async () => {
    const x = await shop('one');
    const push = x.received.push.bind(x.received);
    x.received.push = (...sent) => {
      push(...sent);
      throw new Error('a fault');
    };
    const call = x.call(CREATE);
    expect(call.outcome).toMatchObject({ ok: false, attempts: 1, error: { code: 'INTERNAL' } });
    expect(x.last.cancelled).toBeUndefined();
    expect(x.claims.stored.get(KEY)?.outcome).toMatchObject({
      ok: false,
      instance: 'shop/orders/one',
      error: { code: 'OUTCOME_UNKNOWN' },
    });
    expect(x.unknown).toEqual([{ caller: 'agent:shop/web', requestId: 'r1' }]);
    expect(inFlight(x)).toEqual([0]);
    expect(x.wheel.armed).toBe(0);
  });

  it('ends as unknown when the server itself fails after it was sent', async () => {
    const x = await shop('one');
    const call = x.call(CREATE);
    const keep = x.claims.finish.bind(x.claims);
    x.claims.finish = () => {
      x.claims.finish = keep;
      throw new Error('a fault');
    };
    x.last.answer({});
    expect(call.outcome).toMatchObject({ ok: false, error: { code: 'INTERNAL' } });
    expect(x.claims.stored.get(KEY)?.outcome).toMatchObject({ ok: false, error: { code: 'OUTCOME_UNKNOWN' } });
    expect(x.faults).toHaveLength(1);
  });
});

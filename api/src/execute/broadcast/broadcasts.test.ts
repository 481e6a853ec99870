import { beforeEach, describe, expect, it } from 'vitest';
import type { BroadcastOutcome, CallRequest } from '../ports.js';
import { TestExecution } from '../testing.js';
import { policyWith } from '../testing-policies.js';
import { Broadcasts } from './broadcasts.js';

let x: TestExecution;
let broadcasts: Broadcasts;

beforeEach(() => {
  x = new TestExecution();
  broadcasts = new Broadcasts({
    clock: x.t.clock,
    registry: x.t.registry,
    router: x.router,
    calls: x.executor,
    limiter: x.executor.limiter,
    audit: { record: (entry) => x.audit.push(entry) },
    writeRecords: () => {},
  });
});

function broadcast(request: Partial<CallRequest> = {}, signal?: AbortSignal): Promise<BroadcastOutcome> {
  const parts = x.parts({ requestId: 'b1', ...request });
  return broadcasts.broadcast(parts.request, parts.caller, signal);
}

describe('a broadcast', () => {
  it('reaches every instance that matches, and collects what each answered', async () => {
    for (const name of ['one', 'two', 'three']) await x.join(name);
    await x.join('one', {}, 'other');
    const outcome = broadcast({ target: { agent: 'orders', capability: 'order_query' } });
    expect(x.received.map((each) => each.frame.instance).sort()).toEqual([
      'shop/orders/one',
      'shop/orders/three',
      'shop/orders/two',
    ]);
    for (const received of x.received) {
      if (received.frame.instance === 'shop/orders/two') received.fail('AGENT_ERROR', 'out of paper');
      else received.answer({ status: received.frame.instance });
    }
    expect(await outcome).toMatchObject({
      requestId: 'b1',
      answers: [
        { instance: 'shop/orders/one', ok: true, result: { status: 'shop/orders/one' } },
        { instance: 'shop/orders/three', ok: true, result: { status: 'shop/orders/three' } },
        { instance: 'shop/orders/two', ok: false, error: { code: 'AGENT_ERROR', message: 'out of paper' } },
      ],
    });
    expect(x.audit.at(-1)).toMatchObject({ action: 'broadcast', outcome: 'OK', details: { reached: 3, answered: 2 } });
    expect(x.audit.filter(({ action }) => action === 'call')).toHaveLength(3);
  });

  it('waits for nobody beyond its time, and never asks another instance in the place of one', async () => {
    await x.join('one');
    await x.join('two');
    const outcome = broadcast({ timeoutMs: 100 });
    x.received[0]?.answer({ status: 'sent' });
    x.pass(110);
    const silent = x.received[1]?.frame.instance;
    expect(await outcome).toMatchObject({
      answers: expect.arrayContaining([
        expect.objectContaining({ ok: true }),
        expect.objectContaining({
          instance: silent,
          ok: false,
          error: expect.objectContaining({ code: 'DEADLINE_EXCEEDED' }),
        }),
      ]),
    });
    expect(x.received).toHaveLength(2);
  });

  it('to nobody says why', async () => {
    expect(await broadcast()).toMatchObject({ error: { code: 'NO_ROUTE' } });
    await x.join('one');
    x.t.registry.setPermissions([]);
    expect(await broadcast({ requestId: 'b2' })).toMatchObject({ error: { code: 'DENIED' } });
    expect(x.received).toEqual([]);
  });

  it('that is repeated executes nothing twice', async () => {
    await x.join('one');
    const first = broadcast();
    x.last.answer({ status: 'sent' });
    await first;
    expect(await broadcast()).toMatchObject({ answers: [{ ok: true, result: { status: 'sent' } }] });
    expect(x.received).toHaveLength(1);
  });

  it('is one charge, however many it reaches', async () => {
    for (const name of ['one', 'two', 'three']) await x.join(name);
    x.t.registry.setPolicies([policyWith({ rateLimit: { calls: 1, windowMs: 60_000 } })]);
    const first = broadcast();
    for (const received of x.received) received.answer({ status: 'sent' });
    expect(await first).toMatchObject({ answers: [{ ok: true }, { ok: true }, { ok: true }] });
    expect(await broadcast({ requestId: 'b2' })).toMatchObject({ error: { code: 'RATE_LIMITED' } });
  });

  it('is cancelled at every instance when its caller goes away', async () => {
    await x.join('one');
    await x.join('two');
    const gone = new AbortController();
    const outcome = broadcast({}, gone.signal);
    gone.abort();
    await outcome;
    expect(x.received.map(({ cancelled }) => cancelled)).toEqual(['CALLER_GONE', 'CALLER_GONE']);
  });
});

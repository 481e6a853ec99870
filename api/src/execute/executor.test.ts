import { describe, expect, it } from 'vitest';
import { testLink } from '../perceive/testing.js';
import { TestExecution } from './testing.js';
import { policyWith } from './testing-policies.js';

/** Lets queued microtasks run. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

const NON_IDEMPOTENT = {
  capabilities: [
    {
      name: 'order_create',
      description: 'Use it to place one order for a customer; answers the number of the order.',
      inputSchema: { type: 'object', properties: { item: { type: 'string' } } },
    },
  ],
};

describe('a call', () => {
  it('is dispatched, answered and recorded once', async () => {
    const x = new TestExecution();
    const instance = await x.join('one');
    const call = x.call({ requestId: 'r1', traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' });
    expect(x.last.frame).toMatchObject({
      capability: 'order_query',
      caller: 'agent:shop/web',
      params: { id: '7' },
      attempt: 1,
    });
    expect(x.last.frame.traceparent).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-01$/);
    expect(instance.live.inFlight).toBe(1);
    x.last.answer({ status: 'sent' });
    expect(call.outcome).toMatchObject({
      ok: true,
      result: { status: 'sent' },
      attempts: 1,
      instance: 'shop/orders/one',
    });
    expect(instance.live.inFlight).toBe(0);
    expect(x.audit).toHaveLength(1);
    expect(x.audit[0]).toMatchObject({
      kind: 'CALL',
      actor: 'agent:shop/web',
      target: 'shop/orders',
      capability: 'order_query',
      instance: 'shop/orders/one',
      outcome: 'OK',
      requestId: 'r1',
      traceId: '0af7651916cd43dd8448eb211c80319c',
      details: {
        stages: { TARGET: [1, 1], STRATEGY: [1, 1] },
        policy: { name: 'default', strategy: 'WEIGHTED_SCORE' },
      },
    });
  });

  it('to nobody is NO_ROUTE', () => {
    const x = new TestExecution();
    expect(x.call().outcome).toMatchObject({
      ok: false,
      attempts: 0,
      error: {
        code: 'NO_ROUTE',
        message: 'Nobody is registered in shop who matches the target: capability order_query.',
      },
    });
  });

  it('without permission says which rule is missing and where to add it', async () => {
    const x = new TestExecution();
    await x.join('one');
    x.t.registry.setPermissions([]);
    expect(x.call().outcome).toMatchObject({
      ok: false,
      error: {
        code: 'DENIED',
        details: {
          missing: { caller: 'agent:shop/web', target: 'shop/orders', capability: 'order_query', effect: 'ALLOW' },
          link: 'http://console/permissions?add=1&caller=agent:shop/web&target=shop/orders&capability=order_query',
        },
      },
    });
    expect(x.received).toHaveLength(0);
  });

  it('without permission in a namespace that the caller may not see answers as if nobody were there', async () => {
    const x = new TestExecution();
    await x.join('one');
    x.t.registry.setPermissions([]);
    const seen = { visible: () => false };
    const denied = x.call({}, seen).outcome;
    const absent = x.call({ target: { capability: 'no_such' } }, seen).outcome;
    expect(denied?.ok === false && denied.error.code).toBe('NO_ROUTE');
    expect(denied?.ok === false && denied.error.message.replace('order_query', 'no_such')).toBe(
      absent?.ok === false && absent.error.message,
    );
  });

  it('of an agent alone reveals no capability of a namespace that the caller may not see', async () => {
    const x = new TestExecution();
    await x.join('one', {
      capabilities: [...NON_IDEMPOTENT.capabilities, { ...NON_IDEMPOTENT.capabilities[0], name: 'secret' } as never],
    });
    x.t.registry.setPermissions([]);
    const seen = { visible: () => false };
    const some = x.call({ target: { namespace: 'shop', agent: 'orders' } }, seen).outcome;
    const none = x.call({ target: { namespace: 'shop', agent: 'nobody' } }, seen).outcome;
    const shown = JSON.stringify(some?.ok === false && some.error).replace('agent orders', 'agent nobody');
    expect(JSON.parse(shown)).toEqual(none?.ok === false && none.error);
  });

  it('for an instance in its startup grace is told when that is over', async () => {
    const x = new TestExecution();
    await x.t.join({ startupGraceMs: 3_000 });
    x.pass(1_000);
    expect(x.call().outcome).toMatchObject({
      error: {
        code: 'NO_ROUTE',
        message: 'Stage LIFECYCLE dropped the one candidate that had come so far: STARTING.',
        retryAfterMs: 2_250,
      },
    });
    x.t.pass(2_250);
    x.call({ requestId: 'later' });
    expect(x.received).toHaveLength(1);
  });

  it('with faulty parameters names each, and sends nothing', async () => {
    const x = new TestExecution();
    await x.join('one');
    expect(x.call({ params: {} }).outcome).toMatchObject({
      error: {
        code: 'INVALID_PARAMS',
        fields: [{ path: 'params.id', got: 'nothing', allowed: 'a value: it is required' }],
      },
    });
    expect(x.call({ params: { id: '7', color: 'red' } }).outcome).toMatchObject({
      error: { fields: [{ path: 'params.color', got: 'a parameter that the schema does not name' }] },
    });
    expect(x.call({ requestId: 'many', params: { id: 7, color: 'red', size: 1 } }).outcome).toMatchObject({
      error: {
        message:
          'The parameters of order_query do not match: params.color: got a parameter that the schema does not name, allowed: only named parameters (and 2 more).',
        fields: [{ path: 'params.color' }, { path: 'params.size' }, { path: 'params.id' }],
      },
    });
    expect(x.received).toHaveLength(0);
  });

  it('with a callback is refused when its capability is no task, and sends nothing', async () => {
    const x = new TestExecution();
    await x.join('one');
    const callback = { url: 'https://hooks.example.com/done', secret: 'a secret of 24 characters' };
    expect(x.call({ callback }).outcome).toMatchObject({
      error: {
        code: 'INVALID_PARAMS',
        message:
          'callback: order_query answers at once and is no task, so nobody would be called back; leave callback out.',
        fields: [{ path: 'callback' }],
      },
    });
    expect(x.received).toHaveLength(0);
  });

  it('started as a task is refused when its capability is none, and sends nothing', async () => {
    const x = new TestExecution();
    await x.join('one');
    const callback = { url: 'https://hooks.example.com/done', secret: 'a secret of 24 characters' };
    const allowed = 'only where the capability is a task (mode TASK)';
    expect(x.call({ taskTimeoutMs: 900_000 }).outcome).toMatchObject({
      error: {
        code: 'INVALID_PARAMS',
        message:
          'taskTimeoutMs: order_query answers at once and is no task, so nothing goes on after its answer; leave taskTimeoutMs out.',
        fields: [{ path: 'taskTimeoutMs', got: 'a taskTimeoutMs for order_query', allowed }],
      },
    });
    expect(x.call({ requestId: 'r2', taskTimeoutMs: 900_000, callback }).outcome).toMatchObject({
      error: { fields: [{ path: 'callback' }, { path: 'taskTimeoutMs' }] },
    });
    expect(x.received).toHaveLength(0);
  });

  it('whose result does not match the schema is INVALID_RESULT', async () => {
    const x = new TestExecution();
    await x.join('one');
    const call = x.call();
    x.last.answer({ state: 'sent' });
    expect(call.outcome).toMatchObject({ ok: false, error: { code: 'INVALID_RESULT', fields: [{ path: 'status' }] } });
  });

  it('answered by a business error is not repeated and counts as a success of the instance', async () => {
    const x = new TestExecution();
    const instance = await x.join('one');
    for (let count = 0; count < 10; count++) {
      const call = x.call({ requestId: `b${count}` });
      x.last.fail('BUSINESS_ERROR', 'no such order');
      expect(call.outcome).toMatchObject({
        ok: false,
        attempts: 1,
        error: { code: 'BUSINESS_ERROR', message: 'no such order' },
      });
    }
    expect(instance.live.breaker.state).toBe('CLOSED');
  });
});

describe('a call as a promise', () => {
  it('that ends at once leaves nothing open', async () => {
    const x = new TestExecution();
    const { request, caller } = x.parts();
    const outcome = await x.executor.call(request, caller, new AbortController().signal);
    expect(outcome).toMatchObject({ ok: false, error: { code: 'NO_ROUTE' } });
    expect(x.executor.open).toBe(0);
  });

  it('resolves only after its record was written', async () => {
    const x = new TestExecution();
    await x.join('one');
    const { request, caller } = x.parts();
    const outcome = x.executor.call(request, caller).then(() => x.written);
    x.last.answer({ status: 'sent' });
    expect(await outcome).toBe(1);
  });

  it('is cancelled when its caller goes away', async () => {
    const x = new TestExecution();
    await x.join('one');
    const { request, caller } = x.parts();
    const gone = new AbortController();
    const outcome = x.executor.call(request, caller, gone.signal);
    gone.abort();
    expect(x.last.cancelled).toBe('CALLER_GONE');
    expect(await outcome).toMatchObject({ ok: false, error: { code: 'CANCELLED' } });
  });
});

describe('a failed attempt', () => {
  it('refused goes to another instance at once', async () => {
    const x = new TestExecution();
    const one = await x.join('one');
    await x.join('two');
    const call = x.call();
    const first = x.last;
    first.refuse();
    expect(x.received).toHaveLength(2);
    expect(x.last.instance).not.toBe(first.instance);
    x.last.answer({ status: 'sent' });
    expect(call.outcome).toMatchObject({ ok: true, attempts: 2 });
    expect(one.live.inFlight).toBe(0);
  });

  it('undeliverable goes elsewhere, and the call that finds nobody else ends with that failure', async () => {
    const x = new TestExecution();
    const one = await x.join('one');
    x.unreachable.add(one);
    const call = x.call({ timeoutMs: 10_000 });
    await settle();
    await settle();
    x.pass(5000);
    await settle();
    x.pass(5000);
    await settle();
    expect(call.outcome).toMatchObject({ ok: false, attempts: 3, error: { code: 'CONNECT_FAILED' } });
    expect(one.live.inFlight).toBe(0);
  });

  it('of a dead instance moves an idempotent call to another at once', async () => {
    const x = new TestExecution();
    await x.join('one');
    await x.join('two');
    const call = x.call();
    const { instance } = x.last;
    x.t.registry.linkClosed(instance.link ?? testLink(''), [instance.ref]);
    expect(x.received).toHaveLength(2);
    x.last.answer({ status: 'sent' });
    expect(call.outcome).toMatchObject({ ok: true, attempts: 2 });
  });

  it('of a dead instance leaves a non-idempotent call with an unknown outcome, never a second execution', async () => {
    const x = new TestExecution();
    await x.join('one', NON_IDEMPOTENT);
    await x.join('two', NON_IDEMPOTENT);
    const call = x.call({ target: { capability: 'order_create' }, params: {} });
    const { instance } = x.last;
    x.t.registry.linkClosed(instance.link ?? testLink(''), [instance.ref]);
    expect(call.outcome).toMatchObject({
      ok: false,
      attempts: 1,
      error: { code: 'OUTCOME_UNKNOWN', details: { cause: 'CONNECTION_LOST' } },
    });
    expect(x.received).toHaveLength(1);
  });

  it('marked retryable by the agent is repeated after a backoff, only if idempotent', async () => {
    const x = new TestExecution();
    x.random = 0.5;
    await x.join('one');
    const call = x.call();
    x.last.fail('AGENT_ERROR', 'database busy', true);
    expect(x.received).toHaveLength(1);
    x.pass(140);
    expect(x.received).toHaveLength(1);
    x.pass(20);
    expect(x.received).toHaveLength(2);
    x.last.answer({ status: 'sent' });
    expect(call.outcome).toMatchObject({ ok: true, attempts: 2 });
  });

  it('never exceeds two retries', async () => {
    const x = new TestExecution();
    await x.join('one');
    const call = x.call();
    for (let count = 0; count < 3; count++) {
      x.last.refuse(50);
      x.pass(60);
    }
    expect(call.outcome).toMatchObject({ ok: false, attempts: 3, error: { code: 'REFUSED', retryAfterMs: 50 } });
    expect(x.received).toHaveLength(3);
  });
});

describe('time', () => {
  it('an overdue ack moves an idempotent call elsewhere and cancels the first', async () => {
    const x = new TestExecution();
    await x.join('one');
    await x.join('two');
    const call = x.call();
    const first = x.last;
    x.pass(1510);
    expect(first.cancelled).toBe('SUPERSEDED');
    x.pass(400);
    expect(x.received).toHaveLength(2);
    x.last.answer({ status: 'sent' });
    expect(call.outcome).toMatchObject({ ok: true, attempts: 2 });
    expect(x.metrics.ackTimeout).toBe(1);
  });

  it('an overdue ack of a non-idempotent call only demotes the instance', async () => {
    const x = new TestExecution();
    const one = await x.join('one', NON_IDEMPOTENT);
    const call = x.call({ target: { capability: 'order_create' }, params: {} });
    x.pass(2000);
    expect(one.live.ackOverdue).toBe(true);
    x.last.answer({ number: 1 });
    expect(call.outcome).toMatchObject({ ok: true, attempts: 1 });
    expect(one.live.ackOverdue).toBe(false);
  });

  it('an ack is overdue only as long as a call that misses it runs, however that ends', async () => {
    const x = new TestExecution();
    x.t.registry.setPolicies([policyWith({ retry: { maxRetries: 0, baseMs: 0, factor: 1, capMs: 0 } })]);
    const one = await x.join('one', NON_IDEMPOTENT);
    const create = { target: { capability: 'order_create' }, params: {} };
    for (const timeoutMs of [10_000, 2_000, 4_000]) x.call({ ...create, timeoutMs });
    x.pass(1_600);
    x.received[0]?.refuse();
    expect([one.live.inFlight, one.live.ackOverdue]).toEqual([2, true]);
    x.pass(1_000);
    expect([one.live.inFlight, one.live.ackOverdue]).toEqual([1, true]);
    x.pass(2_000);
    expect([one.live.inFlight, one.live.ackOverdue]).toEqual([0, false]);
  });

  it('the deadline covers attempts and backoff, and reaches the agent as cancel', async () => {
    const x = new TestExecution();
    await x.join('one');
    const call = x.call({ timeoutMs: 400 });
    x.last.accept();
    expect(x.last.frame.timeoutMs).toBe(400);
    x.pass(410);
    expect(x.last.cancelled).toBe('DEADLINE');
    expect(call.outcome).toMatchObject({
      ok: false,
      error: { code: 'DEADLINE_EXCEEDED', message: 'The call was not answered within 400 ms.' },
    });
  });

  it("a caller's short deadline does not open the breaker", async () => {
    const x = new TestExecution();
    const one = await x.join('one');
    for (let count = 0; count < 10; count++) {
      x.call({ timeoutMs: 50, requestId: `d${count}` });
      x.last.accept();
      x.pass(60);
    }
    expect(one.live.breaker.state).toBe('CLOSED');
  });

  it('cancelled by its caller reaches the agent', async () => {
    const x = new TestExecution();
    const one = await x.join('one');
    const call = x.call();
    call.cancel();
    expect(x.last.cancelled).toBe('CALLER');
    expect(call.outcome).toMatchObject({ ok: false, error: { code: 'CANCELLED' } });
    expect(one.live.inFlight).toBe(0);
  });

  it('leaves no timer behind', async () => {
    const x = new TestExecution();
    await x.join('one');
    for (let count = 0; count < 5; count++) {
      x.call({ requestId: `t${count}` });
      x.last.answer({ status: 'sent' });
    }
    expect(x.wheel.armed).toBe(0);
  });
});

describe('frames that come late, twice or from elsewhere', () => {
  it('change nothing and are counted', async () => {
    const x = new TestExecution();
    const one = await x.join('one');
    const call = x.call();
    x.last.answer({ status: 'forged' }, testLink('stranger'));
    expect(call.outcome).toBeUndefined();
    x.last.answer({ status: 'sent' });
    x.last.answer({ status: 'again' });
    expect(call.outcome).toMatchObject({ result: { status: 'sent' } });
    expect(one.live.inFlight).toBe(0);
    expect({ late: x.metrics.lateFrames, foreign: x.metrics.foreignFrames }).toEqual({ late: 1, foreign: 1 });
  });
});

describe('an ack that refuses what it accepted', () => {
  it('does not send a call to a second instance', async () => {
    const x = new TestExecution();
    await x.join('one', NON_IDEMPOTENT);
    await x.join('two', NON_IDEMPOTENT);
    x.call({ target: { capability: 'order_create' }, params: {} });
    x.last.accept();
    x.last.refuse();
    expect(x.received).toHaveLength(1);
  });
});

describe('a schema that breaks its validator', () => {
  it('is refused at registration, and could not leave a call open', async () => {
    const x = new TestExecution();
    await expect(
      x.join('one', {
        capabilities: [
          {
            name: 'q',
            description: 'Use it to break things; answers nothing.',
            inputSchema: { type: 'object', allOf: [{ $ref: '#' }] },
          },
        ],
      }),
    ).rejects.toMatchObject({ code: 'INVALID_REGISTRATION' });
  });

  it('a fault of the program ends the one call as INTERNAL', async () => {
    const x = new TestExecution();
    const one = await x.join('one');
    Object.defineProperty(one.capabilities[0], 'inputFaults', {
      value: () => {
        throw new Error('broken');
      },
    });
    expect(x.call().outcome).toMatchObject({ ok: false, error: { code: 'INTERNAL' } });
    expect({ open: x.executor.open, faults: x.faults.length }).toEqual({ open: 0, faults: 1 });
  });
});

describe('a recorder that fails', () => {
  it('is told to the log, and the call ends all the same', async () => {
    const x = new TestExecution();
    await x.join('one');
    const call = x.call({ requestId: 'same' });
    const waiting = x.call({ requestId: 'same' });
    const push = x.audit.push.bind(x.audit);
    x.audit.push = () => {
      x.audit.push = push;
      throw new Error('the disk is gone');
    };
    x.last.answer({ status: 'sent' });
    expect(call.outcome).toMatchObject({ ok: true, result: { status: 'sent' } });
    expect(waiting.outcome).toMatchObject({ ok: true, replayed: true });
    expect(x.call({ requestId: 'same' }).outcome).toMatchObject({ ok: true, replayed: true });
    expect({ open: x.executor.open, faults: x.faults.length }).toEqual({ open: 0, faults: 1 });
  });
});

describe('a repeated requestId', () => {
  it('gets the first answer, flagged, without a second execution', async () => {
    const x = new TestExecution();
    await x.join('one');
    x.call({ requestId: 'same' });
    x.last.answer({ status: 'sent' });
    expect(x.call({ requestId: 'same' }).outcome).toMatchObject({
      ok: true,
      replayed: true,
      result: { status: 'sent' },
    });
    expect(x.received).toHaveLength(1);
    expect(x.audit).toHaveLength(2);
  });

  it('while the first still runs waits for it', async () => {
    const x = new TestExecution();
    await x.join('one');
    const first = x.call({ requestId: 'same' });
    const second = x.call({ requestId: 'same' });
    expect(x.received).toHaveLength(1);
    x.last.answer({ status: 'sent' });
    expect(first.outcome).toMatchObject({ ok: true, replayed: false });
    expect(second.outcome).toMatchObject({ ok: true, replayed: true });
  });

  it('keeps its own deadline while it waits, and the first goes on', async () => {
    const x = new TestExecution();
    await x.join('one');
    const first = x.call({ requestId: 'same' });
    x.last.accept();
    const second = x.call({ requestId: 'same', timeoutMs: 100 });
    x.pass(120);
    expect(second.outcome).toMatchObject({ ok: false, error: { code: 'DEADLINE_EXCEEDED' } });
    x.last.answer({ status: 'sent' });
    expect(first.outcome).toMatchObject({ ok: true });
  });

  it('goes on by itself when the first one ran out of its own time', async () => {
    const x = new TestExecution();
    await x.join('one');
    const first = x.call({ requestId: 'same', timeoutMs: 100 });
    x.last.accept();
    const second = x.call({ requestId: 'same', timeoutMs: 10_000 });
    x.pass(120);
    expect(first.outcome).toMatchObject({ ok: false, error: { code: 'DEADLINE_EXCEEDED' } });
    expect(second.outcome).toBeUndefined();
    x.last.answer({ status: 'sent' });
    expect(second.outcome).toMatchObject({ ok: true, result: { status: 'sent' } });
  });

  it('reaches the agent as cancel only when everybody who waits has left', async () => {
    const x = new TestExecution();
    const one = await x.join('one');
    const first = x.call({ requestId: 'same' });
    const second = x.call({ requestId: 'same' });
    first.cancel();
    expect(x.last.cancelled).toBeUndefined();
    second.cancel();
    expect(x.last.cancelled).toBe('CALLER');
    expect([first.outcome, second.outcome]).toMatchObject([
      { error: { code: 'CANCELLED' } },
      { error: { code: 'CANCELLED' } },
    ]);
    expect(one.live.inFlight).toBe(0);
  });

  it('with other parameters is a CONFLICT', async () => {
    const x = new TestExecution();
    await x.join('one');
    x.call({ requestId: 'same' });
    expect(x.call({ requestId: 'same', params: { id: '8' } }).outcome).toMatchObject({ error: { code: 'CONFLICT' } });
  });

  it('is refused when the right was taken away since', async () => {
    const x = new TestExecution();
    await x.join('one');
    x.call({ requestId: 'same' });
    x.last.answer({ status: 'sent' });
    x.t.registry.setPermissions([]);
    expect(x.call({ requestId: 'same' }).outcome).toMatchObject({ error: { code: 'DENIED' } });
  });

  it('runs anew when the first was never executed', async () => {
    const x = new TestExecution();
    x.call({ requestId: 'same' });
    await x.join('one');
    x.call({ requestId: 'same' });
    expect(x.received).toHaveLength(1);
  });
});

describe('the breaker', () => {
  it('opens after five failures in a row, rests 30 s, and closes after three good probes', async () => {
    const x = new TestExecution();
    const one = await x.join('one');
    for (let count = 0; count < 5; count++) {
      x.call({ requestId: `f${count}` });
      x.last.fail('AGENT_ERROR', 'broken');
    }
    expect(one.live.breaker).toMatchObject({ state: 'OPEN', reason: '5 failures in a row' });
    expect(x.call({ requestId: 'open' }).outcome).toMatchObject({
      error: { code: 'CIRCUIT_OPEN', retryAfterMs: 30_000 },
    });
    x.pass(30_010);
    x.call({ requestId: 'p1' });
    expect(x.call({ requestId: 'p1b' }).outcome).toMatchObject({ error: { code: 'CIRCUIT_OPEN' } });
    x.last.answer({ status: 'sent' });
    for (const requestId of ['p2', 'p3']) {
      x.call({ requestId });
      x.last.answer({ status: 'sent' });
    }
    expect(one.live.breaker.state).toBe('CLOSED');
  });

  it('gives the probe slot back when its caller cancels', async () => {
    const x = new TestExecution();
    const one = await x.join('one');
    for (let count = 0; count < 5; count++) {
      x.call({ requestId: `f${count}` });
      x.last.fail('AGENT_ERROR', 'broken');
    }
    x.pass(30_010);
    x.call({ requestId: 'probe' }).cancel();
    expect(one.live.breaker).toMatchObject({ state: 'HALF_OPEN', probing: false });
  });
});

describe('a call that was given up before it began', () => {
  it('is on record as CANCELLED, and nothing is sent', async () => {
    const x = new TestExecution();
    await x.join('one');
    const { request, caller } = x.parts({ requestId: 'early' });
    const outcomes: string[] = [];
    x.executor.start(request, caller, (outcome) => outcomes.push(outcome.ok ? 'OK' : outcome.error.code), true);
    expect(outcomes).toEqual(['CANCELLED']);
    expect(await x.executor.call({ ...request, requestId: 'aborted' }, caller, AbortSignal.abort())).toMatchObject({
      ok: false,
      attempts: 0,
      error: { code: 'CANCELLED' },
    });
    expect(x.received).toHaveLength(0);
    expect(x.audit.filter(({ kind }) => kind === 'CALL').map(({ requestId, outcome }) => [requestId, outcome])).toEqual(
      [
        ['early', 'CANCELLED'],
        ['aborted', 'CANCELLED'],
      ],
    );
    expect(x.executor.open).toBe(0);
  });
});

describe('loops', () => {
  it('a call made while serving may not enter an agent further up', async () => {
    const x = new TestExecution();
    const one = await x.join('one');
    x.call();
    const nested = x.call(
      { requestId: 'nested', serving: x.last.frame.dispatchId },
      { caller: 'agent:shop/orders', link: one.link },
    );
    expect(nested.outcome).toMatchObject({
      error: { code: 'LOOP_DETECTED', details: { chain: ['shop/orders', 'shop/orders'] } },
    });
  });

  it('a call that passes its requestId on does not wait for itself', async () => {
    const x = new TestExecution();
    const a = await x.join('one', {}, 'a');
    const b = await x.join('one', {}, 'b');
    const toB = { requestId: 'r1', target: { agent: 'b', capability: 'order_query' } };
    const first = x.call(toB, { caller: 'agent:shop/a', link: a.link });
    const dispatchedToB = x.last;
    x.call(
      { requestId: 'r1', serving: dispatchedToB.frame.dispatchId, target: { agent: 'a', capability: 'order_query' } },
      { caller: 'agent:shop/b', link: b.link },
    );
    const again = { ...toB, serving: x.last.frame.dispatchId };
    expect(x.call(again, { caller: 'agent:shop/a', link: a.link }).outcome).toMatchObject({
      ok: false,
      error: { code: 'LOOP_DETECTED', details: { chain: ['shop/b', 'shop/a', 'shop/b'] } },
    });
    dispatchedToB.answer({ status: 'sent' });
    expect(first.outcome).toMatchObject({ ok: true });
  });

  it('a call that leaves the choice open goes to somebody who is not further up', async () => {
    const x = new TestExecution();
    const one = await x.join('one');
    x.call();
    const serving = x.last.frame.dispatchId;
    await x.join('other', {}, 'stock');
    const caller = { caller: 'agent:shop/orders', link: one.link } as const;
    for (let call = 0; call < 5; call++) x.call({ requestId: `open-${call}`, serving }, caller);
    expect(x.received.slice(1).map(({ instance }) => instance.agent)).toEqual(Array(5).fill('shop/stock'));
    const named = x.call(
      { requestId: 'named', serving, target: { agent: 'orders', capability: 'order_query' } },
      caller,
    );
    expect(named.outcome).toMatchObject({ ok: false, error: { code: 'LOOP_DETECTED' } });
  });
});

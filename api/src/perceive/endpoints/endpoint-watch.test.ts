import { describe, expect, it } from 'vitest';
import type { LoadReport } from '../model.js';
import { checkRegistration } from '../registration.js';
import { SWEEP_MS } from '../registry.js';
import { registerFrame, TestRegistry, testLink } from '../testing.js';
import { endpointOf } from './endpoint-check.js';
import type { EndpointProbe, ProbeResult } from './endpoint-probe.js';
import { EndpointWatch } from './endpoint-watch.js';
import { HttpLink } from './http-link.js';
import { registerEndpoint } from './register-endpoint.js';

const REFUSED: ProbeResult = { ok: false, reason: "/health can't be reached: connect ECONNREFUSED" };

/** Endpoints whose probes a test answers: all good unless it says otherwise. */
class TestEndpoints {
  readonly t: TestRegistry;
  readonly asked: string[] = [];
  readonly doubts: unknown[] = [];
  readonly down = new Set<string>();
  /** What all of them say of themselves. */
  load: LoadReport = {};
  readonly watch: EndpointWatch;
  #registrations = 0;

  constructor(t = new TestRegistry()) {
    this.t = t;
    const probe: EndpointProbe = {
      probe: ({ url }) => {
        this.asked.push(url);
        return Promise.resolve(this.down.has(url) ? REFUSED : { ok: true, load: this.load });
      },
    };
    this.watch = new EndpointWatch({
      registry: t.registry,
      probe,
      clock: t.clock,
      random: () => 0.5,
      onDoubt: (...doubt) => this.doubts.push(doubt),
    });
  }

  register(name: string, overrides: Parameters<typeof registerFrame>[0] = {}, interval = 10_000) {
    const checked = checkRegistration(registerFrame({ instance: name, ...overrides }), {
      namespace: 'shop',
      agent: 'orders',
      actor: 'agent:shop/orders',
      enrolmentKeyId: undefined,
    });
    return registerEndpoint(
      { registry: this.t.registry, watch: this.watch },
      checked,
      endpointOf({ url: `http://${name}/`, probeIntervalMs: interval }),
      `registration-${++this.#registrations}`,
    );
  }

  view(name: string) {
    const view = this.t.registry.instance(`shop/orders/${name}`);
    return view === undefined ? 'none' : `${view.lifecycle} ${view.health}: ${view.reason}`;
  }

  async pass(ms: number): Promise<void> {
    for (let done = 0; done < ms; done += SWEEP_MS) {
      this.t.pass(SWEEP_MS);
      this.watch.sweep();
      await new Promise(setImmediate);
    }
  }
}

describe('an endpoint that registers', () => {
  it('is PENDING until it was reached, and then READY', async () => {
    const e = new TestEndpoints();
    e.down.add('http://one/');
    const { instance } = await e.register('one');
    expect(e.view('one')).toBe("PENDING OFFLINE: not reached yet: /health can't be reached: connect ECONNREFUSED");
    expect([instance.link, e.t.registry.instance('shop/orders/one')?.transport]).toEqual([undefined, 'HTTP']);
    await e.pass(60_000);
    expect(e.view('one')).toMatch(/^PENDING/);
    // Asked thirty times, and on record once.
    expect(e.t.records.map(({ action }) => action)).toEqual(['instance.PENDING', 'instance.OFFLINE']);
    e.down.clear();
    await e.pass(2_250);
    expect(e.view('one')).toBe('READY HEALTHY: startup grace is over');
    expect(instance.link).toBeInstanceOf(HttpLink);
  });

  it('and answers at once is told so at once', async () => {
    const e = new TestEndpoints();
    await e.register('one', { startupGraceMs: 3_000 });
    expect(e.view('one')).toBe('STARTING HEALTHY: its health path answered; in its startup grace');
    await e.pass(3_250);
    expect(e.view('one')).toBe('READY HEALTHY: startup grace is over');
  });

  it('with the same again goes on, and with anything else is another', async () => {
    const e = new TestEndpoints();
    const first = await e.register('one');
    const again = await e.register('one');
    expect([again.resumed, again.instance]).toEqual([true, first.instance]);
    expect(e.t.lost).toEqual([]);
    const other = await e.register('one', { maxConcurrency: 9 });
    expect([other.resumed, other.instance.record.incarnation]).toEqual([false, 'registration-3']);
    expect(e.t.lost).toEqual([first.instance]);
    expect(first.instance.state.name).toBe('GONE');
    expect(e.t.registry.instances('shop/orders')).toHaveLength(1);
  });

  it('keeps what an operator said before it was verified', async () => {
    const e = new TestEndpoints();
    e.down.add('http://one/');
    await e.register('one');
    e.t.registry.pause('shop/orders/one', 'user:op', '');
    e.t.registry.resume('shop/orders/one', 'user:op');
    expect(e.view('one')).toBe('PENDING OFFLINE: resumed by user:op');
    e.t.registry.drain('shop/orders/one', 'user:op', '');
    e.down.clear();
    await e.pass(10_000);
    expect(e.view('one')).toBe('DRAINING HEALTHY: drained by user:op');
    e.t.registry.resume('shop/orders/one', 'user:op');
    expect(e.view('one')).toBe('READY HEALTHY: resumed by user:op');
  });
});

describe('an endpoint that is watched', () => {
  it('is asked at its own interval', async () => {
    const e = new TestEndpoints();
    await e.register('one', {}, 5_000);
    await e.register('two', {}, 20_000);
    await e.pass(60_000);
    expect(e.asked.filter((url) => url === 'http://one/')).toHaveLength(13);
    expect(e.asked.filter((url) => url === 'http://two/')).toHaveLength(4);
  });

  it('is SUSPECT after three failed probes, and back after two good ones', async () => {
    const e = new TestEndpoints();
    const { instance } = await e.register('one');
    await e.pass(1_000);
    e.down.add('http://one/');
    await e.pass(20_000);
    expect(e.view('one')).toMatch(/^READY/);
    await e.pass(10_000);
    expect(e.view('one')).toBe("SUSPECT OFFLINE: 3 probes failed: /health can't be reached: connect ECONNREFUSED");
    expect(e.t.lost).toEqual([instance]);
    // It is kept, however long it takes: nobody else would register it again.
    await e.pass(600_000);
    expect(e.view('one')).toMatch(/^SUSPECT/);
    e.down.clear();
    await e.pass(10_000);
    expect(e.view('one')).toMatch(/^SUSPECT/);
    await e.pass(10_000);
    expect(e.view('one')).toBe('READY HEALTHY: its health path answers');
    expect(e.t.lost).toEqual([instance]);
  });

  it('that registers again while it is lost needs one good probe to be back', async () => {
    const e = new TestEndpoints();
    await e.register('one');
    await e.pass(1_000);
    e.down.add('http://one/');
    await e.pass(30_000);
    expect(e.view('one')).toMatch(/^SUSPECT/);
    await e.register('one');
    expect(e.view('one')).toMatch(/^SUSPECT/);
    e.down.clear();
    expect((await e.register('one')).resumed).toBe(true);
    expect(e.view('one')).toBe('READY HEALTHY: its health path answers');
  });

  it('tells its load with each good probe, as others do with a heartbeat', async () => {
    const e = new TestEndpoints();
    await e.register('one', {}, 1_000);
    await e.pass(1_000);
    e.load = { busy: 0.3, pool: 0.83, queueDepth: 4 };
    await e.pass(5_000);
    expect(e.view('one')).toBe('READY DEGRADED: utilisation 0.83 over 0.7');
    expect(e.t.registry.instance('shop/orders/one')).toMatchObject({ utilisation: 0.83, queueDepth: 4 });
    // What it says no more is not known any more.
    e.load = {};
    await e.pass(5_000);
    expect(e.view('one')).toBe('READY HEALTHY: utilisation 0.00 back under 0.6');
    expect(e.t.registry.instance('shop/orders/one')).toMatchObject({ utilisation: null, queueDepth: 0 });
  });

  it('shows how its probes go before that changes its state', async () => {
    const e = new TestEndpoints();
    await e.register('one');
    const probes = () => e.t.registry.instance('shop/orders/one')?.endpoint?.probes;
    expect(probes()).toEqual({ good: 1, failed: 0, reason: '' });
    e.down.add('http://one/');
    await e.pass(20_500);
    expect(probes()).toEqual({ good: 0, failed: 2, reason: "/health can't be reached: connect ECONNREFUSED" });
    expect(e.view('one')).toMatch(/^READY HEALTHY/);
  });

  it('that misses two probes now and then is left alone', async () => {
    const e = new TestEndpoints();
    await e.register('one');
    for (let round = 0; round < 5; round++) {
      e.down.add('http://one/');
      await e.pass(20_000);
      e.down.clear();
      await e.pass(10_000);
    }
    expect(e.view('one')).toMatch(/^READY/);
  });

  it('is drained still when it comes back', async () => {
    const e = new TestEndpoints();
    await e.register('one');
    await e.pass(1_000);
    e.t.registry.drain('shop/orders/one', 'user:op', 'maintenance');
    e.down.add('http://one/');
    await e.pass(30_000);
    expect(e.view('one')).toMatch(/^SUSPECT/);
    e.down.clear();
    await e.pass(20_000);
    expect(e.view('one')).toBe('DRAINING HEALTHY: its health path answers, still draining');
  });

  it('that is replaced while it is asked is not judged any more', async () => {
    const t = new TestRegistry();
    const answers: ((result: ProbeResult) => void)[] = [];
    const watch = new EndpointWatch({
      registry: t.registry,
      probe: { probe: () => new Promise((resolve) => answers.push(resolve)) },
      clock: t.clock,
      random: () => 0.5,
      onDoubt: () => {},
    });
    const checked = checkRegistration(registerFrame(), {
      namespace: 'shop',
      agent: 'orders',
      actor: 'agent:shop/orders',
      enrolmentKeyId: undefined,
    });
    const endpoint = endpointOf({ url: 'http://one/' });
    const old = (await t.registry.join(checked, 'old', new HttpLink('old'), endpoint)).instance;
    const asked = watch.ask(old);
    const next = await t.ready({}, 'new', testLink('socket'));
    answers[0]?.({ ok: true, load: {} });
    await asked;
    expect([old.state.name, next.state.name, next.link?.id]).toEqual(['GONE', 'READY', 'socket']);
    expect([...t.registry.endpoints()]).toEqual([]);
  });

  it('is not blamed while most fail at once, until that lasts', async () => {
    const e = new TestEndpoints();
    const names = ['a', 'b', 'c', 'd'];
    for (const name of names) await e.register(name);
    await e.pass(1_000);
    for (const name of names) e.down.add(`http://${name}/`);
    await e.pass(50_000);
    expect(names.map((name) => e.view(name).split(' ')[0])).toEqual(['READY', 'READY', 'READY', 'READY']);
    expect(e.doubts).toEqual([[true, 4, 4]]);
    expect(e.watch.status()).toEqual({ watched: 4, failing: 4, inDoubt: true });
    await e.pass(10_000);
    expect(names.map((name) => e.view(name).split(' ')[0])).toEqual(['SUSPECT', 'SUSPECT', 'SUSPECT', 'SUSPECT']);
    expect(e.doubts.at(-1)).toEqual([false, 0, 0]);
    e.down.clear();
    await e.pass(20_000);
    expect(names.map((name) => e.view(name).split(' ')[0])).toEqual(['READY', 'READY', 'READY', 'READY']);
  });

  it('is blamed when it fails among others that do not', async () => {
    const e = new TestEndpoints();
    for (const name of ['a', 'b', 'c', 'd', 'e']) await e.register(name);
    await e.pass(1_000);
    for (const name of ['a', 'b']) e.down.add(`http://${name}/`);
    await e.pass(30_000);
    expect(['a', 'b', 'c'].map((name) => e.view(name).split(' ')[0])).toEqual(['SUSPECT', 'SUSPECT', 'READY']);
    expect(e.doubts).toEqual([]);
  });
});

describe('after a restart of the server an endpoint', () => {
  async function restarted(down: boolean) {
    const before = new TestEndpoints();
    const { instance } = await before.register('one');
    const e = new TestEndpoints();
    if (down) e.down.add('http://one/');
    const agent = before.t.registry.agent('shop/orders');
    if (agent === undefined) throw new Error('the agent is gone');
    e.t.registry.putAgent(agent);
    e.t.registry.restoreInstance(instance.record);
    return e;
  }

  it('is asked at once, and one good probe brings it back', async () => {
    const e = await restarted(false);
    expect(e.view('one')).toBe('SUSPECT UNKNOWN: not heard since the server restarted');
    await e.pass(250);
    expect(e.view('one')).toBe('READY HEALTHY: its health path answers');
    expect(e.t.lost).toEqual([]);
  });

  it('that registers with the same again is the same incarnation', async () => {
    const e = await restarted(false);
    expect((await e.register('one')).resumed).toBe(true);
    expect(e.t.store.saved).toEqual([]);
    expect(e.view('one')).toBe('READY HEALTHY: its health path answers');
  });

  it('that does not answer is OFFLINE after three probes, and kept', async () => {
    const e = await restarted(true);
    await e.pass(19_000);
    expect(e.view('one')).toBe('SUSPECT UNKNOWN: not heard since the server restarted');
    await e.pass(2_000);
    expect(e.view('one')).toMatch(/^SUSPECT OFFLINE: 3 probes failed/);
    await e.pass(300_000);
    expect(e.view('one')).toMatch(/^SUSPECT/);
  });
});

describe('an endpoint that is removed', () => {
  it('is gone, and asked no more', async () => {
    const e = new TestEndpoints();
    const { instance } = await e.register('one');
    expect(e.t.registry.removeEndpoint('shop/orders/one', 'user:op')).toMatchObject({
      lifecycle: 'GONE',
      reason: 'removed by user:op',
    });
    expect([e.t.lost, e.t.store.forgotten, e.view('one')]).toEqual([[instance], ['shop/orders/one'], 'none']);
    const asked = e.asked.length;
    await e.pass(30_000);
    expect(e.asked).toHaveLength(asked);
  });

  it('while it is paused does not come back with the next start of the server', async () => {
    const e = new TestEndpoints();
    const steps: unknown[] = [];
    await e.register('one');
    e.t.registry.pause('shop/orders/one', 'user:op', '');
    e.t.store.rememberInstance = (record) => steps.push([record.paused, record.endpoint]);
    e.t.registry.removeEndpoint('shop/orders/one', 'user:op');
    expect([steps, e.t.store.forgotten]).toEqual([[[true, undefined]], []]);
  });

  it('must be an endpoint', async () => {
    const e = new TestEndpoints();
    await e.t.ready();
    expect(() => e.t.registry.removeEndpoint('shop/orders/one', 'user:op')).toThrow('There is no HTTP endpoint');
  });
});

import type { Lifecycle } from '@agent-reach/sdk/protocol';
import { describe, expect, it } from 'vitest';
import { endpointOf } from './endpoints/endpoint-check.js';
import { HttpLink } from './endpoints/http-link.js';
import type { Instance, Link } from './instance.js';
import type { LifecycleState } from './lifecycle.js';
import { TestRegistry, testLink } from './testing.js';
import { Transitions } from './transitions.js';

/** From the state of the row to that of the column. */
const ALLOWED = `
            PENDING STARTING READY DRAINING PAUSED SUSPECT GONE
  PENDING   no      yes      no    yes      yes    yes     yes
  STARTING  no      no       yes   yes      yes    yes     yes
  READY     no      no       no    yes      yes    yes     yes
  DRAINING  yes     no       yes   no       yes    yes     yes
  PAUSED    yes     no       yes   yes      no     yes     yes
  SUSPECT   no      yes      yes   yes      yes    no      yes
  GONE      no      no       no    no       no     no      no
`;

/** The cells of a table in text: row, column, content. */
function cells(table: string): [string, string, string][] {
  const [head = [], ...rows] = table
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  return rows.flatMap(([row = '', ...contents]) =>
    contents.map((content, index): [string, string, string] => [row, head[index] ?? '', content]),
  );
}

const STATES: Readonly<Record<Lifecycle, LifecycleState>> = {
  PENDING: { name: 'PENDING' },
  STARTING: { name: 'STARTING', readyAt: 0 },
  READY: { name: 'READY' },
  DRAINING: { name: 'DRAINING', until: 0, byOperator: false },
  PAUSED: { name: 'PAUSED' },
  SUSPECT: { name: 'SUSPECT', goneAt: 0, observedUntil: null, drained: undefined },
  GONE: { name: 'GONE' },
};

describe('a step of the lifecycle', () => {
  const table = cells(ALLOWED) as [Lifecycle, Lifecycle, string][];

  it('is known for every pair of states', () => {
    expect(table).toHaveLength(49);
  });

  it.each(table)('from %s to %s is allowed: %s', async (from, to, allowed) => {
    const t = new TestRegistry();
    const instance = await t.ready();
    const records: unknown[] = [];
    const published: unknown[] = [];
    const transitions = new Transitions(
      t.clock,
      { record: (entry) => records.push([entry.action, entry.details.from]) },
      ({ live }) => published.push([live.lifecycle, live.reason]),
    );
    instance.state = STATES[from];
    instance.live.lifecycle = from;
    const step = () => transitions.to(instance, STATES[to], 'why');
    if (allowed === 'yes') {
      step();
      expect([instance.state, instance.live.lifecycle, records, published]).toEqual([
        STATES[to],
        to,
        [[`instance.${to}`, from]],
        [[to, 'why']],
      ]);
    } else {
      expect(step).toThrow(`shop/orders/one may not go from ${from} to ${to}`);
      expect([instance.state, instance.live.lifecycle, records, published]).toEqual([STATES[from], from, [], []]);
    }
  });
});

/** What becomes of an instance in the state of the row by what the column does; `-`: it is refused. */
const OUTCOMES = `
                 ready     heartbeat drains    drained   paused   resumed   agent-paused close    silence  goodbye same     other    removed
  STARTING       READY     STARTING  DRAINING  DRAINING  PAUSED   STARTING  PAUSED       SUSPECT  SUSPECT  GONE    STARTING STARTING GONE
  READY          READY     READY     DRAINING  DRAINING  PAUSED   READY     PAUSED       SUSPECT  SUSPECT  GONE    READY    STARTING GONE
  DRAINING       DRAINING  DRAINING  DRAINING  DRAINING  PAUSED   READY     DRAINING     SUSPECT  SUSPECT  GONE    DRAINING STARTING GONE
  PAUSED         PAUSED    PAUSED    DRAINING  DRAINING  PAUSED   READY     PAUSED       SUSPECT  SUSPECT  GONE    PAUSED   PAUSED   GONE
  SUSPECT        -         -         -         SUSPECT   SUSPECT  SUSPECT   SUSPECT      SUSPECT  GONE     -       READY    STARTING GONE
  DRAINED        -         -         -         SUSPECT   SUSPECT  SUSPECT   SUSPECT      SUSPECT  GONE     -       DRAINING STARTING GONE
  RESTORED       -         -         -         SUSPECT   SUSPECT  SUSPECT   SUSPECT      SUSPECT  SUSPECT  -       READY    STARTING GONE
`;

const REF = 'shop/orders/one';

class Scene {
  t = new TestRegistry();
  link: Link = testLink('link');

  get instance(): Instance | undefined {
    return [...this.t.registry.live()].find(({ ref }) => ref === REF);
  }

  async enter(state: string): Promise<void> {
    const { registry } = this.t;
    await this.t.join({ startupGraceMs: 600_000, drainTimeoutMs: 600_000 }, 'inc-1', this.link);
    if (state === 'STARTING') return;
    registry.ready(REF, this.link);
    if (state === 'DRAINING' || state === 'DRAINED') registry.drain(REF, 'user:ann', '');
    if (state === 'PAUSED') registry.pause(REF, 'user:ann', '');
    if (state === 'SUSPECT' || state === 'DRAINED') registry.linkClosed(this.link, [REF]);
    if (state === 'RESTORED') this.restart();
  }

  /** Returns the state after it, or `-`. */
  async do(what: string): Promise<string> {
    const before = this.instance;
    try {
      await this.#do(what);
    } catch (error) {
      if (error instanceof Error && /may not go/.test(error.message)) throw error;
      return '-';
    }
    return (this.instance ?? before)?.live.lifecycle ?? 'none';
  }

  restart(): void {
    const agent = this.t.registry.agent('shop/orders');
    const record = this.t.registry.record(REF);
    if (agent === undefined || record === undefined) throw new Error('it is known');
    this.t = new TestRegistry();
    this.t.registry.putAgent(agent);
    this.t.registry.restoreInstance(record);
  }

  async #do(what: string): Promise<void> {
    const { registry } = this.t;
    const frame = { startupGraceMs: 600_000, drainTimeoutMs: 600_000 };
    switch (what) {
      case 'ready':
        return registry.ready(REF, this.link);
      case 'heartbeat':
        return void registry.heartbeat(REF, this.link, {});
      case 'drains':
        return registry.drainBySelf(REF, this.link);
      case 'drained':
        return void registry.drain(REF, 'user:ann', '');
      case 'paused':
        return void registry.pause(REF, 'user:ann', '');
      case 'resumed':
        return void registry.resume(REF, 'user:ann');
      case 'agent-paused': {
        const agent = registry.agent('shop/orders');
        if (agent === undefined) throw new Error('it is known');
        return registry.putAgent({ ...agent, settings: { ...agent.settings, paused: true } });
      }
      case 'close':
        return registry.linkClosed(this.link, [REF]);
      case 'silence':
        return this.t.pass(46_000);
      case 'goodbye':
        return registry.goodbye(REF, this.link);
      case 'same':
        return void (await this.t.join(frame, 'inc-1', testLink('again')));
      case 'other':
        return void (await this.t.join(frame, 'inc-2', testLink('other')));
      case 'removed':
        return registry.removeAgent('shop/orders');
      default:
        throw new Error(`may not go: ${what}`);
    }
  }
}

describe('an instance', () => {
  it.each(cells(OUTCOMES))('that is %s, by %s becomes %s', async (state, what, outcome) => {
    const scene = new Scene();
    await scene.enter(state);
    expect(await scene.do(what)).toBe(outcome);
  });
});

/** The same for an HTTP endpoint, which has no connection of its own. */
const ENDPOINT_OUTCOMES = `
            reached   unreachable drained  paused  resumed removed
  PENDING   STARTING  SUSPECT     DRAINING PAUSED  PENDING GONE
  DRAINING  DRAINING  SUSPECT     DRAINING PAUSED  PENDING GONE
  PAUSED    PAUSED    SUSPECT     DRAINING PAUSED  PENDING GONE
  SUSPECT   READY     SUSPECT     SUSPECT  SUSPECT SUSPECT GONE
`;

describe('an endpoint that was not reached yet', () => {
  it.each(cells(ENDPOINT_OUTCOMES))('and is %s, by %s becomes %s', async (state, what, outcome) => {
    const scene = new TestRegistry();
    const { instance } = await scene.join(
      { startupGraceMs: 600_000 },
      'inc-1',
      new HttpLink('one'),
      'orders',
      endpointOf({ url: 'http://one/' }),
    );
    const control = scene.registry;
    if (state === 'DRAINING') control.drain(REF, 'user:ann', '');
    if (state === 'PAUSED') control.pause(REF, 'user:ann', '');
    if (state === 'SUSPECT') control.unreachable(instance, 'no answer');
    if (what === 'reached') control.reached(instance, new HttpLink('one'));
    if (what === 'unreachable') control.unreachable(instance, 'no answer');
    if (what === 'drained') control.drain(REF, 'user:ann', '');
    if (what === 'paused') control.pause(REF, 'user:ann', '');
    if (what === 'resumed') control.resume(REF, 'user:ann');
    if (what === 'removed') control.removeEndpoint(REF, 'user:ann');
    expect(instance.live.lifecycle).toBe(outcome);
  });
});

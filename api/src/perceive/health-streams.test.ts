import type { HealthFilter, HealthStreamEvent, InstanceHealth, InstanceRef } from '@agent-reach/sdk/protocol';
import { describe, expect, it } from 'vitest';
import { HealthHub } from './health-streams.js';

class Fixture {
  readonly now = new Map<string, InstanceHealth>();
  readonly hub = new HealthHub('e1', () => this.now.values());

  /** `shop/orders/1` gets into a state. */
  change(instance: InstanceRef, state: Partial<InstanceHealth> = {}): void {
    const before = this.now.get(instance);
    const health: InstanceHealth = {
      instance,
      agent: instance.slice(0, instance.lastIndexOf('/')) as `${string}/${string}`,
      incarnation: 'inc-1',
      lifecycle: 'READY',
      health: 'HEALTHY',
      reason: 'ready',
      capabilities: ['order_query'],
      zone: 'eu',
      inFlight: 0,
      queueDepth: 0,
      utilisation: null,
      changedAt: '2026-01-01T00:00:00.000Z',
      ...before,
      ...state,
      version: (before?.version ?? 0) + 1,
    };
    if (health.lifecycle === 'GONE') this.now.delete(instance);
    else this.now.set(instance, health);
    this.hub.publish(health);
  }

  open(filter?: HealthFilter, after?: string, visible: (namespace: string) => boolean = () => true) {
    return this.hub.open({ filter, after, visible });
  }
}

/** One line for each event. */
function line(event: HealthStreamEvent): string {
  const state = ({ instance, lifecycle, health }: InstanceHealth) => `${instance} ${lifecycle} ${health}`;
  switch (event.kind) {
    case 'Snapshot':
      return `Snapshot ${event.position} ${event.instances.map(state).join(', ')}`;
    case 'Change':
      return `Change ${event.position} ${state(event.instance)}`;
    default:
      return `${event.kind} ${event.position}`;
  }
}

type Stream = AsyncIterableIterator<HealthStreamEvent>;

/** All events that can be read now; the last is the checkpoint that this asks for. */
async function rest(x: Fixture, stream: Stream): Promise<string[]> {
  x.hub.checkpoint();
  const lines: string[] = [];
  for (;;) {
    const { value, done } = await stream.next();
    if (done === true) return lines;
    if (value.kind === 'Checkpoint') return lines;
    lines.push(line(value));
  }
}

const OFFLINE = { lifecycle: 'SUSPECT', health: 'OFFLINE' } as const;
const READY = { lifecycle: 'READY', health: 'HEALTHY' } as const;

describe('a filter by state', () => {
  it('begins with what matches, tells what comes to match, and once what no longer does', async () => {
    const x = new Fixture();
    x.change('shop/orders/1');
    x.change('shop/orders/2', OFFLINE);
    const stream = x.open({ health: ['OFFLINE', 'DEGRADED'] });
    expect(await rest(x, stream)).toEqual(['Snapshot e1.2 shop/orders/2 SUSPECT OFFLINE']);
    x.change('shop/orders/1', { health: 'DEGRADED' });
    expect(await rest(x, stream)).toEqual(['Change e1.3 shop/orders/1 READY DEGRADED']);
    x.change('shop/orders/1', { health: 'HEALTHY' });
    expect(await rest(x, stream)).toEqual(['Change e1.4 shop/orders/1 READY HEALTHY']);
    x.change('shop/orders/1', { queueDepth: 7 });
    expect(await rest(x, stream)).toEqual([]);
    x.change('shop/orders/2', READY);
    expect(await rest(x, stream)).toEqual(['Change e1.6 shop/orders/2 READY HEALTHY']);
  });

  it('tells that an instance which it had is GONE', async () => {
    const x = new Fixture();
    x.change('shop/orders/1');
    const stream = x.open({ lifecycle: ['READY'] });
    x.change('shop/orders/1', { lifecycle: 'GONE', health: 'OFFLINE' });
    expect(await rest(x, stream)).toEqual([
      'Snapshot e1.1 shop/orders/1 READY HEALTHY',
      'Change e1.2 shop/orders/1 GONE OFFLINE',
    ]);
    // The next incarnation is another thing, not yet in a state that was asked for.
    x.change('shop/orders/1', { lifecycle: 'STARTING' });
    expect(await rest(x, stream)).toEqual([]);
  });

  it('keeps from a slow reader what came to match and no longer does before it was read', async () => {
    const x = new Fixture();
    x.change('shop/orders/1');
    const stream = x.open({ health: ['OFFLINE'] });
    await rest(x, stream);
    x.change('shop/orders/1', OFFLINE);
    x.change('shop/orders/1', READY);
    // Somebody waits for the first change, so it is read; the second then ends what it began.
    const quick = x.open({ health: ['OFFLINE'] });
    await rest(x, quick);
    const first = quick.next();
    x.change('shop/orders/1', OFFLINE);
    x.change('shop/orders/1', READY);
    expect([line((await first).value), ...(await rest(x, quick))]).toEqual([
      'Change e1.4 shop/orders/1 SUSPECT OFFLINE',
      'Change e1.5 shop/orders/1 READY HEALTHY',
    ]);
    expect(await rest(x, stream)).toEqual([]);
  });

  it('tells a slow reader that what it had no longer matches, whatever happened in between', async () => {
    const x = new Fixture();
    x.change('shop/orders/1', OFFLINE);
    const stream = x.open({ health: ['OFFLINE'] });
    await rest(x, stream);
    x.change('shop/orders/1', READY);
    x.change('shop/orders/1', OFFLINE);
    x.change('shop/orders/1', { ...READY, health: 'DEGRADED' });
    expect(await rest(x, stream)).toEqual(['Change e1.4 shop/orders/1 READY DEGRADED']);
  });

  it('compares with what the reader knew when it goes on after a position', async () => {
    const x = new Fixture();
    x.change('shop/orders/1', OFFLINE); // e1.1
    x.change('shop/orders/2'); // e1.2
    x.change('shop/orders/2', OFFLINE); // e1.3
    x.change('shop/orders/1', READY); // e1.4
    x.change('shop/orders/1', { queueDepth: 3 }); // e1.5
    x.change('shop/orders/2', READY); // e1.6
    const filter = { health: ['OFFLINE'] } as const;
    // It had 1 and not 2, which was OFFLINE and is not any more.
    expect(await rest(x, x.open(filter, 'e1.2'))).toEqual(['Change e1.5 shop/orders/1 READY HEALTHY']);
    // It had both.
    expect(await rest(x, x.open(filter, 'e1.3'))).toEqual([
      'Change e1.5 shop/orders/1 READY HEALTHY',
      'Change e1.6 shop/orders/2 READY HEALTHY',
    ]);
    // It had only 2.
    expect(await rest(x, x.open(filter, 'e1.4'))).toEqual(['Change e1.6 shop/orders/2 READY HEALTHY']);
    expect(await rest(x, x.open(filter, 'e1.6'))).toEqual([]);
    // Without a filter, each newest state.
    expect(await rest(x, x.open(undefined, 'e1.0'))).toEqual([
      'Change e1.5 shop/orders/1 READY HEALTHY',
      'Change e1.6 shop/orders/2 READY HEALTHY',
    ]);
  });
});

describe('a reader that came back', () => {
  it('hears what it missed before what changed since, also where both are about the same instance', async () => {
    const x = new Fixture();
    x.change('shop/orders/1'); // e1.1
    x.change('shop/orders/1', OFFLINE); // e1.2
    x.change('shop/orders/2'); // e1.3
    const stream = x.open({ health: ['OFFLINE'] }, 'e1.1');
    x.change('shop/orders/1', READY); // e1.4
    x.change('shop/orders/2', OFFLINE); // e1.5
    expect(await rest(x, stream)).toEqual([
      'Change e1.2 shop/orders/1 SUSPECT OFFLINE',
      'Change e1.4 shop/orders/1 READY HEALTHY',
      'Change e1.5 shop/orders/2 SUSPECT OFFLINE',
    ]);
  });
});

describe('a filter by capability', () => {
  it('tells that an instance no longer offers it', async () => {
    const x = new Fixture();
    x.change('shop/orders/1');
    x.change('shop/stock/1', { capabilities: ['stock_query'] });
    const stream = x.open({ capability: 'order_query' });
    x.change('shop/orders/1', { capabilities: ['order_cancel'] });
    x.change('shop/orders/1', { queueDepth: 2 });
    expect(await rest(x, stream)).toEqual([
      'Snapshot e1.2 shop/orders/1 READY HEALTHY',
      'Change e1.4 shop/orders/1 READY HEALTHY',
    ]);
    x.change('shop/orders/1', { queueDepth: 3 });
    expect(await rest(x, stream)).toEqual([]);
    x.change('shop/stock/1', { capabilities: ['stock_query', 'order_query'] });
    expect(await rest(x, stream)).toEqual(['Change e1.6 shop/stock/1 READY HEALTHY']);
  });
});

describe('filters together', () => {
  it('must all match; namespace and scope count first', async () => {
    const x = new Fixture();
    x.change('bank/orders/1', OFFLINE);
    x.change('shop/orders/1', OFFLINE);
    x.change('shop/orders/2');
    const filter = { namespace: 'shop', agent: 'shop/orders', health: ['OFFLINE'] } as const;
    expect(await rest(x, x.open(filter))).toEqual(['Snapshot e1.3 shop/orders/1 SUSPECT OFFLINE']);
    const outside = x.open({ health: ['OFFLINE'] }, undefined, (namespace) => namespace === 'bank');
    x.change('shop/orders/1', READY);
    expect(await rest(x, outside)).toEqual(['Snapshot e1.3 bank/orders/1 SUSPECT OFFLINE']);
  });
});

describe('readers of the same', () => {
  it('get the very same events, so that they are printed once', async () => {
    const x = new Fixture();
    const [one, other] = [x.open(), x.open({ agent: 'shop/orders' })];
    await rest(x, one);
    await rest(x, other);
    x.change('shop/orders/1');
    x.hub.checkpoint();
    expect((await one.next()).value).toBe((await other.next()).value);
    expect((await one.next()).value).toBe((await other.next()).value);
  });
});

it('a reader that lags beyond 10,000 instances begins anew', async () => {
  const x = new Fixture();
  const stream = x.open();
  await rest(x, stream);
  for (let index = 0; index <= 10_000; index++) x.change(`shop/orders/${index}`);
  expect(line((await stream.next()).value)).toBe('Resync e1.10001');
  const { value } = await stream.next();
  expect([value.kind, value.instances.length]).toEqual(['Snapshot', 10_001]);
  x.change('shop/orders/7', OFFLINE);
  expect(await rest(x, stream)).toEqual(['Change e1.10002 shop/orders/7 SUSPECT OFFLINE']);
});

import type { PermissionRule } from '@agent-reach/sdk/decide';
import type { RouteEntry, RouteStreamEvent } from '@agent-reach/sdk/protocol';
import { describe, expect, it } from 'vitest';
import { TestRegistry, testLink } from '../testing.js';

const CALLER = { caller: 'agent:shop/web', roles: [] } as const;

function rule(id: string, more: Partial<PermissionRule> = {}): PermissionRule {
  return { id, namespace: 'shop', caller: 'agent:shop/web', target: '*', capability: '*', effect: 'ALLOW', ...more };
}

/** One line for each event. */
function line(event: RouteStreamEvent): string {
  const entry = ({ instance, lifecycle, capabilities }: RouteEntry) =>
    `${instance} ${lifecycle} ${capabilities.map(({ name }) => name)}`;
  switch (event.kind) {
    case 'Snapshot':
      return `Snapshot ${event.version}: ${event.instances.map(entry).join('; ')}`;
    case 'Change':
      return `${event.previous} → ${event.version}: ${entry(event.instance)}`;
    case 'Checkpoint':
      return `${event.previous} → ${event.version}`;
    default:
      return `Resync: ${event.reason}`;
  }
}

type Stream = AsyncIterableIterator<RouteStreamEvent>;

/** All that can be read now, up to the checkpoint that this asks for. */
async function rest({ registry }: TestRegistry, stream: Stream): Promise<string[]> {
  registry.routes.checkpoint();
  const lines: string[] = [];
  for (;;) {
    const { value, done } = await stream.next();
    if (done === true) return lines;
    lines.push(line(value));
    if (value.kind === 'Checkpoint') return lines;
  }
}

function open(
  { registry }: TestRegistry,
  after?: string,
  visible = (namespace: string): boolean => namespace === 'shop',
) {
  return registry.routes.open({ after, visible, seeker: () => CALLER });
}

const CAPABILITIES = ['order_query', 'order_cancel'].map((name) => ({
  name,
  description: 'Use it to do something with one order by its number.',
  inputSchema: { type: 'object' },
}));

describe('the route table of a caller', () => {
  it('has what it may call of what it may see, as one version, and then each change on top of the last', async () => {
    const t = new TestRegistry();
    t.registry.setPermissions([rule('r1', { capability: 'order_query' })]);
    const instance = await t.ready({ capabilities: CAPABILITIES });
    const stream = open(t);
    expect(await rest(t, stream)).toEqual(['Snapshot 2: shop/orders/one READY order_query', '2 → 2']);
    t.registry.pause(instance.ref, 'user:ann', 'inventory');
    t.registry.resume(instance.ref, 'user:ann');
    await t.ready({ instance: 'two', capabilities: CAPABILITIES }, 'inc-2', testLink('other'));
    expect(await rest(t, stream)).toEqual([
      '2 → 4: shop/orders/one READY order_query',
      '4 → 6: shop/orders/two READY order_query',
      '6 → 6',
    ]);
    expect(
      await rest(
        t,
        open(t, undefined, () => false),
      ),
    ).toEqual(['Snapshot 6: ', '6 → 6']);
  });

  it('tells of no load, and of what is gone', async () => {
    const t = new TestRegistry();
    t.registry.setPermissions([rule('r1')]);
    const link = testLink('link');
    const instance = await t.ready({}, 'inc-1', link);
    const stream = open(t);
    await rest(t, stream);
    t.registry.heartbeat(instance.ref, link, { queueDepth: 7 });
    expect(await rest(t, stream)).toEqual(['2 → 2']);
    t.registry.goodbye(instance.ref, link);
    expect(await rest(t, stream)).toEqual(['2 → 3: shop/orders/one GONE order_query', '3 → 3']);
  });

  it('tells once that nothing may be called of an instance any more, when its capabilities change', async () => {
    const t = new TestRegistry();
    t.registry.setPermissions([rule('r1', { capability: 'order_query' })]);
    const link = testLink('link');
    await t.ready({ capabilities: CAPABILITIES }, 'inc-1', link);
    const stream = open(t);
    await rest(t, stream);
    await t.join({ capabilities: CAPABILITIES.slice(1) }, 'inc-1', link);
    expect(await rest(t, stream)).toEqual(['2 → 3: shop/orders/one READY ', '3 → 3']);
  });

  it('begins anew within a sweep when a right comes, goes or expires, and not when another one does', async () => {
    const t = new TestRegistry();
    t.registry.setPermissions([rule('r1', { capability: 'order_query' })]);
    await t.ready({ capabilities: CAPABILITIES });
    const stream = open(t);
    await rest(t, stream);
    const wall = t.clock.wall();
    const more = rule('r2', { capability: 'order_cancel', expiresAt: wall + 2_000 });
    t.registry.setPermissions([rule('r1', { capability: 'order_query' }), more]);
    t.pass(250);
    const resync = 'Resync: what you may call has changed';
    expect(await rest(t, stream)).toEqual([
      resync,
      'Snapshot 2: shop/orders/one READY order_query,order_cancel',
      '2 → 2',
    ]);
    t.registry.setPermissions([
      rule('r1', { capability: 'order_query' }),
      more,
      rule('r3', { caller: 'agent:shop/x' }),
    ]);
    t.pass(250);
    expect(await rest(t, stream)).toEqual(['2 → 2']);
    t.pass(2_000);
    expect(await rest(t, stream)).toEqual([resync, 'Snapshot 2: shop/orders/one READY order_query', '2 → 2']);
    t.registry.setPermissions([]);
    t.pass(250);
    expect(await rest(t, stream)).toEqual([resync, 'Snapshot 2: ', '2 → 2']);
  });

  it('goes on after a position, unless rights were others or it is of another life', async () => {
    const t = new TestRegistry();
    t.registry.setPermissions([rule('r1')]);
    const instance = await t.ready();
    const first = open(t);
    const { position } = (await first.next()).value;
    t.registry.pause(instance.ref, 'user:ann', 'inventory');
    expect(await rest(t, open(t, position))).toEqual(['2 → 3: shop/orders/one PAUSED order_query', '3 → 3']);
    const anew = [
      'Resync: the server was restarted since, or too much has changed',
      'Snapshot 3: shop/orders/one PAUSED order_query',
      '3 → 3',
    ];
    expect(await rest(t, open(t, position.replace('e1', 'e0')))).toEqual(anew);
    expect(await rest(t, open(t, 'e1.2'))).toEqual(anew);
    // What it no longer may call has not changed in the table, so only a snapshot can tell.
    t.registry.setPermissions([rule('r2', { capability: 'order_cancel' })]);
    expect(await rest(t, open(t, position))).toEqual([anew[0], 'Snapshot 3: ', '3 → 3']);
  });
});

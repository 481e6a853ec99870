import { expect, it } from 'vitest';
import type { AgentRecord, CapabilityRecord } from './model.js';
import type { RegisteredAgent, RegistryEvent, RegistryFilter } from './registered-agent.js';
import { RegistryHub } from './registry-streams.js';

/** `shop/<id>` with versions and what each can do. */
function record(id: string, versions: Record<string, readonly string[]>, more: Partial<AgentRecord> = {}): AgentRecord {
  const at = new Date('2026-01-01T00:00:00.000Z');
  return {
    uid: id,
    ref: `shop/${id}`,
    namespace: 'shop',
    id,
    type: 'shop.agent',
    kind: 'AGENT',
    description: '',
    owner: '',
    labels: {},
    settings: { weight: 100, paused: false, labelOverrides: {}, roles: [] },
    enrolmentKeyId: null,
    version: 1,
    createdAt: at,
    updatedAt: at,
    versions: new Map(
      Object.entries(versions).map(([version, names], index) => [
        version,
        {
          uid: `${id}-${version}`,
          version,
          domain: 'PRODUCTION',
          canarySince: null,
          canaryEnd: null,
          contentHash: '',
          createdAt: new Date(at.getTime() + index),
          capabilities: names.map((name) => ({ name }) as CapabilityRecord),
        },
      ]),
    ),
    ...more,
  };
}

function line(event: RegistryEvent): string {
  const agent = ({ agent, versions, deleted }: RegisteredAgent) =>
    `${agent}${deleted ? ' deleted' : ''} ${versions.map(({ version, capabilities }) => `${version}:${capabilities}`).join(' ')}`;
  if (event.kind === 'Snapshot') return `Snapshot ${event.agents.map(agent).join(', ')}`;
  return event.kind === 'Change' ? agent(event.agent) : event.kind;
}

async function rest(hub: RegistryHub, stream: AsyncIterableIterator<RegistryEvent>): Promise<string[]> {
  hub.checkpoint();
  const lines: string[] = [];
  for (;;) {
    const { value } = await stream.next();
    if (value.kind === 'Checkpoint') return lines;
    lines.push(line(value));
  }
}

it('tells agents, versions and capabilities that come, change and go, and nothing that is as it was', async () => {
  const hub = new RegistryHub('e1');
  hub.put(record('orders', { '1.0.0': ['order_query'] }));
  const open = (filter?: RegistryFilter) => hub.open({ filter, visible: () => true });
  const [all, able] = [open(), open({ capability: 'order_query' })];
  hub.put(record('stock', { '1.0.0': ['stock_query'] }));
  hub.put(record('orders', { '1.0.0': ['order_query'] }, { version: 2, updatedAt: new Date() }));
  expect(await rest(hub, all)).toEqual(['Snapshot shop/orders 1.0.0:order_query', 'shop/stock 1.0.0:stock_query']);
  expect(await rest(hub, able)).toEqual(['Snapshot shop/orders 1.0.0:order_query']);
  hub.put(record('orders', { '1.0.0': ['order_query'], '2.0.0': ['order_find'] }));
  hub.put(record('stock', { '1.0.0': ['stock_query', 'order_query'] }));
  expect(await rest(hub, able)).toEqual([
    'shop/orders 2.0.0:order_find 1.0.0:order_query',
    'shop/stock 1.0.0:stock_query,order_query',
  ]);
  hub.put(record('stock', { '1.0.0': ['stock_query'] }));
  hub.remove('shop/orders');
  hub.remove('shop/orders');
  const gone = ['shop/stock 1.0.0:stock_query', 'shop/orders deleted 2.0.0:order_find 1.0.0:order_query'];
  expect(await rest(hub, able)).toEqual(gone);
  expect(await rest(hub, open())).toEqual(['Snapshot shop/stock 1.0.0:stock_query']);
});

it('shows only what is in the scope and passes the filter', async () => {
  const hub = new RegistryHub('e1');
  hub.put(record('orders', {}));
  hub.put(record('ledger', {}, { ref: 'bank/ledger', namespace: 'bank', type: 'bank.ledger' }));
  const seen = async (filter: RegistryFilter, visible = (_: string) => true) =>
    rest(hub, hub.open({ filter, visible }));
  expect(await seen({ namespace: 'bank' })).toEqual(['Snapshot bank/ledger ']);
  expect(await seen({ type: 'shop.agent' })).toEqual(['Snapshot shop/orders ']);
  expect(await seen({ agent: 'shop/orders', type: 'bank.ledger' })).toEqual(['Snapshot ']);
  expect(await seen({}, (namespace) => namespace === 'shop')).toEqual(['Snapshot shop/orders ']);
});

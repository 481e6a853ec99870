import type { AuditRecord } from '@agent-reach/sdk/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GraphqlTestServer } from './testing.js';

let server: GraphqlTestServer;
let shopper: string;

/** Lets the server count the end of a call. */
function ended(parts: Partial<AuditRecord>): void {
  server.topology.counting({ record: () => {} }).record({
    occurredAt: 0,
    kind: 'CALL',
    namespace: 'shop',
    action: 'call',
    actor: 'agent:shop/web',
    target: 'shop/orders',
    capability: 'order_query',
    outcome: 'OK',
    durationMs: 10,
    attempts: 1,
    details: {},
    ...parts,
  });
}

beforeAll(async () => {
  server = await GraphqlTestServer.open();
  for (const namespace of ['shop', 'bank']) await server.namespace(namespace);
  for (const ref of ['shop/web', 'shop/orders', 'bank/ledger']) {
    const [namespace, id] = ref.split('/');
    await server.ask(`mutation { createAgent(input: { namespace: "${namespace}", id: "${id}", type: "t" }) { ref } }`);
  }
  await server.join('shop/orders');
  shopper = (await server.appToken('shop', 'VIEWER')).secret;

  for (let call = 0; call < 3; call++) ended({});
  ended({ outcome: 'AGENT_ERROR', durationMs: 180 });
  ended({ capability: 'order_create', outcome: 'DENIED', attempts: 0 });
  ended({ actor: 'user:ann', details: { cached: true }, attempts: 0 });
  ended({ target: 'bank/ledger', namespace: 'bank', callerNamespace: 'shop', capability: 'post' });
  ended({ target: '', capability: 'ship', outcome: 'NO_ROUTE', attempts: 0 });
  ended({ actor: 'app:bank/teller', target: 'shop/orders', callerNamespace: 'bank' });
});
afterAll(() => server.close());

interface Answer {
  readonly nodes: readonly { readonly id: string }[];
  readonly edges: readonly { readonly from: string; readonly to: string; readonly calls: number }[];
  readonly omittedEdges: number;
}

const EDGES = 'nodes { id } edges { from to calls } omittedEdges';
const ask = (args: string, token?: string) => server.ask<Answer>(`{ topology${args} { ${EDGES} } }`, {}, token);
const edgesOf = ({ edges }: Answer) => edges.map(({ from, to, calls }) => `${from} > ${to} ${calls}`).sort();

it('says of each edge how often, how well and how fast', async () => {
  const { since, until, edges } = await server.ask<{
    since: string;
    until: string;
    edges: Record<string, unknown>[];
  }>(
    `{ topology(filter: { node: "agent:shop/web" }) { since until edges { from to calls callsPerMinute failures errorRate
      outcomes { outcome calls } fromMemory latency { meanMs p50Ms p95Ms p99Ms } lastCallAt
      capabilities { name calls failures latency { p50Ms } } } } }`,
  );
  // A server that has run for less than ten seconds counts as if it had for ten.
  const minutes = Math.max(Date.parse(until) - Date.parse(since), 10_000) / 60_000;
  const edge = edges.find(({ to }) => to === 'agent:shop/orders');
  expect(edge).toMatchObject({
    from: 'agent:shop/web',
    calls: 5,
    callsPerMinute: expect.closeTo(5 / minutes, 1),
    failures: 2,
    errorRate: 0.4,
    outcomes: [
      { outcome: 'AGENT_ERROR', calls: 1 },
      { outcome: 'DENIED', calls: 1 },
    ],
    fromMemory: 0,
    latency: { meanMs: 52.5, p50Ms: expect.closeTo(11.33), p95Ms: 186, p99Ms: expect.closeTo(197.2) },
    capabilities: [
      { name: 'order_query', calls: 4, failures: 1, latency: { p50Ms: expect.closeTo(11.33) } },
      { name: 'order_create', calls: 1, failures: 1, latency: null },
    ],
  });
  expect(Date.now() - Date.parse(String(edge?.lastCallAt))).toBeLessThan(60_000);
});

it('says of each node what it is, how it is now and what it asked for in vain', async () => {
  const { nodes } = await server.ask<{ nodes: unknown[] }>(
    `{ topology(namespace: "shop") { nodes { id kind name namespace agent { ref type kind health readyCount instanceCount }
      unrouted { calls outcomes { outcome calls } capabilities { name calls } } } } }`,
  );
  expect(nodes).toEqual([
    {
      id: 'agent:bank/ledger',
      kind: 'AGENT',
      name: 'ledger',
      namespace: 'bank',
      agent: { ref: 'bank/ledger', type: 't', kind: 'AGENT', health: 'OFFLINE', readyCount: 0, instanceCount: 0 },
      unrouted: null,
    },
    {
      id: 'agent:shop/orders',
      kind: 'AGENT',
      name: 'orders',
      namespace: 'shop',
      agent: {
        ref: 'shop/orders',
        type: 'shop.orders',
        kind: 'AGENT',
        health: 'HEALTHY',
        readyCount: 1,
        instanceCount: 1,
      },
      unrouted: null,
    },
    {
      id: 'agent:shop/web',
      kind: 'AGENT',
      name: 'web',
      namespace: 'shop',
      agent: { ref: 'shop/web', type: 't', kind: 'AGENT', health: 'OFFLINE', readyCount: 0, instanceCount: 0 },
      unrouted: {
        calls: 1,
        outcomes: [{ outcome: 'NO_ROUTE', calls: 1 }],
        capabilities: [{ name: 'ship', calls: 1 }],
      },
    },
    { id: 'app:bank/teller', kind: 'APP', name: 'teller', namespace: 'bank', agent: null, unrouted: null },
    { id: 'user:ann', kind: 'USER', name: 'ann', namespace: null, agent: null, unrouted: null },
  ]);
});

it('counts an answer from the cache apart', async () => {
  const { edges } = await server.ask<{ edges: unknown[] }>(
    '{ topology(filter: { node: "user:ann" }) { edges { calls fromMemory errorRate latency { p50Ms } } } }',
  );
  expect(edges).toEqual([{ calls: 1, fromMemory: 1, errorRate: 0, latency: null }]);
});

describe('a filter', () => {
  it('keeps the edges of a node', async () => {
    expect(edgesOf(await ask('(filter: { node: "agent:bank/ledger" })'))).toEqual([
      'agent:shop/web > agent:bank/ledger 1',
    ]);
  });

  it('counts one capability alone', async () => {
    expect(edgesOf(await ask('(filter: { capability: "order_create" })'))).toEqual([
      'agent:shop/web > agent:shop/orders 1',
    ]);
  });

  it('keeps the calls of a namespace, at either end', async () => {
    expect(edgesOf(await ask('(namespace: "bank")'))).toEqual([
      'agent:shop/web > agent:bank/ledger 1',
      'app:bank/teller > agent:shop/orders 1',
    ]);
  });

  it('keeps the busiest edges, and says how many it left out', async () => {
    const answer = await ask('(first: 1)');
    expect(edgesOf(answer)).toEqual(['agent:shop/web > agent:shop/orders 5']);
    expect(answer.omittedEdges).toBe(3);
    expect(answer.nodes.map(({ id }) => id)).toEqual(['agent:shop/orders', 'agent:shop/web']);
  });

  it('lets as much be asked as the console draws, and its lists count once for each edge', async () => {
    const whole = (first: number) => `{ topology(first: ${first}) { since until omittedEdges uncountedCalls
      nodes { id kind name namespace agent { ref type health readyCount instanceCount } unrouted { calls outcomes { outcome calls } capabilities { name calls } } }
      edges { from to calls callsPerMinute failures errorRate fromMemory lastCallAt latency { p50Ms p95Ms }
        outcomes { outcome calls } capabilities { name calls } } } }`;
    expect(await server.ask(whole(500))).toMatchObject({ omittedEdges: 0 });
    const twice = await server.fail(`{ a: ${whole(500).slice(1, -1)} b: ${whole(500).slice(1, -1)} }`);
    expect(twice.extensions.fields).toMatchObject([{ path: 'query.cost' }]);
  });

  it('says which values are possible', async () => {
    const error = await server.fail('{ topology(windowMs: 1000, first: 501) { since } }');
    expect(error.extensions).toMatchObject({
      code: 'INVALID_INPUT',
      fields: [
        { path: 'windowMs', got: '1000', allowed: 'a whole number from 15000 to 3600000' },
        { path: 'first', got: '501', allowed: 'a whole number from 1 to 500' },
      ],
    });
  });
});

describe('a reader of one namespace', () => {
  it('sees the calls within it, and nothing of those that leave it or come from outside', async () => {
    for (const args of ['', '(namespace: "shop")']) {
      const answer = await ask(args, shopper);
      expect(edgesOf(answer)).toEqual(['agent:shop/web > agent:shop/orders 5', 'user:ann > agent:shop/orders 1']);
      expect(answer.nodes.map(({ id }) => id)).toEqual(['agent:shop/orders', 'agent:shop/web', 'user:ann']);
    }
  });

  it('finds at a hidden node what it finds at none', async () => {
    const hidden = await ask('(filter: { node: "app:bank/teller" })', shopper);
    expect(hidden).toEqual({ nodes: [], edges: [], omittedEdges: 0 });
    expect(hidden).toEqual(await ask('(filter: { node: "app:none/nobody" })', shopper));
  });
});

it('keeps a deleted agent without its state', async () => {
  await server.ask('mutation { createAgent(input: { namespace: "shop", id: "gone", type: "t" }) { ref } }');
  await server.loader.loadAll();
  ended({ target: 'shop/gone' });
  await server.ask('mutation { deleteAgent(ref: "shop/gone") { ref } }');
  const { nodes } = await server.ask<{ nodes: unknown[] }>(
    '{ topology(filter: { node: "agent:shop/gone" }) { nodes { id agent { ref } } } }',
  );
  expect(nodes).toContainEqual({ id: 'agent:shop/gone', agent: null });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appendStatement } from '../../governance/audit/audit.append.js';
import { callRecord } from '../../governance/audit/audit.testing.js';
import { GraphqlTestServer } from './testing.js';

let server: GraphqlTestServer;
let viewer: string;

const FIND = `query ($text: String!, $namespace: String, $caller: String, $first: Int) {
  findCapabilities(text: $text, namespace: $namespace, caller: $caller, first: $first) {
    namespace capability aliases description tags idempotent mode inputSchema score } }`;

beforeAll(async () => {
  server = await GraphqlTestServer.open();
  for (const namespace of ['shop', 'bank']) {
    await server.namespace(namespace);
    await server.ask(`mutation { createAgent(input: { namespace: "${namespace}", id: "desk", type: "t" }) { ref } }`);
    await server.join(`${namespace}/desk`, {}, { id: namespace, isOpen: true });
  }
  await server.ask(
    'mutation { createPermission(input: { caller: "agent:shop/web", target: "shop/desk", capability: "order_query", effect: ALLOW }) { id } }',
  );
  viewer = (await server.appToken('bank', 'VIEWER')).secret;
});
afterAll(() => server.close());

const places = async (variables: Record<string, unknown>, token?: string) => {
  const found = await server.ask<{ namespace: string; capability: string }[]>(FIND, variables, token);
  return found.map(({ namespace, capability }) => `${namespace} ${capability}`);
};

describe('findCapabilities', () => {
  it('shows what fits, with all that a call needs', async () => {
    expect(await server.ask(FIND, { text: 'look up an order', namespace: 'shop' })).toEqual([
      {
        namespace: 'shop',
        capability: 'order_query',
        aliases: [],
        description: 'Use it to look up one order by its number; answers the order with its status.',
        tags: [],
        idempotent: true,
        mode: 'SYNC',
        inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
        score: expect.any(Number),
      },
    ]);
  });

  it('shows people what they may read, in all their namespaces or in one', async () => {
    expect(await places({ text: 'order' })).toEqual(['bank order_query', 'shop order_query']);
    expect(await places({ text: 'order', first: 1 })).toHaveLength(1);
    expect(await places({ text: 'order', namespace: 'bank' })).toEqual(['bank order_query']);
    expect(await places({ text: 'order' }, viewer)).toEqual(['bank order_query']);
  });

  it('shows what a caller may call, by default in its own namespace', async () => {
    expect(await places({ text: 'order', caller: 'agent:shop/web' })).toEqual(['shop order_query']);
    expect(await places({ text: 'order', caller: 'agent:shop/other' })).toEqual([]);
    expect(await places({ text: 'order', caller: 'agent:shop/web', namespace: 'bank' })).toEqual([]);
  });

  it.each([
    [{ text: '' }, 'text', '""', 'a string of 1 to 500 characters'],
    [{ text: 'x'.repeat(501) }, 'text', expect.any(String), 'a string of 1 to 500 characters'],
    [{ text: 'x', first: 51 }, 'first', '51', 'a whole number from 1 to 50'],
    [{ text: 'x', caller: 'web' }, 'caller', '"web"', 'agent:namespace/id, app:namespace/name or user:name'],
    [{ text: 'x', caller: 'user:ann' }, 'namespace', 'nothing', 'a namespace: this caller has none'],
  ])('refuses %j', async (variables, path, got, allowed) => {
    const { extensions } = await server.fail(FIND, variables);
    expect(extensions).toMatchObject({ code: 'INVALID_INPUT', fields: [{ path, got, allowed }] });
  });

  it.each([
    { text: 'order', namespace: '#' },
    { text: 'order', caller: 'agent:#/web' },
  ])('answers for a hidden namespace like for none: %j', async (variables) => {
    const ask = async (namespace: string) => {
      const filled = JSON.parse(JSON.stringify(variables).replace('#', namespace)) as Record<string, unknown>;
      const { message, extensions } = await server.fail(FIND, filled, viewer);
      return [message.replaceAll(namespace, '#'), extensions.code];
    };
    expect(await ask('shop')).toEqual(await ask('none'));
    expect((await ask('shop'))[1]).toBe('NOT_FOUND');
  });
});

describe('a dispatch', () => {
  const DISPATCH =
    'mutation ($target: CallTargetInput!) { dispatch(input: { target: $target, params: {} }) { __typename } }';

  it('takes a need and versions', async () => {
    await server.ask(DISPATCH, { target: { namespace: 'shop', need: 'where is my order', versions: '^1.2' } });
    expect(server.called.at(-1)?.request.target).toEqual({
      namespace: 'shop',
      need: 'where is my order',
      versions: '^1.2',
    });
  });

  it('refuses a need beside a capability, and versions that are none', async () => {
    const target = { namespace: 'shop', need: 'orders', capability: 'order_query' };
    expect((await server.fail(DISPATCH, { target })).extensions).toMatchObject({
      code: 'INVALID_INPUT',
      fields: [{ path: 'input.target.need', allowed: 'one of capability and need' }],
    });
    const versions = { namespace: 'shop', capability: 'order_query', versions: '^^1' };
    expect((await server.fail(DISPATCH, { target: versions })).extensions).toMatchObject({
      fields: [{ path: 'input.target.versions' }],
    });
  });
});

describe('an audit entry', () => {
  it('shows the caller’s own word beside the capability, and the need', async () => {
    const records = [
      callRecord({ namespace: 'shop', capability: 'order_query', details: { alias: 'find_order' } }),
      callRecord({ namespace: 'shop', capability: 'order_query', details: { need: 'where is my order' } }),
      callRecord({ namespace: 'shop', capability: 'order_query' }),
    ];
    await server.database.prisma.$queryRaw(appendStatement(records, { bumpConfig: false }));
    const { nodes } = await server.ask<{ nodes: unknown[] }>(
      '{ auditEntries(namespace: "shop", filter: { kinds: [CALL] }) { nodes { capability alias need } } }',
    );
    expect(nodes).toEqual([
      { capability: 'order_query', alias: null, need: null },
      { capability: 'order_query', alias: null, need: 'where is my order' },
      { capability: 'order_query', alias: 'find_order', need: null },
    ]);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GraphqlTestServer } from './testing.js';

let server: GraphqlTestServer;

beforeAll(async () => {
  server = await GraphqlTestServer.open();
  await server.namespace('shop');
  for (const id of ['e', 'c', 'a', 'd', 'b']) {
    await server.ask(
      `mutation { createAgent(input: { namespace: "shop", id: "${id}", type: "kind.${id}", owner: "team ${id.toUpperCase()}" }) { ref } }`,
    );
    await server.ask(
      `mutation { createPolicy(input: { namespace: "shop", name: "${id}", content: {} }) { warnings } }`,
    );
  }
  await server.join('shop/c');
});
afterAll(() => server.close());

interface Page {
  readonly edges: readonly {
    readonly cursor: string;
    readonly node: { readonly id: string; readonly name?: string };
  }[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly endCursor: string;
    readonly startCursor: string;
  };
}

const PAGE = 'pageInfo { hasNextPage hasPreviousPage startCursor endCursor }';
const AGENTS = `query ($first: Int, $after: String, $last: Int, $before: String, $o: AgentOrder, $f: AgentFilter) {
  agents(first: $first, after: $after, last: $last, before: $before, orderBy: $o, filter: $f) { edges { cursor node { id } } ${PAGE} } }`;
const POLICIES = `query ($first: Int, $after: String, $last: Int, $before: String) {
  policies(first: $first, after: $after, last: $last, before: $before) { edges { cursor node { id: name } } ${PAGE} } }`;

const list = async (query: string, variables: Record<string, unknown>): Promise<[string, boolean, boolean, Page]> => {
  const page = await server.ask<Page>(query, variables);
  const { hasPreviousPage, hasNextPage } = page.pageInfo;
  return [page.edges.map(({ node }) => node.id).join(''), hasPreviousPage, hasNextPage, page];
};

describe.each([
  ['in memory', AGENTS, 'abcde'],
  ['in Postgres', POLICIES, 'ecadb'],
])('a list %s', (_where, query, all) => {
  it('is walked forward', async () => {
    let after: string | null = null;
    const pages: string[] = [];
    for (;;) {
      const [text, , more, { pageInfo }] = await list(query, { first: 2, after });
      pages.push(text);
      after = pageInfo.endCursor;
      if (!more) break;
    }
    expect(pages).toEqual([all.slice(0, 2), all.slice(2, 4), all.slice(4)]);
  });

  it('is walked backward', async () => {
    const [end, hasBefore, hasAfter, last] = await list(query, { last: 2 });
    expect([end, hasBefore, hasAfter]).toEqual([all.slice(3), true, false]);
    const [middle, , , page] = await list(query, { last: 2, before: last.pageInfo.startCursor });
    expect(middle).toBe(all.slice(1, 3));
    const [start, none] = await list(query, { last: 2, before: page.pageInfo.startCursor });
    expect([start, none]).toEqual([all.slice(0, 1), false]);
  });
});

describe('agents', () => {
  it('are ordered as asked, and a cursor of another order is refused', async () => {
    expect((await list(AGENTS, { o: 'ID_DESC' }))[0]).toBe('edcba');
    expect((await list(AGENTS, { o: 'CREATED_ASC' }))[0]).toBe('ecadb');
    expect((await list(AGENTS, { o: 'CREATED_DESC' }))[0]).toBe('bdace');
    const [, , , page] = await list(AGENTS, { first: 1 });
    const error = await server.fail(AGENTS, { first: 1, o: 'ID_DESC', after: page.pageInfo.endCursor });
    expect(error.extensions).toMatchObject({ code: 'INVALID_INPUT', fields: [{ path: 'after' }] });
  });

  it.each([
    [{ search: 'TEAM b' }, 'b'],
    // what an agent reports at registration replaces what was entered before
    [{ search: 'kind.' }, 'abde'],
    [{ health: ['HEALTHY'] }, 'c'],
    [{ health: ['OFFLINE'], type: 'kind.a' }, 'a'],
    [{ capability: 'order_query' }, 'c'],
    [{ kind: 'TOOL' }, ''],
  ])('are found by %j', async (filter, ids) => {
    expect((await list(AGENTS, { f: filter }))[0]).toBe(ids);
  });

  it('agree in themselves with their instances, versions and capabilities', async () => {
    const agent = await server.ask(`{ agent(ref: "shop/c") { health healthReason instanceCount readyCount inFlight
      instances { ref lifecycle transport lease maxConcurrency tasks maxTasks breaker } versions { version domain capabilities { name } }
      capabilities { name agent agentVersion idempotent mode callerIndependent } tokens { id } } }`);
    expect(agent).toMatchObject({
      health: 'HEALTHY',
      instanceCount: 1,
      readyCount: 1,
      inFlight: 0,
      instances: [
        { ref: 'shop/c/one', lifecycle: 'READY', transport: 'WEBSOCKET', lease: 'REALTIME', tasks: 0, maxTasks: 100 },
      ],
      versions: [{ version: '1.0.0', domain: 'PRODUCTION', capabilities: [{ name: 'order_query' }] }],
      capabilities: [
        {
          name: 'order_query',
          agent: 'shop/c',
          agentVersion: '1.0.0',
          idempotent: true,
          mode: 'SYNC',
          callerIndependent: false,
        },
      ],
      tokens: [],
    });
    expect(await server.ask('{ agent(ref: "shop/a") { health healthReason instanceCount } }')).toEqual({
      health: 'OFFLINE',
      healthReason: 'no instance',
      instanceCount: 0,
    });
  });

  it('load the tokens of a whole page at once', async () => {
    const queries: string[] = [];
    const usual = server.tokensRead;
    server.tokensRead = (uids) => queries.push(uids.join());
    await server.ask('{ agents { nodes { id tokens { id } } } }');
    server.tokensRead = usual;
    expect(queries).toHaveLength(1);
  });
});

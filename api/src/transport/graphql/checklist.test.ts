import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appendStatement } from '../../governance/audit/audit.append.js';
import { callRecord } from '../../governance/audit/audit.testing.js';
import { GraphqlTestServer } from './testing.js';

let server: GraphqlTestServer;

beforeAll(async () => {
  server = await GraphqlTestServer.open();
  await server.namespace('shop');
  await server.ask('mutation { createAgent(input: { namespace: "shop", id: "orders", type: "shop.orders" }) { ref } }');
});
afterAll(() => server.close());

interface Item {
  readonly item: string;
  readonly done: boolean;
  readonly fix: { readonly label: string; readonly path: string } | null;
}

async function missing(token?: string): Promise<readonly Item[]> {
  const { checklist } = await server.ask<{ checklist: readonly Item[] }>(
    '{ agent(ref: "shop/orders") { checklist { item done fix { label path } } } }',
    {},
    token,
  );
  return checklist.filter(({ done }) => !done);
}

describe('the checklist of an agent', () => {
  it('leads to where each thing is done, and gets shorter with each', async () => {
    expect(await missing()).toEqual([
      { item: 'CREDENTIAL', done: false, fix: { label: 'Issue a token', path: '/agents/shop/orders?tab=tokens' } },
      { item: 'CONNECTED', done: false, fix: null },
      { item: 'DECLARED', done: false, fix: null },
      { item: 'READY', done: false, fix: null },
      {
        item: 'PERMITTED',
        done: false,
        fix: { label: 'Add a rule', path: '/permissions?ns=shop&add=1&target=shop%2Forders&capability=*' },
      },
      { item: 'CALLED', done: false, fix: null },
    ]);

    await server.ask(
      'mutation { issueToken(input: { namespace: "shop", kind: AGENT, agent: "shop/orders", name: "t" }) { secret } }',
    );
    await server.join('shop/orders');
    expect(await missing()).toEqual([
      {
        item: 'DESCRIBED',
        done: false,
        fix: { label: 'See its schemas', path: '/agents/shop/orders?tab=capabilities' },
      },
      {
        item: 'PERMITTED',
        done: false,
        fix: { label: 'Add a rule', path: '/permissions?ns=shop&add=1&target=shop%2Forders&capability=order_query' },
      },
      {
        item: 'CALLED',
        done: false,
        fix: {
          label: 'Explain a route to it',
          path: '/explain?namespace=shop&agent=orders&capability=order_query',
        },
      },
    ]);

    await server.ask(
      `mutation { createPermission(input: {
         caller: "agent:shop/web", target: "shop/orders", capability: "*", effect: ALLOW }) { id } }`,
    );
    const call = callRecord({ namespace: 'shop', target: 'shop/orders', outcome: 'OK' });
    await server.database.prisma.$queryRaw(appendStatement([call], { bumpConfig: false }));
    expect((await missing()).map(({ item }) => item)).toEqual(['DESCRIBED']);
  });

  it('needs no more than the right to see the agent', async () => {
    const { secret } = await server.appToken('shop', 'VIEWER');
    expect((await missing(secret)).map(({ item }) => item)).toEqual(['DESCRIBED']);
  });
});

import { connect, type Reach, type RouteCache } from '@agent-reach/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startServer } from '../support/server.js';
import { agentToken, allow, joinOrders, openShop, type Shop } from '../support/shop.js';
import type { WireClient } from '../support/wire-client.js';

let server: RunningServer;
let shop: Shop;
let orders: WireClient;
let reach: Reach;
let routes: RouteCache;

beforeAll(async () => {
  server = await startServer();
  shop = await openShop(server);
  orders = await joinOrders(server, shop.orders);
  reach = connect({ url: server.apiUrl, token: shop.web, drainOn: [] });
  routes = reach.routes();
  await routes.ready;
});
afterAll(async () => {
  await reach.close();
  await orders.close();
  await server.stop();
});

const who = (capability: string) => routes.who({ capability }).map(({ instance }) => instance);

describe("an SDK's route table", () => {
  it('has who can be called, by the names that calls use', async () => {
    await expect.poll(() => who('order_query')).toEqual(['default/orders/one']);
    expect(who('find_order')).toEqual(['default/orders/one']);
    expect(routes.who({ type: 'shop.orders', versions: '^1' })[0]?.capabilities).toEqual([
      'order_create',
      'order_query',
    ]);
    expect(who('nothing')).toEqual([]);
    expect([routes.isCurrent, typeof routes.version]).toEqual([true, 'number']);
  });

  it('follows who comes, goes and dies', async () => {
    const seen: number[] = [];
    const patience = new AbortController();
    const following = (async () => {
      const options = { signal: patience.signal };
      for await (const found of routes.follow({ capability: 'order_query' }, options)) seen.push(found.length);
    })();
    await expect.poll(() => seen).toEqual([1]);
    const second = await joinOrders(server, shop.orders, 'two');
    await expect.poll(() => seen).toEqual([1, 2]);
    second.send({ type: 'drain', instance: 'default/orders/two' });
    await expect.poll(() => seen).toEqual([1, 2, 1]);
    second.send({ type: 'goodbye', instance: 'default/orders/two' });
    orders.socket.terminate();
    await expect.poll(() => seen).toEqual([1, 2, 1, 0]);
    orders = await joinOrders(server, shop.orders);
    await expect.poll(() => seen).toEqual([1, 2, 1, 0, 1]);
    patience.abort();
    await following;
    await second.close();
  });

  it('shows nobody what he may not call, and loses a removed right within a second', async () => {
    const stranger = connect({ url: server.apiUrl, token: await agentToken(server, 'stranger', 'x.y'), drainOn: [] });
    const own = stranger.routes();
    await own.ready;
    expect(own.who({ agent: 'orders' })).toEqual([]);
    const rule = await allow(server, 'agent:default/stranger', 'default/orders', 'order_query');
    const found = await stranger.whenReachable({ agent: 'orders' });
    expect(found.map(({ capabilities }) => capabilities)).toEqual([['order_query']]);
    await expect.poll(() => own.who({ agent: 'orders' }).length, { timeout: 1_000 }).toBe(1);
    await server.graphql('mutation ($id: ID!) { deletePermission(id: $id) { id } }', { id: rule });
    await expect.poll(() => own.who({ agent: 'orders' }).length, { timeout: 1_000 }).toBe(0);
    await stranger.close();
  });
});

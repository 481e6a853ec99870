import { type Agent, connect, type Reach } from '@agent-reach/sdk';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { auditUntil } from '../support/audit.js';
import { type RunningServer, startServer } from '../support/server.js';
import { openShop, ordersFrame, type Shop } from '../support/shop.js';
import { WireClient } from '../support/wire-client.js';

let server: RunningServer;
let shop: Shop;
const open: Reach[] = [];
beforeAll(async () => {
  server = await startServer();
  shop = await openShop(server);
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((reach) => reach.close()));
});
afterAll(() => server.stop());

async function instance(ref: string) {
  const { instances } = await server.graphql<{
    instances: { nodes: { ref: string; incarnation: string; reason: string; contestedSince: string | null }[] };
  }>('{ instances(first: 200) { nodes { ref incarnation reason contestedSince } } }');
  return instances.nodes.find((node) => node.ref === ref);
}

function reachAs(token: string): Reach {
  const reach = connect({ url: server.apiUrl, token, drainOn: [], log: () => {} });
  open.push(reach);
  return reach;
}

describe('two live processes under one instance id', () => {
  it('are told apart: one stays, the other is refused with growing waits and follows when the place is free', async () => {
    const ref = 'default/orders/one';
    const x = await WireClient.hello(server.apiUrl, shop.orders, 'inc-process-x');
    const y = await WireClient.hello(server.apiUrl, shop.orders, 'inc-process-y');
    for (const client of [x, y]) {
      client.send(ordersFrame('one'));
      await client.next('registered');
    }
    x.send({ type: 'heartbeat', instances: [{ instance: ref }] });
    expect((await x.next('heartbeat')).registerAgain).toEqual([ref]);
    for (const retryAfterMs of [1_000, 2_000]) {
      x.send(ordersFrame('one'));
      expect((await x.next('error')).error).toEqual({
        code: 'CONFLICT',
        message:
          'Another live process is registered as default/orders/one; give each process an instance name of its own.',
        retryable: true,
        retryAfterMs,
      });
    }
    expect(await instance(ref)).toMatchObject({
      incarnation: 'inc-process-y',
      reason: 'another live process (incarnation inc-process-x) registers under its name and is refused',
      contestedSince: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    const [entry] = await auditUntil(server, { kinds: ['TRANSITION'], target: 'default/orders' }, (entries) =>
      entries.some(({ action }) => action === 'instance.CONTESTED'),
    ).then((entries) => entries.filter(({ action }) => action === 'instance.CONTESTED'));
    expect(entry).toMatchObject({ instance: ref, details: { incarnation: 'inc-process-y', rival: 'inc-process-x' } });
    const metrics = await (await fetch(`${server.apiUrl}/metrics`)).text();
    expect(metrics).toMatch(/^reach_contested_instances 1$/m);
    expect(metrics).toMatch(/^reach_rival_registrations_total 2$/m);
    await y.close();
    await vi.waitFor(async () => expect((await instance(ref))?.reason).toBe('connection closed'));
    x.send(ordersFrame('one'));
    expect((await x.next('registered')).resumed).toBe(false);
    x.send({ type: 'goodbye', instance: ref });
    await x.close();
  });

  it('never execute a call twice, and each call is executed', async () => {
    const executed: string[] = [];
    const agents: Agent[] = ['x', 'y'].map((name) =>
      reachAs(shop.orders)
        .agent({ type: 'shop.orders', version: '2', description: 'Orders', instance: 'shared', record: false })
        .handle(
          'order_place',
          {
            description: 'Use it to place one order; answers who placed it.',
            input: { type: 'object', properties: { number: { type: 'number' } } },
          },
          ({ number }) => {
            executed.push(`${number}`);
            return name;
          },
        ),
    );
    for (const agent of agents) await agent.start();
    const caller = reachAs(shop.web);
    const answers = new Set<unknown>();
    // Long enough for the one that was replaced to notice, at its next report.
    const end = performance.now() + 8_000;
    let number = 0;
    for (; performance.now() < end; number++) {
      answers.add(await caller.call({ capability: 'order_place', params: { number } }));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(executed).toEqual(Array.from({ length: number }, (_, each) => `${each}`));
    expect([...answers]).toEqual(['y']);
    expect((await instance('default/orders/shared'))?.contestedSince).not.toBeNull();
    expect([agents[0]?.instance, agents[1]?.instance]).toEqual([undefined, 'default/orders/shared']);
  });
});

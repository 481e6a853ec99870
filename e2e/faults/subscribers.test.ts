import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startServer } from '../support/server.js';
import { openShop, ordersFrame, type Shop } from '../support/shop.js';
import { WireClient } from '../support/wire-client.js';

const INSTANCES = 20;
const EVENTS = 10_000;

let server: RunningServer;
let shop: Shop;
beforeAll(async () => {
  server = await startServer();
  shop = await openShop(server);
});
afterAll(() => server.stop());

describe('a subscriber that stops reading for 10,000 events', () => {
  it('costs others nothing, and gets the newest state of each instance when it reads again', async () => {
    const agent = await WireClient.hello(server.apiUrl, shop.orders);
    for (let index = 0; index < INSTANCES; index++) {
      agent.send(ordersFrame(`i${index}`));
      await agent.next('registered');
      agent.send({ type: 'ready', instance: `default/orders/i${index}` });
    }
    const [reader, sleeper] = await Promise.all([
      WireClient.hello(server.apiUrl, shop.web),
      WireClient.hello(server.apiUrl, shop.web),
    ]);
    for (const client of [reader, sleeper]) {
      client.send({ type: 'subscribe', id: 's', stream: 'health' });
      expect((await client.next('event')).event).toMatchObject({ kind: 'Snapshot' });
    }
    sleeper.socket.pause();

    // Each heartbeat changes the queue depth of every instance, so each is one event per instance.
    const beats = EVENTS / INSTANCES;
    for (let beat = 1; beat <= beats; beat++) {
      agent.send({
        type: 'heartbeat',
        instances: Array.from({ length: INSTANCES }, (_, index) => ({
          instance: `default/orders/i${index}` as const,
          queueDepth: beat,
        })),
      });
      await agent.next('heartbeat');
    }

    expect(await lastDepths(reader, beats)).toEqual(new Array(INSTANCES).fill(beats));
    sleeper.socket.resume();
    expect(await lastDepths(sleeper, beats)).toEqual(new Array(INSTANCES).fill(beats));
    await Promise.all([agent, reader, sleeper].map((client) => client.close()));
  }, 60_000);
});

/** Reads changes until every instance reported the last depth. */
async function lastDepths(client: WireClient, last: number): Promise<number[]> {
  const depths = new Map<string, number>();
  while (depths.size < INSTANCES || [...depths.values()].some((depth) => depth < last)) {
    const { event } = await client.next('event');
    if (event.kind === 'Change' && 'instance' in event && 'queueDepth' in event.instance)
      depths.set(event.instance.instance, event.instance.queueDepth);
  }
  return [...depths.values()];
}

import { setImmediate } from 'node:timers/promises';
import type { InstanceHealth } from '@agent-reach/sdk/protocol';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ADMIN_TOKEN, GraphqlTestServer } from './testing.js';
import { TestSocket } from './testing-socket.js';

let server: GraphqlTestServer;

beforeAll(async () => {
  server = await GraphqlTestServer.open();
  await server.namespace('shop');
});
afterAll(() => server.close());

const EVENTS = 10_000;
const INSTANCES = 20;

function health(event: number): InstanceHealth {
  return {
    instance: `shop/orders/${event % INSTANCES}`,
    agent: 'shop/orders',
    incarnation: 'i',
    version: event,
    lifecycle: 'READY',
    health: 'HEALTHY',
    // large enough that the buffers of the network can't hold them all
    reason: 'x'.repeat(4_000),
    capabilities: [],
    zone: 'eu',
    inFlight: 0,
    queueDepth: 0,
    utilisation: null,
    changedAt: '2026-03-01T10:00:00.000Z',
  };
}

/** Reads until the newest state of every instance has come; answers how many changes it took. */
async function readToTheEnd(socket: TestSocket): Promise<number> {
  const newest = new Map<string, number>();
  for (let changes = 0; ; changes += 1) {
    if ([...newest.values()].filter((version) => version >= EVENTS - INSTANCES).length === INSTANCES) return changes;
    const { instances } = await socket.value('1');
    const [state] = instances as { instance: string; version: number }[];
    if (state !== undefined) newest.set(state.instance, state.version);
  }
}

it('a reader that stops for 10,000 events gets the newest state of each instance, and another misses nothing', async () => {
  const [slow, quick] = await Promise.all([
    TestSocket.connect(server.wsUrl, ADMIN_TOKEN),
    TestSocket.connect(server.wsUrl, ADMIN_TOKEN),
  ]);
  for (const socket of [slow, quick]) {
    socket.subscribe('1', 'subscription { healthChanges { kind instances { instance version reason } } }');
    expect(await socket.value('1')).toMatchObject({ kind: 'SNAPSHOT' });
  }
  slow.ws.pause();
  const quickly = readToTheEnd(quick);
  for (let event = 0; event < EVENTS; event += 1) {
    server.registry.health.publish(health(event));
    if (event % 10 === 9) await setImmediate();
  }
  await quickly;
  slow.ws.resume();
  // Far fewer than were published: what waited was replaced by what is newer.
  expect(await readToTheEnd(slow)).toBeLessThan(EVENTS / 2);
  await slow.close();
  await quick.close();
});

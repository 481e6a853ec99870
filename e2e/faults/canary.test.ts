import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { type RunningServer, startServer } from '../support/server.js';
import { openShop, ordersFrame } from '../support/shop.js';
import { WireClient } from '../support/wire-client.js';

interface Version {
  readonly version: string;
  readonly domain: string;
  readonly canary: { readonly state: string; readonly since: string; readonly reason: string } | null;
}

async function join(server: RunningServer, token: string, instance: string, version: string): Promise<WireClient> {
  const client = await WireClient.hello(server.apiUrl, token);
  client.send(ordersFrame(instance, { version }));
  await client.next('registered');
  client.send({ type: 'ready', instance: `default/orders/${instance}` });
  return client;
}

async function newest(server: RunningServer): Promise<Version | undefined> {
  const { agent } = await server.graphql<{ agent: { versions: Version[] } }>(
    '{ agent(ref: "default/orders") { versions { version domain canary { state since reason } } } }',
  );
  return agent.versions.find(({ version }) => version === '2.0.0');
}

async function until(server: RunningServer, isSo: (version: Version) => boolean): Promise<Version> {
  const end = performance.now() + 15_000;
  for (;;) {
    const version = await newest(server);
    if (version !== undefined && isSo(version)) return version;
    if (performance.now() > end) throw new Error(`it stayed ${JSON.stringify(version)}`);
    await sleep(50);
  }
}

it('a version on trial stays so through new connections and a killed server, and only watched time promotes it', async () => {
  const server = await startServer();
  let successor: RunningServer | undefined;
  const clients: WireClient[] = [];
  try {
    const { orders } = await openShop(server);
    await server.graphql(
      'mutation { updateNamespace(id: "default", patch: { canary: { enabled: true, promoteAfterMs: 4000 } }, expectedVersion: 1) { id } }',
    );
    clients.push(await join(server, orders, 'one', '1.0.0'));
    const first = await join(server, orders, 'two', '2.0.0');
    const begun = await until(server, ({ canary }) => canary?.state === 'ON_TRIAL');
    expect(begun.domain).toBe('CANARY');
    await first.close();
    const second = await join(server, orders, 'two', '2.0.0');
    expect(await newest(server)).toMatchObject({ domain: 'CANARY', canary: { since: begun.canary?.since } });
    clients.push(second);
    await sleep(1_000);

    await server.kill();
    successor = await startServer({ dataDir: server.dataDir, ports: server.ports, adminToken: server.adminToken });
    // Nobody of that version is here: however long that lasts, it proves nothing.
    await sleep(6_000);
    expect(await newest(successor)).toMatchObject({
      domain: 'CANARY',
      canary: { since: begun.canary?.since, reason: 'waits for an instance that can take calls' },
    });
    clients.push(await join(successor, orders, 'two', '2.0.0'));
    const promoted = await until(successor, ({ domain }) => domain !== 'CANARY');
    expect(promoted).toMatchObject({ domain: 'PRODUCTION', canary: { state: 'PROMOTED' } });
    const third = await join(successor, orders, 'three', '2.0.0');
    clients.push(third);
    expect(await newest(successor)).toEqual(promoted);
  } finally {
    for (const client of clients) client.socket.terminate();
    await successor?.stop();
    await server.stop();
  }
}, 120_000);

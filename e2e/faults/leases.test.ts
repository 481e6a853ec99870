import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { InstanceRef } from '@agent-reach/sdk/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AgentProcess, spawnAgent } from '../support/agent-process.js';
import { HealthLog } from '../support/health-log.js';
import { CHECKOUT, type RunningServer, startServer } from '../support/server.js';
import { agentToken, ordersFrame } from '../support/shop.js';
import { WireClient } from '../support/wire-client.js';

const CREW = join(CHECKOUT, 'e2e/dist/support/crew-agent.js');
const HOUR_MS = 3_600_000;

let server: RunningServer;
let crews: AgentProcess[];
let crewToken: string;
let log: HealthLog;

beforeAll(async () => {
  server = await startServer();
  crewToken = await agentToken(server, 'crew', 'test.crew');
  log = await HealthLog.open(server.apiUrl, await agentToken(server, 'watcher', 'test.watcher'), {
    agent: 'default/crew',
  });
  crews = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name, at) => startCrew(name, (at - 2) * HOUR_MS)));
  await log.until('fifty READY', () => log.tally()['READY HEALTHY'] === 50, 20_000);
});
afterAll(async () => {
  await log.close();
  for (const crew of crews) await crew.kill();
  await server.stop();
});

function startCrew(name: string, clockMs: number): Promise<AgentProcess> {
  return spawnAgent(CREW, {
    REACH_URL: server.apiUrl,
    REACH_TOKEN: crewToken,
    CREW_NAME: name,
    CREW_INSTANCES: '10',
    CREW_CLOCK_MS: String(clockMs),
  });
}

const namesOf = (crew: string): InstanceRef[] =>
  Array.from({ length: 10 }, (_, number): InstanceRef => `default/crew/${crew}-0-${number}`);

describe('fifty instances, whose clocks are up to two hours off', () => {
  it('lose exactly the ten whose process is killed, within a moment', async () => {
    const from = log.heard.length;
    await crews[1]?.kill();
    const killed = namesOf('b');
    await log.until('ten SUSPECT', (now) => killed.every((ref) => now.get(ref)?.lifecycle === 'SUSPECT'), 2_000);
    // Whoever else is thought to be lost would be so within a lease.
    await sleep(3_000);
    const concerned = new Set(log.heard.slice(from).map(({ instance }) => instance));
    expect([...concerned].sort()).toEqual(killed);
    for (const ref of killed) expect(log.statesOf(ref, from)).toEqual(['SUSPECT OFFLINE']);
    expect(log.tally()).toEqual({ 'READY HEALTHY': 40, 'SUSPECT OFFLINE': 10 });
    expect(log.now.get(killed[0] as InstanceRef)?.reason).toBe('connection closed');
  }, 30_000);

  it('are all there still after the server stood still for 20 s, but for the one that left meanwhile', async () => {
    const from = log.heard.length;
    server.child.kill('SIGSTOP');
    await sleep(10_000);
    await crews[2]?.kill();
    await sleep(10_000);
    server.child.kill('SIGCONT');
    await log.until('the dead noticed', (now) => now.get('default/crew/c-0-0')?.lifecycle === 'SUSPECT', 5_000);
    await sleep(6_000);
    const gone = new Set([...namesOf('b'), ...namesOf('c')]);
    const lost = log.heard.slice(from).filter(({ health }) => health === 'OFFLINE');
    expect(lost.filter(({ instance }) => !gone.has(instance))).toEqual([]);
    for (const crew of ['a', 'd', 'e']) {
      for (const ref of namesOf(crew))
        expect(log.now.get(ref)).toMatchObject({ lifecycle: 'READY', health: 'HEALTHY' });
    }
  }, 60_000);
});

describe('an instance that flaps every 500 ms for 20 s', () => {
  it('makes a bounded number of changes, the last of which is true', async () => {
    const token = await agentToken(server, 'flapping', 'shop.orders');
    const flaps = await HealthLog.open(server.apiUrl, await agentToken(server, 'flap-watcher', 'test.watcher'), {
      agent: 'default/flapping',
    });
    const steady = await WireClient.hello(server.apiUrl, token, 'steady-incarnation');
    await joinAs(steady, 'load');
    await Promise.all([flapLoad(steady), flapConnection(token)]);
    const last = await WireClient.hello(server.apiUrl, token, 'flapping-incarnation');
    await joinAs(last, 'line');
    beat(steady, 0.95);
    await sleep(2_500);
    beat(steady, 0.95);
    await sleep(1_000);

    const load = flaps.heard.filter(({ instance }) => instance === 'default/flapping/load');
    const line = flaps.heard.filter(({ instance }) => instance === 'default/flapping/line');
    // A reading is passed on as it is; the state follows only one that holds.
    expect(flaps.statesOf('default/flapping/load')).toEqual(['STARTING HEALTHY', 'READY HEALTHY', 'READY DEGRADED']);
    expect(load.length).toBeLessThanOrEqual(3 + 40 + 3);
    expect(load.at(-1)).toMatchObject({ lifecycle: 'READY', health: 'DEGRADED', utilisation: 0.95 });
    // One change for each loss and one for each return.
    expect(line.length).toBeLessThanOrEqual(3 + 2 * 20 + 3);
    expect(line.at(-1)).toMatchObject({ lifecycle: 'READY', health: 'HEALTHY' });
    await Promise.all([steady.close(), last.close(), flaps.close()]);
  }, 60_000);
});

async function joinAs(client: WireClient, instance: string): Promise<void> {
  client.send(ordersFrame(instance));
  await client.next('registered');
  client.send({ type: 'ready', instance: `default/flapping/${instance}` });
}

function beat(client: WireClient, busy: number): void {
  client.send({ type: 'heartbeat', instances: [{ instance: 'default/flapping/load', busy }] });
}

/** Over and under the limits in turn, never for as long as a state has to hold. */
async function flapLoad(client: WireClient): Promise<void> {
  for (let half = 0; half < 40; half++) {
    beat(client, half % 2 === 0 ? 0.9 : 0.2);
    await sleep(500);
  }
}

/** Half a second there, half a second away. */
async function flapConnection(token: string): Promise<void> {
  for (let round = 0; round < 20; round++) {
    const client = await WireClient.hello(server.apiUrl, token, 'flapping-incarnation');
    await joinAs(client, 'line');
    await sleep(500);
    client.socket.terminate();
    await sleep(500);
  }
}

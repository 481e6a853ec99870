import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { spawnAgent } from '../support/agent-process.js';
import { auditEntries } from '../support/audit.js';
import { databaseProcesses } from '../support/database-process.js';
import { HealthLog } from '../support/health-log.js';
import { CHECKOUT, type RunningServer, startServer } from '../support/server.js';
import { agentToken } from '../support/shop.js';

const CREW = join(CHECKOUT, 'e2e/dist/support/crew-agent.js');
const INSTANCES = 1_000;
/** Of the usual lease: within it everybody is back. */
const TTL_MS = 15_000;

it('a subscriber hears of no false OFFLINE while the database is away for 30 s and the server is killed', async () => {
  const first = await startServer();
  let server = first;
  const { ports, dataDir, adminToken } = server;
  const [crewToken, watcherToken] = [
    await agentToken(server, 'crew', 'test.crew'),
    await agentToken(server, 'watcher', 'test.watcher'),
  ];
  const crew = await spawnAgent(CREW, {
    REACH_URL: server.apiUrl,
    REACH_TOKEN: crewToken,
    CREW_CONNECTIONS: '10',
    CREW_INSTANCES: String(INSTANCES / 10),
  });
  const log = await HealthLog.open(server.apiUrl, watcherToken, { agent: 'default/crew' });
  try {
    const allThere = () => log.tally()['READY HEALTHY'] === INSTANCES;
    await log.until('all READY', allThere, 20_000);
    const changesBefore = await changes(server);

    await withoutDatabase(server, 30_000);
    expect(log.tally()).toEqual({ 'READY HEALTHY': INSTANCES });

    await server.kill();
    const killedAt = performance.now();
    server = await startServer({ ports, dataDir, adminToken });
    const upAfterMs = performance.now() - killedAt;
    await log.until('begun anew', () => log.resyncs === 1, TTL_MS);
    await log.until('all back', allThere, TTL_MS);
    const backAfterMs = performance.now() - killedAt - upAfterMs;
    // Whoever was only thought to be back would be lost again within another lease.
    await sleep(TTL_MS + 1_000);

    const falseOffline = log.heard.filter(({ health }) => health === 'OFFLINE');
    console.log(
      `false OFFLINE events: ${falseOffline.length} of ${log.heard.length} heard of ${INSTANCES} instances; the server ` +
        `was up again after ${Math.round(upAfterMs)} ms, everybody was back ${Math.round(backAfterMs)} ms later`,
    );
    expect(falseOffline).toEqual([]);
    expect(log.tally()).toEqual({ 'READY HEALTHY': INSTANCES });
    // Those who are known come back without a change to what is stored.
    expect(await changes(server)).toBe(changesBefore);
  } finally {
    await log.close();
    await crew.kill();
    await server.stop();
    // The data directory is the first one's to remove.
    await first.stop();
  }
}, 180_000);

async function withoutDatabase(server: RunningServer, ms: number): Promise<void> {
  const processes = databaseProcesses(server.dataDir);
  for (const pid of processes) process.kill(pid, 'SIGSTOP');
  try {
    await sleep(ms);
  } finally {
    for (const pid of processes) process.kill(pid, 'SIGCONT');
  }
  await sleep(1_000);
}

/** Changes on record: what registrations wrote. */
async function changes(server: RunningServer): Promise<number> {
  return (await auditEntries(server, { kinds: ['CHANGE'] })).length;
}

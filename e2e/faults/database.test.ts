import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '@agent-reach/sdk';
import { describe, expect, it } from 'vitest';
import { spawnAgent } from '../support/agent-process.js';
import { auditUntil } from '../support/audit.js';
import { verifyAudit } from '../support/audit-verify.js';
import { databaseProcesses } from '../support/database-process.js';
import { keepCalling, untilEnded } from '../support/load.js';
import { CHECKOUT, startServer } from '../support/server.js';
import { agentToken, allow } from '../support/shop.js';
import { WireClient } from '../support/wire-client.js';

describe('Postgres away for thirty seconds under load', () => {
  it('idempotent calls go on, known agents come back, and no audit entry is lost or doubled', async () => {
    const server = await startServer();
    try {
      const token = await agentToken(server, 'echo', 'test.echo');
      const web = await agentToken(server, 'web', 'test.web');
      await allow(server, 'agent:default/web', 'default/echo', '*');
      const agentEnv = { REACH_URL: server.apiUrl, REACH_TOKEN: token };
      const module = join(CHECKOUT, 'e2e/dist/support/echo-agent.js');
      const first = await spawnAgent(module, { ...agentEnv, AGENT_INSTANCE: 'first' });
      const reach = connect({ url: server.apiUrl, token: web });
      await reach.connected;
      const load = keepCalling(reach, 20, (index) => ({
        requestId: `outage-${index}`,
        capability: 'sleep',
        params: { ms: 50 },
        timeoutMs: 5_000,
      }));
      await untilEnded(load.tally, 100);

      const processes = databaseProcesses(server.dataDir);
      for (const pid of processes) process.kill(pid, 'SIGSTOP');
      let second: Awaited<ReturnType<typeof spawnAgent>>;
      try {
        await sleep(4_000);
        const health = await fetch(`${server.apiUrl}/health`);
        expect(health.status).toBe(503);
        expect(await health.json()).toMatchObject({ live: true, ready: false });
        second = await spawnAgent(module, { ...agentEnv, AGENT_INSTANCE: 'second' });
        const stranger = await WireClient.connect(server.apiUrl);
        stranger.send({ type: 'hello', protocol: 1, token: `rch_agent_${'x'.repeat(43)}`, incarnation: 'inc-12345' });
        expect((await stranger.next('error')).error).toMatchObject({ code: 'STORAGE_UNAVAILABLE', retryable: true });
        await sleep(26_000);
      } finally {
        for (const pid of processes) process.kill(pid, 'SIGCONT');
      }
      await sleep(500);
      await load.stop();

      expect(Object.fromEntries(load.tally.outcomes)).toEqual({ OK: load.tally.total });
      expect(load.tally.byInstance.get('second')).toBeGreaterThan(0);
      const entries = await auditUntil(server, { kinds: ['CALL'] }, (found) => found.length >= load.tally.total);
      expect(entries).toHaveLength(load.tally.total);
      expect(new Set(entries.map((entry) => entry.requestId)).size).toBe(load.tally.total);
      expect((await verifyAudit(server.dataDir)).lines.at(-1)).toBe('No fault was found.');
      const ready = await fetch(`${server.apiUrl}/health`);
      expect(ready.status).toBe(200);
      await reach.close();
      await first.stop();
      await second.stop();
    } finally {
      await server.stop();
    }
  }, 120_000);
});

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '@agent-reach/sdk';
import { describe, expect, it } from 'vitest';
import { spawnAgent } from '../support/agent-process.js';
import { auditUntil } from '../support/audit.js';
import { verifyAudit } from '../support/audit-verify.js';
import { isAlive } from '../support/database-process.js';
import { keepCalling, untilEnded } from '../support/load.js';
import { CHECKOUT, type RunningServer, startServer } from '../support/server.js';
import { agentToken, allow } from '../support/shop.js';

/** Runs 500 calls in flight, ends the server in the middle of them, and starts another on the same data. */
async function interrupted(end: (server: RunningServer) => Promise<void>) {
  const server = await startServer();
  const token = await agentToken(server, 'echo', 'test.echo');
  const web = await agentToken(server, 'web', 'test.web');
  await allow(server, 'agent:default/web', 'default/echo', '*');
  const agent = await spawnAgent(join(CHECKOUT, 'e2e/dist/support/echo-agent.js'), {
    REACH_URL: server.apiUrl,
    REACH_TOKEN: token,
  });
  const reach = connect({ url: server.apiUrl, token: web });
  await reach.connected;
  const load = keepCalling(reach, 500, (index) => ({
    requestId: `call-${index}`,
    capability: 'echo',
    params: { text: 'x' },
    timeoutMs: 5_000,
  }));
  await untilEnded(load.tally, 1_000);
  await end(server);
  const successor = await startServer({ dataDir: server.dataDir, ports: server.ports, adminToken: server.adminToken });
  await load.stop();
  await reach.close();
  return {
    answered: load.tally.answered,
    server: successor,
    async stop() {
      await agent.stop();
      await successor.stop();
      await server.stop();
    },
  };
}

describe.each([
  ['SIGKILL', (server: RunningServer) => server.kill()],
  [
    'SIGTERM',
    async (server: RunningServer) => {
      server.child.kill('SIGTERM');
      while (isAlive(server.pid) && server.child.exitCode === null) await sleep(20);
    },
  ],
])('a server ended by %s with 500 calls in flight', (_signal, end) => {
  it('has one audit entry for each answered call, and the next start goes on with the same data', async () => {
    const run = await interrupted(end);
    try {
      const answered = new Set(run.answered);
      expect(answered.size).toBeGreaterThan(500);
      const entries = await auditUntil(run.server, { kinds: ['CALL'] }, (found) => {
        const seen = new Set(found.map((entry) => entry.requestId));
        return [...answered].every((requestId) => seen.has(requestId));
      });
      const perCall = new Map<string, number>();
      for (const { requestId } of entries) perCall.set(requestId ?? '', (perCall.get(requestId ?? '') ?? 0) + 1);
      const wrong = [...answered].filter((requestId) => perCall.get(requestId) !== 1);
      expect(wrong).toEqual([]);
      const sequences = entries.map((entry) => entry.sequence);
      expect(new Set(sequences).size).toBe(sequences.length);
      expect((await verifyAudit(run.server.dataDir)).lines.at(-1)).toBe('No fault was found.');
    } finally {
      await run.stop();
    }
  }, 120_000);
});

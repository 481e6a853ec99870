import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '@agent-reach/sdk';
import { afterAll, describe, expect, it } from 'vitest';
import { spawnAgent } from '../support/agent-process.js';
import { auditUntil } from '../support/audit.js';
import { verifyAudit } from '../support/audit-verify.js';
import { keepCalling, untilEnded } from '../support/load.js';
import { CHECKOUT, type RunningServer, startServer } from '../support/server.js';
import { agentToken, allow } from '../support/shop.js';
import { limitedFiles, mountedDisk, works } from '../support/small-disk.js';

interface AuditHealth {
  readonly alarm: { readonly reason: string; readonly dropped: number } | null;
  readonly dropped: number;
}

const scratch = mkdtempSync(join(tmpdir(), 'agent-reach-e2e-'));
chmodSync(scratch, 0o711);
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

async function health(server: RunningServer): Promise<AuditHealth> {
  const { auditHealth } = await server.graphql<{ auditHealth: AuditHealth }>(
    '{ auditHealth { alarm { reason dropped } dropped } }',
  );
  return auditHealth;
}

async function metric(server: RunningServer, name: string): Promise<number> {
  const text = await (await fetch(`${server.apiUrl}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
}

const DISKS = [
  ['a file system of 256 KiB', mountedDisk, works('mounted', scratch)],
  ['files of 256 KiB at most', limitedFiles, works('limited', scratch)],
] as const;

describe.each(DISKS)('the disk of the journal is full: %s', (_name, make, possible) => {
  it.skipIf(!possible)(
    'calls go on, the alarm is clear, and the audit says how many entries it lacks',
    async () => {
      const disk = make();
      const dataDir = mkdtempSync(join(scratch, 'data-'));
      chmodSync(dataDir, 0o711);
      disk.prepare(dataDir);
      const server = await startServer({ dataDir });
      try {
        const token = await agentToken(server, 'echo', 'test.echo');
        const web = await agentToken(server, 'web', 'test.web');
        await allow(server, 'agent:default/web', 'default/echo', '*');
        const agent = await spawnAgent(join(CHECKOUT, 'e2e/dist/support/echo-agent.js'), {
          REACH_URL: server.apiUrl,
          REACH_TOKEN: token,
        });
        const reach = connect({ url: server.apiUrl, token: web });
        await reach.connected;
        disk.limit(server.pid);
        const load = keepCalling(reach, 20, (index) => ({
          requestId: `full-${index}`,
          capability: 'echo',
          params: { text: 'x' },
          timeoutMs: 5_000,
        }));
        await expect
          .poll(() => health(server), { timeout: 60_000 })
          .toMatchObject({
            alarm: { reason: expect.stringMatching(disk.reason), dropped: expect.any(Number) },
          });
        const soFar = load.tally.total;
        await untilEnded(load.tally, soFar + 200);
        const answer = await fetch(`${server.apiUrl}/health`);
        expect(answer.status).toBe(200);
        expect(await answer.json()).toMatchObject({
          ready: true,
          reasons: [expect.stringMatching(/^journal: E.*; \d+ entries dropped$/)],
        });
        expect(await metric(server, 'reach_audit_losing')).toBe(1);
        expect(await metric(server, 'reach_audit_dropped_total')).toBeGreaterThan(100);

        disk.grow(server.pid);
        await expect.poll(() => health(server), { timeout: 30_000 }).toMatchObject({ alarm: null });
        await untilEnded(load.tally, load.tally.total + 100);
        await load.stop();
        expect(Object.fromEntries(load.tally.outcomes)).toEqual({ OK: load.tally.total });

        const { dropped } = await health(server);
        const kept = load.tally.total - dropped;
        const entries = await auditUntil(server, { kinds: ['CALL'] }, (found) => found.length >= kept);
        expect(entries.length).toBe(kept);
        expect(new Set(entries.map(({ requestId }) => requestId)).size).toBe(kept);
        const gaps = await auditUntil(
          server,
          { kinds: ['TRANSITION'], action: 'audit.dropped' },
          (found) => found.length > 0,
        );
        // Near the brink a small write may still succeed.
        expect(gaps.reduce((sum, { details }) => sum + Number(details.dropped), 0)).toBe(dropped);
        expect(gaps[0]?.details.reason).toMatch(disk.reason);
        expect(await metric(server, 'reach_audit_losing')).toBe(0);
        expect((await verifyAudit(dataDir)).lines.at(-1)).toBe('No fault was found.');
        await reach.close();
        await agent.stop();
      } finally {
        await server.stop();
        disk.remove();
      }
    },
    180_000,
  );
});

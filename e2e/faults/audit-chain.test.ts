import { execFile } from 'node:child_process';
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyAudit } from '../support/audit-verify.js';
import { terminate } from '../support/child.js';
import { embeddedDatabase } from '../support/database-process.js';
import { CHECKOUT, type RunningServer, startServer } from '../support/server.js';
import { openShop } from '../support/shop.js';

const run = promisify(execFile);

/** As a person does who has the database, and not the key. */
async function tamper(server: RunningServer, ...statements: string[]): Promise<number> {
  const client = new pg.Client({ connectionString: embeddedDatabase(server.dataDir).url });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  const { rows } = await client.query<{ last: string }>('SELECT max(sequence) AS last FROM audit_entries');
  await client.end();
  return Number(rows[0]?.last);
}

describe('reach audit verify', () => {
  let first: RunningServer;
  let second: RunningServer;

  beforeAll(async () => {
    first = await startServer();
    await openShop(first);
  });
  afterAll(async () => {
    await second?.stop();
    await first.stop();
  });

  const again = (): Promise<RunningServer> =>
    startServer({ dataDir: first.dataDir, ports: first.ports, adminToken: first.adminToken });

  it('finds no fault beside a server, nor when none runs', async () => {
    // Another process that writes to the audit.
    await run(process.execPath, [join(CHECKOUT, 'api/dist/admin-link.js')], {
      env: { ...process.env, REACH_DATA_DIR: first.dataDir },
    });
    const beside = await verifyAudit(first.dataDir);
    expect([beside.code, beside.lines.at(-1)]).toEqual([0, 'No fault was found.']);
    await terminate(first.child, 20_000);
    const alone = await verifyAudit(first.dataDir);
    expect([alone.code, alone.lines.at(-1)]).toEqual([0, 'No fault was found.']);
    expect(alone.lines[1]).toMatch(/^Compared \d+ entries with \d+ links of the chain, and [12] heads? kept outside/);
  }, 180_000);

  it('finds a changed row, a missing row and a cut-off end, and the next server says that the end is gone', async () => {
    copyFileSync(join(first.dataDir, 'audit-heads.jsonl'), join(first.dataDir, 'copy.jsonl'));
    second = await again();
    await second.kill();
    const last = await tamper(
      second,
      "UPDATE audit_entries SET actor = 'user:nobody' WHERE sequence = 3",
      'DELETE FROM audit_entries WHERE sequence = 4',
    );
    const changed = await verifyAudit(first.dataDir);
    expect([changed.code, ...changed.lines.slice(0, 2), changed.lines.at(-1)]).toEqual([
      1,
      'CHANGED      entry 3: it, or its place, is not what was stored',
      'MISSING      entry 4: the entry is gone',
      '2 faults found.',
    ]);

    // Whoever cuts off the end makes the rest look whole.
    const remaining = last - 3;
    await tamper(
      second,
      `DELETE FROM audit_entries WHERE sequence > ${remaining} OR sequence IN (3, 4)`,
      `DELETE FROM audit_links WHERE last_sequence > ${remaining}`,
      `UPDATE audit_head SET sequence = ${remaining},
         chain = (SELECT substr(macs, length(macs) - 31) FROM audit_links ORDER BY first_sequence DESC LIMIT 1)`,
    );
    const cut = await verifyAudit(first.dataDir);
    expect([cut.code, cut.lines.find((line) => line.startsWith('CUT_OFF'))]).toEqual([
      1,
      expect.stringMatching(/entr(?:y|ies) .* at \d{4}-.*, and are gone$/),
    ]);

    // Without the kept heads nobody could know; with a copy of them everybody can.
    rmSync(join(first.dataDir, 'audit-heads.jsonl'));
    const unknowing = await verifyAudit(first.dataDir);
    expect(unknowing.lines.some((line) => line.startsWith('CUT_OFF'))).toBe(false);
    const copied = await verifyAudit(first.dataDir, '--heads', join(first.dataDir, 'copy.jsonl'));
    expect(copied.lines.some((line) => line.startsWith('CUT_OFF'))).toBe(true);

    copyFileSync(join(first.dataDir, 'copy.jsonl'), join(first.dataDir, 'audit-heads.jsonl'));
    second = await again();
    const health = async (): Promise<string> => (await fetch(`${second.apiUrl}/health`)).text();
    await expect.poll(health, { timeout: 30_000 }).toContain('the audit was cut off or replaced');
  }, 240_000);
});

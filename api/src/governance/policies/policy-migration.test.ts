import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect, it } from 'vitest';
import { CHECKOUT } from '../../settings.js';
import { migrate } from '../../storage/migrate.js';
import { openEmptyDatabase } from '../../storage/testing.js';
import { contentOf } from './policies.testing.js';

const MIGRATIONS = join(CHECKOUT, 'prisma/migrations');

it('policies of the first release have every default filled in, and what they said themselves stays', async () => {
  const { url, drop } = await openEmptyDatabase();
  const first = mkdtempSync(join(tmpdir(), 'agent-reach-migrations-'));
  cpSync(join(MIGRATIONS, '0001_initial'), join(first, '0001_initial'), { recursive: true });
  const client = new pg.Client({ connectionString: url });
  try {
    await migrate(url, first);
    await client.connect();
    const uid = '01900000-0000-7000-8000-000000000001';
    await client.query("INSERT INTO namespaces (id, updated_at) VALUES ('shop', now())");
    await client.query("INSERT INTO policies (uid, namespace, name, updated_at) VALUES ($1, 'shop', 'quick', now())", [
      uid,
    ]);
    const { domainSplit, versions, sticky, fallback, cacheTtlMs, rateLimit, queue, ...rest } = contentOf({
      timeoutMs: 500,
      breaker: { ...contentOf({}).breaker, openMs: 7_000 },
    });
    expect([domainSplit, versions, sticky]).toEqual([null, { range: null, sticky: false }, false]);
    expect([fallback, cacheTtlMs, rateLimit, queue]).toEqual([[], null, null, null]);
    const { maxMeanLatencyMs, slowStartMs, closeSuccessRate, closeAfterProbes, ...breaker } = rest.breaker;
    expect([maxMeanLatencyMs, slowStartMs, closeSuccessRate, closeAfterProbes]).toEqual([null, 10_000, 1, null]);
    const old = { ...rest, breaker };
    await client.query("INSERT INTO policy_versions (policy_uid, version, content, author) VALUES ($1, 1, $2, 'a')", [
      uid,
      JSON.stringify(old),
    ]);
    await migrate(url, MIGRATIONS);
    const { rows } = await client.query('SELECT content, tests, restored_from, rollout_percent FROM policy_versions');
    expect(rows).toEqual([
      {
        content: contentOf({ timeoutMs: 500, breaker: { ...contentOf({}).breaker, openMs: 7_000 } }),
        tests: [],
        restored_from: null,
        rollout_percent: 100,
      },
    ]);
  } finally {
    await client.end();
    await drop();
    rmSync(first, { recursive: true });
  }
});

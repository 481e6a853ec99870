import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { connect } from '@agent-reach/sdk';
import pg from 'pg';
import { expect, it } from 'vitest';
import { spawnAgent } from '../support/agent-process.js';
import { auditUntil } from '../support/audit.js';
import { verifyAudit } from '../support/audit-verify.js';
import { terminate } from '../support/child.js';
import { embeddedDatabase } from '../support/database-process.js';
import { keepCalling, untilEnded } from '../support/load.js';
import { CHECKOUT, startServer } from '../support/server.js';
import { agentToken, allow } from '../support/shop.js';

/** Lets the clock that Postgres records by be moved, for all sessions that begin from now on. */
const MOVABLE_CLOCK = `
  CREATE SCHEMA moved;
  CREATE TABLE moved.clock AS SELECT interval '0' AS step;
  CREATE FUNCTION moved.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
    AS $$ SELECT pg_catalog.clock_timestamp() + step FROM moved.clock $$;
  ALTER ROLE reach SET search_path = public, moved, pg_catalog;`;

it('a wall clock that is set back by a second under load loses no entry and keeps their order', async () => {
  const first = await startServer();
  const token = await agentToken(first, 'echo', 'test.echo');
  const web = await agentToken(first, 'web', 'test.web');
  await allow(first, 'agent:default/web', 'default/echo', '*');
  const database = new pg.Client({ connectionString: embeddedDatabase(first.dataDir).url });
  await database.connect();
  await database.query(MOVABLE_CLOCK);
  await database.end();
  await terminate(first.child, 20_000);

  const server = await startServer({
    dataDir: first.dataDir,
    ports: first.ports,
    adminToken: first.adminToken,
    nodeOptions: ['--import', pathToFileURL(join(CHECKOUT, 'e2e/dist/support/stepped-clock.js')).href],
  });
  const client = new pg.Client({ connectionString: embeddedDatabase(first.dataDir).url });
  try {
    await client.connect();
    const agent = await spawnAgent(join(CHECKOUT, 'e2e/dist/support/echo-agent.js'), {
      REACH_URL: server.apiUrl,
      REACH_TOKEN: token,
    });
    const reach = connect({ url: server.apiUrl, token: web });
    await reach.connected;
    const load = keepCalling(reach, 50, (index) => ({
      requestId: `step-${index}`,
      capability: 'echo',
      params: { text: 'x' },
      timeoutMs: 5_000,
    }));
    await untilEnded(load.tally, 500);
    await client.query("UPDATE moved.clock SET step = interval '-1 second'");
    process.kill(server.pid, 'SIGUSR2');
    await untilEnded(load.tally, load.tally.total + 500);
    await load.stop();
    expect(Object.fromEntries(load.tally.outcomes)).toEqual({ OK: load.tally.total });

    const entries = await auditUntil(server, { kinds: ['CALL'] }, (found) => found.length >= load.tally.total);
    expect(entries.length).toBe(load.tally.total);
    expect(new Set(entries.map(({ requestId }) => requestId)).size).toBe(load.tally.total);
    const { rows } = await client.query<{ recorded: boolean; occurred: boolean }>(`
      SELECT bool_and(recorded_at >= earlier_recorded) AS recorded, bool_or(occurred_at < earlier_occurred - interval '0.5 s') AS occurred
        FROM (SELECT recorded_at, lag(recorded_at) OVER (ORDER BY sequence) AS earlier_recorded,
                     occurred_at, lag(occurred_at) OVER (ORDER BY sequence) AS earlier_occurred FROM audit_entries)`);
    // The step is there to see, and the time of recording does not follow it.
    expect(rows).toEqual([{ recorded: true, occurred: true }]);
    expect((await verifyAudit(first.dataDir)).lines.at(-1)).toBe('No fault was found.');
    await reach.close();
    await agent.stop();
  } finally {
    await client.end();
    await server.stop();
    await first.stop();
  }
}, 180_000);

import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { embeddedDatabase } from '../../support/database-process.js';
import { TcpProxy } from '../../support/proxy.js';
import { brokenRules, type Row, type RowKind, TRANSPORTS } from './row.js';
import type { Chosen, Scene } from './scene.js';
import { Stand } from './stand.js';

const TITLE = 'server killed between storing a result and its reply';

/**
 * The server works through a cable to its database. When the result is to be stored, the database's answers get lost:
 * the result is durable, and the server does not know it, so it has not replied when it is killed.
 */
export const storedScene: Scene = {
  async run(chosen: Chosen): Promise<Row[]> {
    // Results of idempotent capabilities are not stored.
    const kinds = TRANSPORTS.map((transport) => ({ transport, idempotent: false })).filter((kind) =>
      chosen(TITLE, kind),
    );
    // One server for each: with its answer lost, the first write keeps all that come after it from beginning.
    return Promise.all(kinds.map(killedAfterStoring));
  },
};

async function killedAfterStoring(kind: RowKind): Promise<Row> {
  const stand = await Stand.open();
  const { url, port } = embeddedDatabase(stand.server.dataDir);
  const cable = await TcpProxy.open(port);
  try {
    await stand.restart({ env: { DATABASE_URL: url.replace(`:${port}/`, `:${cable.port}/`) } });
    const crew = await stand.crew('server-stored', kind);
    await crew.join(['a']);
    const call = crew.call({ hold: 'AT_WORK' });
    await crew.holder(call.requestId);
    cable.lose('FROM_TARGET');
    crew.log.release();
    await untilStored(url);
    await stand.server.kill();
    await stand.startAgain();
    await Promise.all([call.ended, crew.untilReady()]);
    await crew.repeat();
    const observed = crew.observed(TITLE);
    const expected = { answers: ['OK'], repeated: ['OK replayed'] };
    return { ...observed, broken: [...brokenRules(observed, expected), ...(await stand.atRest())] };
  } finally {
    await stand.close();
    await cable.close();
  }
}

/** Waits, past the cable, until a result is stored; fails after 20 s. */
async function untilStored(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const end = performance.now() + 20_000;
    for (;;) {
      const { rows } = await client.query<{ state: string }>('SELECT state::text FROM claims');
      if (rows.some(({ state }) => state === 'DONE')) return;
      if (performance.now() > end) throw new Error(`no result is stored; there are ${JSON.stringify(rows)}`);
      await sleep(20);
    }
  } finally {
    await client.end();
  }
}

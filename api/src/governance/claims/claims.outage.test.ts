import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { createSealer } from '../../storage/sealing.js';
import { openTestDatabase, type TestDatabase } from '../../storage/testing.js';
import { ClaimConnection, type ClaimDatabase } from './claim.connection.js';
import { LOOK_UP, WRITE } from './claim.statements.js';
import { ClaimWriter } from './claim.writer.js';
import { Asked, newClaim, success } from './claims.testing.js';
import { raiseNodeEpoch } from './node-epoch.js';

/** A hanging database is noticed after so long here. */
const ANSWER_TIMEOUT_MS = 300;
const SOON = { timeout: 10_000, interval: 10 };

let database: TestDatabase;
let admin: pg.Client;
let writers: ClaimWriter[] = [];
let logged: string[];

beforeAll(async () => {
  database = await openTestDatabase();
  admin = new pg.Client({ connectionString: inject('databaseAdminUrl') });
  await admin.connect();
});
beforeEach(async () => {
  await database.prisma.claim.deleteMany();
  logged = [];
});
afterEach(async () => {
  await Promise.all(writers.map((one) => one.close(500)));
  writers = [];
});
afterAll(async () => {
  await admin.end();
  await database.close();
});

async function open(
  decorate: (connection: ClaimDatabase) => ClaimDatabase = (connection) => connection,
): Promise<{ store: ClaimWriter; asked: Asked }> {
  const note = (_: unknown, message: string): void => {
    logged.push(message);
  };
  const store = new ClaimWriter({
    database: decorate(new ClaimConnection(database.url, { answerTimeoutMs: ANSWER_TIMEOUT_MS })),
    sealer: createSealer(Buffer.from('the server key of these tests'), 'claims'),
    epoch: await raiseNodeEpoch(database.prisma),
    unfinished: () => Promise.resolve([]),
    onFenced: () => note({}, 'FENCED'),
    log: { error: note, warn: note, info: note },
  });
  writers.push(store);
  return { store, asked: new Asked(store) };
}

async function rows(): Promise<string[]> {
  const found = await database.prisma.claim.findMany({ orderBy: { requestId: 'asc' } });
  return found.map((row) => `${row.requestId} ${row.state} ${row.dispatchId}`);
}

/** Process of the session that last ran a statement of the claims. */
async function backend(): Promise<number> {
  const { rows } = await admin.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid() AND query LIKE '%head AS MATERIALIZED%'`,
    [new URL(database.url).pathname.slice(1)],
  );
  const [one] = rows;
  if (one === undefined) throw new Error('the claims have no session');
  return one.pid;
}

/** Kills the session each time after a statement was carried out and before anybody hears of it. */
function losingAnswers(times: number, name: string): (connection: ClaimDatabase) => ClaimDatabase {
  let left = times;
  return (connection) => ({
    async query(statement, values) {
      const answer = await connection.query(statement, values);
      if (statement.name !== name || left === 0) return answer as never;
      left--;
      await admin.query('SELECT pg_terminate_backend($1, 5000)', [await backend()]);
      throw new Error('the connection broke before the answer');
    },
    close: () => connection.close(),
  });
}

describe('an answer that is lost', () => {
  it('does not make a claim of our own look like another one', async () => {
    const { asked, store } = await open(losingAnswers(2, WRITE.name));
    expect(await asked.claim(newClaim())).toEqual({ kind: 'CLAIMED' });
    expect(logged).toEqual(['claims wait for the database', 'claims are written again']);
    expect(store.status()).toEqual({ waiting: 0, failure: undefined, fenced: false });
    expect(await rows()).toEqual(['r1 RUNNING d1']);
  });

  it('is asked for again for each kind of write', async () => {
    const { asked, store } = await open(losingAnswers(4, WRITE.name));
    await asked.claim(newClaim());
    await asked.move(newClaim(), { instance: 'shop/orders/two', incarnation: 'inc-2', dispatchId: 'd2' });
    await asked.finish(newClaim(), 'd2', success(1));
    expect(await rows()).toEqual(['r1 DONE d2']);
    await asked.claim(newClaim({ requestId: 'r2' }));
    store.release(newClaim({ requestId: 'r2' }), 'd1');
    expect(await asked.claim(newClaim({ requestId: 'r2', dispatchId: 'd3' }))).toEqual({ kind: 'CLAIMED' });
    expect(await rows()).toEqual(['r1 DONE d2', 'r2 RUNNING d3']);
  });

  it('still finds the claims of others', async () => {
    const { asked } = await open(losingAnswers(1, LOOK_UP.name));
    await asked.claim(newClaim());
    const answers = await Promise.all([
      asked.claim(newClaim({ dispatchId: 'd2' })),
      asked.claim(newClaim({ requestId: 'r2' })),
    ]);
    expect(answers.map((answer) => answer.kind)).toEqual(['KNOWN', 'CLAIMED']);
  });
});

describe('a look-up whose answer is lost', () => {
  it('is asked for again', async () => {
    const { asked } = await open(losingAnswers(1, LOOK_UP.name));
    await asked.claim(newClaim());
    expect(await asked.find(newClaim())).toMatchObject({ dispatchId: 'd1' });
  });
});

describe('a database that is away', () => {
  const name = () => new URL(database.url).pathname.slice(1);
  const goAway = async () => {
    await admin.query(`ALTER DATABASE ${name()} ALLOW_CONNECTIONS false`);
    await admin.query('SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1', [name()]);
  };
  const comeBack = () => admin.query(`ALTER DATABASE ${name()} ALLOW_CONNECTIONS true`);

  it('keeps everything waiting, and gets it when it is back', async () => {
    const { asked, store } = await open();
    await asked.claim(newClaim());
    await goAway();
    try {
      let done = 0;
      store.finish(newClaim(), 'd1', success(1), () => done++);
      store.claim(newClaim({ requestId: 'r2' }), () => done++);
      await vi.waitFor(() => expect(store.status().failure).toMatch(/not currently accepting connections/), SOON);
      expect(done).toBe(0);
      expect(store.status().waiting).toBe(2);
      await comeBack();
      await vi.waitFor(() => expect(done).toBe(2), SOON);
      expect(store.status()).toEqual({ waiting: 0, failure: undefined, fenced: false });
      expect(await rows()).toEqual(['r1 DONE d1', 'r2 RUNNING d1']);
    } finally {
      await comeBack();
    }
  });

  it('leaves nothing behind of calls that gave up meanwhile', async () => {
    const { asked, store } = await open();
    await asked.claim(newClaim({ requestId: 'before' }));
    await goAway();
    try {
      let answers = 0;
      store.claim(newClaim(), () => answers++);
      await vi.waitFor(() => expect(store.status().failure).toBeDefined(), SOON);
      for (let at = 0; at < 1_000; at++) store.claim(newClaim({ requestId: `w${at}` }), () => answers++);
      expect(store.status().waiting).toBe(1_001);
      for (let at = 0; at < 1_000; at++) store.release(newClaim({ requestId: `w${at}` }), 'd1');
      const leave = store.find(newClaim({ requestId: 'w0' }), () => answers++);
      expect(store.status().waiting).toBe(2);
      leave();
      expect(store.status().waiting).toBe(1);
      // The one under way may have been written already, so its release has to be written too.
      store.release(newClaim(), 'd1');
      expect(store.status().waiting).toBe(2);
      await comeBack();
      await vi.waitFor(() => expect(store.status().waiting).toBe(0), SOON);
      expect(answers).toBe(0);
      expect(await rows()).toEqual(['before RUNNING d1']);
    } finally {
      await comeBack();
    }
  });

  it('holds no more than it can, also when those that were too many give up', async () => {
    const { asked, store } = await open();
    await asked.claim(newClaim({ requestId: 'before' }));
    await goAway();
    try {
      const claims = Array.from({ length: 100_010 }, (_, at) =>
        newClaim({ requestId: `w${at}`, dispatchId: `d${at}` }),
      );
      for (const claim of claims) store.claim(claim, () => {});
      expect(store.status().waiting).toBe(100_000);
      for (const claim of claims.slice(-10)) store.release(claim, claim.dispatchId);
      expect(store.status().waiting).toBe(100_000);
      for (const claim of claims) store.release(claim, claim.dispatchId);
    } finally {
      await comeBack();
    }
  });

  it('does not keep the server from stopping', async () => {
    const { asked, store } = await open();
    await asked.claim(newClaim());
    await goAway();
    try {
      store.finish(newClaim(), 'd1', success(1), () => logged.push('done'));
      const before = performance.now();
      await store.close(200);
      expect(performance.now() - before).toBeLessThan(2_000);
      expect(logged).not.toContain('done');
    } finally {
      await comeBack();
    }
  });
});

describe('a database that hangs', () => {
  it('is noticed, and what it was given before is over before anything new is written', async () => {
    const { asked, store } = await open();
    await asked.claim(newClaim({ requestId: 'before' }));
    const pid = await backend();
    process.kill(pid, 'SIGSTOP');
    let answered = '';
    try {
      store.claim(newClaim(), ({ kind }) => {
        answered = kind;
      });
      await vi.waitFor(() => expect(store.status().failure).toMatch(/timeout/), SOON);
      // A new connection is there, but the statement may still be carried out by the old one.
      await vi.waitFor(() => expect(store.status().failure).toMatch(/the session before hangs/), SOON);
      expect(answered).toBe('');
      store.release(newClaim(), 'd1');
      store.claim(newClaim({ dispatchId: 'd2' }), ({ kind }) => {
        answered = `second ${kind}`;
      });
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await vi.waitFor(() => expect(answered).toBe('second CLAIMED'), SOON);
    expect(await backend()).not.toBe(pid);
    expect(await rows()).toEqual(['before RUNNING d1', 'r1 RUNNING d2']);
  });
});

describe('what the database refuses', () => {
  it('does not keep the others from being written', async () => {
    const { asked, store } = await open();
    let refused = 0;
    const others: Promise<unknown>[] = [];
    for (let at = 0; at < 10; at++) {
      others.push(asked.claim(newClaim({ requestId: `r${at}` })));
      if (at === 6) store.claim(newClaim({ requestId: 'bad', capability: 'a\0b' }), () => refused++);
    }
    expect(await Promise.all(others)).toEqual(Array(10).fill({ kind: 'CLAIMED' }));
    await vi.waitFor(() => expect(store.status()).toEqual({ waiting: 0, failure: undefined, fenced: false }), SOON);
    expect(logged).toEqual(['the database refused a claim']);
    expect(refused).toBe(0);
  });

  it('is not mistaken for a failure of whoever listens', async () => {
    const { asked, store } = await open();
    store.claim(newClaim(), () => {
      throw new Error('a listener fails');
    });
    expect(await asked.claim(newClaim({ requestId: 'r2' }))).toEqual({ kind: 'CLAIMED' });
    expect(logged).toEqual(['a listener of a claim failed']);
  });
});

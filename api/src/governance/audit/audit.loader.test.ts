import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuditRecord } from '@agent-reach/sdk/protocol';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Prisma } from '../../storage/generated/client.js';
import { Journal } from '../../storage/journal.js';
import { journalLine } from '../../storage/journal-line.js';
import { openTestDatabase, type TestDatabase } from '../../storage/testing.js';
import { Changes } from '../changes.js';
import { wipe } from '../testing.js';
import type { CommittedEntries } from './audit.batch.js';
import { LoaderConnection, type LoaderDatabase } from './audit.connection.js';
import type { StoredAuditEntry } from './audit.entry.js';
import { AuditFeed } from './audit.feed.js';
import { AuditLoader, type AuditLoaderOptions } from './audit.loader.js';
import { AuditStore } from './audit.store.js';
import { callRecord, oddDetails, TEST_KEYS } from './audit.testing.js';

let database: TestDatabase;
let directory: string;
let journal: Journal;
let connections: LoaderConnection[] = [];
const log = { warn: () => {}, info: () => {} };

beforeAll(async () => {
  database = await openTestDatabase();
});
beforeEach(async () => {
  await wipe(database.prisma);
  directory = mkdtempSync(join(tmpdir(), 'reach-loader-'));
  journal = openJournal();
});
afterEach(async () => {
  await Promise.all(connections.map((one) => one.close()));
  connections = [];
  journal.close();
  rmSync(directory, { recursive: true, force: true });
});
afterAll(() => database.close());

function openJournal(segmentBytes?: number): Journal {
  return Journal.open(directory, { now: () => new Date(), ...(segmentBytes === undefined ? {} : { segmentBytes }) });
}

function loader(overrides: Partial<AuditLoaderOptions> = {}): AuditLoader {
  const auditKey = TEST_KEYS.current;
  return new AuditLoader({
    busy: () => false,
    journal,
    database: connect(),
    auditKey,
    onCommitted: () => {},
    log,
    ...overrides,
  });
}

function connect(url = database.url): LoaderConnection {
  const connection = new LoaderConnection(url);
  connections.push(connection);
  return connection;
}

/** A connection that is lost once when a batch is stored: before Postgres hears of it, or before its answer comes. */
function losing(when: 'BEFORE' | 'AFTER'): LoaderDatabase {
  const connection = connect();
  let lost = false;
  return {
    query: (statement) => connection.query(statement),
    transaction: async (work) => {
      const loses = !lost;
      lost = true;
      if (loses && when === 'BEFORE') throw new Error('Connection terminated unexpectedly');
      const result = await connection.transaction(work);
      if (loses) throw new Error('Connection terminated unexpectedly');
      return result;
    },
  };
}

function append(from: number, to: number, overrides: Partial<AuditRecord> = {}): void {
  for (let n = from; n <= to; n += 1) journal.append(callRecord({ requestId: `r${n}`, ...overrides }));
  journal.flush();
}

async function loadAll(one: AuditLoader): Promise<void> {
  while (await one.loadBatch());
}

async function stored(): Promise<(string | null)[]> {
  const rows = await database.prisma.auditEntry.findMany({ orderBy: { sequence: 'asc' } });
  return rows.map((row) => row.requestId);
}

const numbered = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => `r${from + n}`);

describe('AuditLoader', () => {
  it('stores records in their order with all their fields, and says so', async () => {
    const committed: [CommittedEntries, readonly StoredAuditEntry[] | undefined][] = [];
    journal.append(
      callRecord({
        onBehalfOf: 'agent:default/x',
        callerNamespace: 'shop',
        capability: 'order.create',
        instance: 'default/orders/a',
        outcome: 'BUSINESS_ERROR',
        requestId: 'r1',
        traceId: '0af7651916cd43dd8448eb211c80319c',
        durationMs: 12.5,
        attempts: 2,
        details: { attempts: [{ ms: 3 }], __proto__: 1 },
      }),
    );
    append(2, 3);
    await loadAll(loader({ onCommitted: (batch) => committed.push([batch, batch.entries()]) }));
    expect(await stored()).toEqual(['r1', 'r2', 'r3']);
    expect(await database.prisma.auditEntry.findFirst({ where: { sequence: 1n } })).toMatchObject({
      occurredAt: new Date('2026-03-01T10:00:00.000Z'),
      kind: 'CALL',
      namespaceId: 'default',
      action: 'call',
      actor: 'agent:default/shop',
      onBehalfOf: 'agent:default/x',
      target: 'default/orders',
      callerNamespace: 'shop',
      capability: 'order.create',
      instance: 'default/orders/a',
      outcome: 'BUSINESS_ERROR',
      requestId: 'r1',
      traceId: '0af7651916cd43dd8448eb211c80319c',
      durationMs: 12.5,
      attempts: 2,
      details: { attempts: [{ ms: 3 }] },
    });
    expect(committed.map(([{ first, last }]) => [first, last])).toEqual([[1n, 3n]]);
    expect(committed[0]?.[1]?.map((entry) => entry.sequence)).toEqual([1n, 2n, 3n]);
  });

  it('does not count as a change of the configuration', async () => {
    append(1, 3);
    await loadAll(loader());
    expect(await database.prisma.auditHead.findFirst()).toMatchObject({ sequence: 3n, configVersion: 0n });
  });

  it('stores each record once when it dies before the commit', async () => {
    append(1, 5);
    const dying = loader({ database: losing('BEFORE') });
    await expect(dying.loadBatch()).rejects.toThrow('Connection terminated');
    append(6, 8);
    await loadAll(loader());
    expect(await stored()).toEqual(numbered(1, 8));
  });

  it('stores each record once when it dies after the commit, before it knows', async () => {
    append(1, 5);
    const deaf = loader({ database: losing('AFTER') });
    await expect(deaf.loadBatch()).rejects.toThrow('Connection terminated');
    append(6, 8);
    await loadAll(deaf);
    expect(await stored()).toEqual(numbered(1, 8));
  });

  it('stores each record once when the server was killed between batches', async () => {
    const killed = loader();
    append(1, 5);
    await killed.loadBatch();
    append(6, 8);
    // Another process opens the same directory; nothing was closed in order.
    journal = openJournal();
    append(9, 10);
    await loadAll(loader());
    expect(await stored()).toEqual(numbered(1, 10));
  });

  it('stores each record once when two loaders run, such as one that was thought dead', async () => {
    append(1, 50);
    const one = loader();
    const two = loader();
    await one.loadBatch();
    append(51, 60);
    await Promise.all([loadAll(one), loadAll(two)]);
    append(61, 70);
    await Promise.all([loadAll(two), loadAll(one)]);
    expect(await stored()).toEqual(numbered(1, 70));
  });

  it('removes segments that are loaded to their end, with their cursors', async () => {
    journal.close();
    journal = openJournal(2_000);
    for (let n = 1; n <= 30; n += 1) append(n, n);
    expect(journal.segments().length).toBeGreaterThan(2);
    await loadAll(loader());
    expect(await stored()).toEqual(numbered(1, 30));
    expect(journal.segments().length).toBeLessThanOrEqual(1);
    expect(await database.prisma.journalCursor.count()).toBe(journal.segments().length);
  });

  it('is not held up by records that the database cannot take', async () => {
    // No calendar of Postgres has this year.
    append(1, 3);
    append(4, 4, { occurredAt: 8.64e15 });
    append(5, 6);
    journal.append({ occurredAt: 1, kind: 'NONSENSE' } as unknown as AuditRecord);
    append(7, 7, { outcome: 'x'.repeat(4000), details: { text: 'a\u0000b\ud800c' } });
    const one = loader();
    await loadAll(one);
    expect(await stored()).toEqual(['r1', 'r2', 'r3', null, 'r5', 'r6', null, 'r7']);
    expect(one.status().unreadable).toBe(2);
    const substitutes = await database.prisma.auditEntry.findMany({ where: { action: 'audit.unreadable' } });
    expect(substitutes).toMatchObject([
      { kind: 'REFUSAL', outcome: 'INTERNAL', details: { reason: 'refused by the database', count: 1 } },
      { kind: 'REFUSAL', outcome: 'INTERNAL', details: { reason: 'not an audit record', count: 1 } },
    ]);
    const cleaned = await database.prisma.auditEntry.findFirst({ where: { requestId: 'r7' } });
    expect([cleaned?.outcome.length, cleaned?.details]).toEqual([512, { text: 'a\uFFFDb\uFFFDc' }]);
  });

  it('loses no entry, whatever it holds', async () => {
    const odd = oddDetails();
    for (const [name, details] of odd) journal.append(callRecord({ requestId: name, details }));
    append(1, 1);
    const one = loader();
    await loadAll(one);
    const rows = await database.prisma.auditEntry.findMany({ orderBy: { sequence: 'asc' } });
    expect(rows.map(({ requestId, details }) => [requestId, details])).toEqual([
      ...odd.map(([name, , kept]) => [name, kept]),
      ['r1', {}],
    ]);
    expect(one.status().unreadable).toBe(0);
  });

  it('takes a record as it stands, cut to what an index holds', async () => {
    const long = '😀'.repeat(600);
    journal.append(
      callRecord({
        // Fractions of a millisecond, as a call that is timed has them.
        occurredAt: Date.parse('2026-03-01T10:00:00.123Z') + 0.9,
        actor: long,
        target: 'a\nb"c\\u0000',
        requestId: '',
        details: { text: '\u2028\\', deep: [[[{}]]] },
      }),
    );
    journal.flush();
    let made: unknown;
    await loadAll(
      loader({
        onCommitted: (committed) => {
          made = committed.entries();
        },
      }),
    );
    const expected = {
      sequence: 1n,
      occurredAt: new Date('2026-03-01T10:00:00.123Z'),
      actor: '😀'.repeat(512),
      target: 'a\nb"c\\u0000',
      onBehalfOf: null,
      requestId: '',
      durationMs: null,
      details: { text: '\u2028\\', deep: [[[{}]]] },
    };
    expect(await database.prisma.auditEntry.findFirst()).toMatchObject(expected);
    // What is made of the lines without asking the database agrees with what that holds.
    expect(made).toMatchObject([expected]);
  });

  it('never has two lines read as one record, nor one as two', async () => {
    append(1, 1);
    const [segment = ''] = journal.segments();
    journal.close();
    const line = journalLine(callRecord({ requestId: 'r2' })).trimEnd();
    const middle = line.indexOf('"kind"');
    appendFileSync(
      join(directory, segment),
      `${line.slice(0, middle - 1)}\n${line.slice(middle)}\n${line},${line}\n\n`,
    );
    journal = openJournal();
    append(3, 3);
    const one = loader();
    await loadAll(one);
    expect(await stored()).toEqual(['r1', null, 'r3']);
    expect(one.status().unreadable).toBe(3);
    expect(await database.prisma.auditEntry.findFirst({ where: { action: 'audit.unreadable' } })).toMatchObject({
      details: { reason: 'damaged lines', count: 3 },
    });
  });

  it.each([
    ['no JSON', Buffer.from('{"occurredAt":1,\n')],
    ['JSON that is no object', Buffer.from('5\n')],
    ['NUL', Buffer.from('\0\0\0\n')],
    ['no UTF-8', Buffer.from([0xff, 0xfe, 0x0a])],
  ])('passes over %s', async (_, bytes) => {
    append(1, 2);
    const [segment = ''] = journal.segments();
    journal.close();
    appendFileSync(join(directory, segment), bytes);
    appendFileSync(join(directory, segment), journalLine(callRecord({ requestId: 'r3' })));
    const one = loader();
    await loadAll(one);
    expect(await stored()).toEqual(['r1', 'r2', 'r3', null]);
    expect(one.status().unreadable).toBe(1);
  });

  it('lets the feed read what the database took and this process would not', async () => {
    const feed = new AuditFeed({ store: new AuditStore(database.prisma) });
    const stream = feed.open({ scope: { all: true } });
    await stream.next();
    // The time as a text: Postgres reads a number out of it.
    append(1, 1, { occurredAt: '1772359200000' as unknown as number });
    await loadAll(loader({ onCommitted: (committed) => feed.committed(committed) }));
    expect((await stream.next()).value).toMatchObject({ kind: 'CHANGE', entries: [{ sequence: 1n, requestId: 'r1' }] });
    feed.close();
  });

  it('goes on over a new connection when Postgres ended the old one', async () => {
    const connection = connect();
    const one = loader({ database: connection });
    append(1, 3);
    await loadAll(one);
    const [row] = await connection.query<{ pid: number }>(Prisma.sql`SELECT pg_backend_pid() AS pid`);
    await database.prisma.$queryRaw`SELECT pg_terminate_backend(${row?.pid}::int)`;
    append(4, 6);
    await vi.waitFor(() => loadAll(one), 5_000);
    expect(await stored()).toEqual(numbered(1, 6));
  });

  it('can be closed while Postgres does not answer', async () => {
    const connection = connect();
    await connection.query(Prisma.sql`SELECT 1`);
    const hanging = expect(connection.query(Prisma.sql`SELECT pg_sleep(60)`)).rejects.toThrow('Connection terminated');
    await connection.close();
    await hanging;
    await expect(connection.query(Prisma.sql`SELECT 1`)).rejects.toThrow('is closed');
  });

  it('waits while the database is away and goes on by itself', async () => {
    const away = connect('postgresql://nobody@127.0.0.1:1/none');
    const there = connect();
    let reachable = false;
    const chosen = () => (reachable ? there : away);
    const one = loader({
      database: {
        query: (statement) => chosen().query(statement),
        transaction: (work) => chosen().transaction(work),
      },
    });
    append(1, 3);
    one.start();
    await vi.waitFor(
      () => expect(one.status().failure).toBe('Postgres does not answer: connect ECONNREFUSED 127.0.0.1:1'),
      5_000,
    );
    append(4, 6);
    reachable = true;
    await vi.waitFor(async () => expect(await stored()).toEqual(numbered(1, 6)), 5_000);
    await vi.waitFor(() => expect(one.status().failure).toBeUndefined(), 5_000);
    await one.stop(1_000);
  });

  it('loads what is left when it is stopped', async () => {
    const one = loader();
    one.start();
    append(1, 500);
    one.wake();
    await one.stop(5_000);
    expect(await stored()).toEqual(numbered(1, 500));
  });

  it('takes its sequences from the same head as changes do', async () => {
    append(1, 200);
    const one = loader();
    const other = loader();
    const changes = new Changes(database.prisma);
    await Promise.all([
      loadAll(one),
      loadAll(other),
      ...Array.from({ length: 20 }, (_, n) =>
        changes.run({ caller: 'system' }, async () => ({ action: `c${n}`, namespace: '', target: '', result: n })),
      ),
    ]);
    const rows = await database.prisma.auditEntry.findMany({ orderBy: { sequence: 'asc' } });
    expect(rows.map((row) => row.sequence)).toEqual(Array.from({ length: 220 }, (_, n) => BigInt(n + 1)));
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuditRecord } from '@agent-reach/sdk/protocol';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Journal } from '../../storage/journal.js';
import { openPrisma } from '../../storage/prisma.js';
import { openTestDatabase, type TestDatabase } from '../../storage/testing.js';
import { Changes } from '../changes.js';
import { wipe } from '../testing.js';
import type { CommittedEntries } from './audit.batch.js';
import { AuditLoader, type AuditLoaderOptions } from './audit.loader.js';
import { callRecord } from './audit.testing.js';

let database: TestDatabase;
let directory: string;
let journal: Journal;
const log = { warn: () => {}, info: () => {} };

beforeAll(async () => {
  database = await openTestDatabase();
});
beforeEach(async () => {
  await wipe(database.prisma);
  directory = mkdtempSync(join(tmpdir(), 'reach-loader-'));
  journal = openJournal();
});
afterEach(() => {
  journal.close();
  rmSync(directory, { recursive: true, force: true });
});
afterAll(() => database.close());

function openJournal(segmentBytes?: number): Journal {
  return Journal.open(directory, { now: () => new Date(), ...(segmentBytes === undefined ? {} : { segmentBytes }) });
}

function loader(overrides: Partial<AuditLoaderOptions> = {}): AuditLoader {
  return new AuditLoader({ journal, prisma: database.prisma, onCommitted: () => {}, log, ...overrides });
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
    const committed: CommittedEntries[] = [];
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
    await loadAll(loader({ onCommitted: (batch) => committed.push(batch) }));
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
    expect(committed.map(({ first, last }) => [first, last])).toEqual([[1n, 3n]]);
    expect(committed[0]?.entries().map((entry) => entry.sequence)).toEqual([1n, 2n, 3n]);
  });

  it('does not count as a change of the configuration', async () => {
    append(1, 3);
    await loadAll(loader());
    expect(await database.prisma.auditHead.findFirst()).toMatchObject({ sequence: 3n, configVersion: 0n });
  });

  it('stores each record once when it dies before the commit', async () => {
    append(1, 5);
    const dying = loader({
      prisma: {
        journalCursor: database.prisma.journalCursor,
        $queryRaw: () => Promise.reject(new Error('Connection terminated unexpectedly')),
      } as unknown as AuditLoaderOptions['prisma'],
    });
    await expect(dying.loadBatch()).rejects.toThrow('Connection terminated');
    append(6, 8);
    await loadAll(loader());
    expect(await stored()).toEqual(numbered(1, 8));
  });

  it('stores each record once when it dies after the commit, before it knows', async () => {
    append(1, 5);
    let deaths = 0;
    const query = database.prisma.$queryRaw.bind(database.prisma) as (...args: unknown[]) => Promise<unknown>;
    const deaf = loader({
      prisma: {
        journalCursor: database.prisma.journalCursor,
        $queryRaw: async (...args: unknown[]) => {
          const answer = await query(...args);
          deaths += 1;
          if (deaths === 1) throw new Error('Connection terminated unexpectedly');
          return answer;
        },
      } as unknown as AuditLoaderOptions['prisma'],
    });
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

  it('waits while the database is away and goes on by itself', async () => {
    const away = openPrisma('postgresql://nobody@127.0.0.1:1/none');
    let reachable = false;
    const one = loader({
      prisma: new Proxy(database.prisma, { get: (_, key) => Reflect.get(reachable ? database.prisma : away, key) }),
    });
    append(1, 3);
    one.start();
    await vi.waitFor(() => expect(one.status().failure).toContain("Can't reach database server"), 5_000);
    append(4, 6);
    reachable = true;
    await vi.waitFor(async () => expect(await stored()).toEqual(numbered(1, 6)), 5_000);
    await vi.waitFor(() => expect(one.status().failure).toBeUndefined(), 5_000);
    await one.stop(1_000);
    await away.$disconnect();
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

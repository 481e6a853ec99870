import type { AuditRecord } from '@agent-reach/sdk/protocol';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { auditPartitions, ensureAuditPartitions } from '../../storage/audit-partitions.js';
import { openTestDatabase, type TestDatabase } from '../../storage/testing.js';
import { wipe } from '../testing.js';
import { expireAudit } from './audit.retention.js';
import { callRecord, storeRecords, TEST_KEYS, withClockAt } from './audit.testing.js';
import { ChainReader } from './chain/chain.reader.js';
import { chainValueAt } from './chain/chain.values.js';
import { type Verification, verifyChain } from './chain/chain.verify.js';
import type { KeptHead } from './chain/kept-heads.js';

const TODAY = new Date(`${new Date().toISOString().slice(0, 10)}T00:00:00.000Z`);
const DAY_MS = 86_400_000;
const inDays = (days: number) => new Date(TODAY.getTime() + days * DAY_MS);
const nameOf = (day: Date) => `audit_entries_${day.toISOString().slice(0, 10).replaceAll('-', '')}`;

let database: TestDatabase;
let recorded: AuditRecord[];

beforeAll(async () => {
  database = await openTestDatabase();
});
beforeEach(async () => {
  await wipe(database.prisma);
  await ensureAuditPartitions(database.prisma, TODAY);
  recorded = [];
});
afterAll(() => database.close());

const expire = (now: Date, days = 30): Promise<string[]> =>
  expireAudit(
    {
      prisma: database.prisma,
      auditKey: TEST_KEYS.current,
      days,
      recorder: { record: (record) => void recorded.push(record) },
    },
    now,
  );

async function storeOn(day: Date, ...records: AuditRecord[]): Promise<void> {
  const noon = new Date(day.getTime() + DAY_MS / 2);
  await storeRecords(await withClockAt(database, noon), records);
}

async function verify(keptHeads: readonly KeptHead[] = []): Promise<{ faults: string[]; seen: Verification }> {
  const faults: string[] = [];
  const seen = await verifyChain({
    reader: new ChainReader(database.prisma),
    keys: TEST_KEYS,
    keptHeads,
    onFault: ({ kind, first, last, reason }) => faults.push(`${kind} ${first}-${last} ${reason}`),
  });
  return { faults, seen };
}

const head = async (sequence: bigint): Promise<KeptHead> => ({
  sequence,
  chain: Buffer.from((await chainValueAt(database.prisma, sequence)) ?? []).toString('hex'),
  at: '2026-03-01T10:00:00.000Z',
});

describe('expireAudit', () => {
  it('drops days that ended long enough ago, leaves anchors, and says so in the audit', async () => {
    await storeOn(inDays(0), callRecord(), callRecord());
    await storeOn(inDays(0), callRecord());
    await storeOn(inDays(1), callRecord(), callRecord());
    await storeOn(inDays(2), callRecord());
    const heads = [await head(2n), await head(3n), await head(5n)];

    const old = nameOf(inDays(-1));
    expect(await expire(new Date(inDays(31).getTime() - 1))).toEqual([old]);
    expect(await expire(inDays(31))).toEqual([nameOf(TODAY)]);
    expect(await expire(inDays(31))).toEqual([]);
    expect((await database.prisma.auditEntry.findMany()).map((entry) => entry.sequence)).toEqual([4n, 5n, 6n]);
    expect(await database.prisma.auditLink.count()).toBe(2);
    const { faults, seen } = await verify(heads);
    expect(faults).toEqual([]);
    expect(seen).toMatchObject({ entries: 3n, expired: 3n, keptHeads: 3 });

    expect(await expire(inDays(32))).toEqual([nameOf(inDays(1))]);
    expect((await verify(heads)).seen).toMatchObject({ entries: 1n, expired: 5n, faults: 0 });
    expect(recorded.map(({ action, kind, target, details }) => [kind, action, target, details])).toEqual([
      ['CHANGE', 'audit.expire', old, { before: { entries: 0, day: day(-1) } }],
      ['CHANGE', 'audit.expire', nameOf(TODAY), { before: { entries: 3, day: day(0) } }],
      ['CHANGE', 'audit.expire', nameOf(inDays(1)), { before: { entries: 2, day: day(1) } }],
    ]);
  });

  it('keeps the chain whole when days lie in it in pieces, as after a clock that was set back by hours', async () => {
    await storeOn(inDays(0), callRecord());
    await storeOn(inDays(1), callRecord());
    await storeOn(inDays(0), callRecord(), callRecord());
    await storeOn(inDays(1), callRecord());
    await expire(inDays(31));
    expect((await database.prisma.auditEntry.findMany()).map((entry) => entry.sequence)).toEqual([2n, 5n]);
    const { faults, seen } = await verify();
    expect([faults, seen.entries, seen.expired]).toEqual([[], 2n, 3n]);
  });

  it('does not hide what was missing or changed before', async () => {
    await storeOn(inDays(0), callRecord(), callRecord(), callRecord());
    await storeOn(inDays(1), callRecord());
    await database.prisma.auditEntry.deleteMany({ where: { sequence: 2n } });
    await expire(inDays(31));
    expect((await verify()).faults).toEqual([
      'MISSING 1-3 2 entries were there when they expired, and there had been 3',
    ]);
  });

  it('cannot be feigned: an anchor is signed and joins on', async () => {
    await storeOn(inDays(0), callRecord(), callRecord());
    await storeOn(inDays(1), callRecord());
    await expire(inDays(31));
    await database.prisma.$executeRaw`UPDATE audit_anchors SET entries = 1`;
    expect((await verify()).faults).toEqual([
      'WRONG_ANCHOR 1-2 its signature is wrong',
      'MISSING 1-2 1 entries were there when they expired, and there had been 2',
    ]);
    await database.prisma.auditAnchor.deleteMany();
    expect((await verify()).faults).toEqual(['MISSING 1-2 the entries and their part of the chain are gone']);
  });

  it('is done once by two servers', async () => {
    await storeOn(inDays(0), callRecord());
    const dropped = await Promise.all([expire(inDays(31)), expire(inDays(31))]);
    expect(dropped.flat().sort()).toEqual([nameOf(inDays(-1)), nameOf(TODAY)].sort());
    expect(recorded.length).toBe(2);
    expect((await auditPartitions(database.prisma)).map(({ name }) => name)).not.toContain(nameOf(TODAY));
    expect((await verify()).faults).toEqual([]);
  });

  it('lets nobody wait for long who reads the audit, and is done the next time', async () => {
    await storeOn(inDays(0), callRecord());
    let release: () => void = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let reading: () => void = () => {};
    const begun = new Promise<void>((resolve) => {
      reading = resolve;
    });
    const reader = database.prisma.$transaction(
      async (tx) => {
        await tx.auditEntry.count();
        reading();
        await released;
      },
      { timeout: 30_000 },
    );
    await begun;
    await expect(expire(inDays(31))).rejects.toThrow('lock timeout');
    release();
    await reader;
    expect(await expire(inDays(31))).toContain(nameOf(TODAY));
    expect((await verify()).faults).toEqual([]);
  });
});

function day(days: number): string {
  return inDays(days).toISOString().slice(0, 10);
}

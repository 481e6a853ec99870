import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditPartitions, ensureAuditPartitions } from './audit-partitions.js';
import { openTestDatabase, type TestDatabase } from './testing.js';

let database: TestDatabase;

beforeAll(async () => {
  database = await openTestDatabase();
});

afterAll(() => database.close());

test('makes the partitions of yesterday, today and the next three days, once', async () => {
  const now = new Date('2031-12-30T23:59:59.999Z');
  expect(await ensureAuditPartitions(database.prisma, now)).toEqual([
    'audit_entries_20311229',
    'audit_entries_20311230',
    'audit_entries_20311231',
    'audit_entries_20320101',
    'audit_entries_20320102',
  ]);
  expect(await ensureAuditPartitions(database.prisma, now)).toEqual([]);
  expect(await ensureAuditPartitions(database.prisma, new Date('2031-12-31T00:00:00Z'))).toEqual([
    'audit_entries_20320103',
  ]);
  expect((await auditPartitions(database.prisma)).slice(-2)).toEqual([
    { name: 'audit_entries_20320102', day: new Date('2032-01-02T00:00:00Z') },
    { name: 'audit_entries_20320103', day: new Date('2032-01-03T00:00:00Z') },
  ]);
});

test('two servers that start at once do not collide', async () => {
  const now = new Date('2040-02-28T12:00:00Z');
  const made = await Promise.all([
    ensureAuditPartitions(database.prisma, now),
    ensureAuditPartitions(database.prisma, now),
  ]);
  expect(made.flat().sort()).toEqual([
    'audit_entries_20400227',
    'audit_entries_20400228',
    'audit_entries_20400229',
    'audit_entries_20400301',
    'audit_entries_20400302',
  ]);
});

test('stores an entry in the partition of the day on which it was recorded', async () => {
  await ensureAuditPartitions(database.prisma, new Date('2050-06-01T00:00:00Z'));
  await database.prisma.auditEntry.create({
    data: {
      sequence: 1n,
      recordedAt: new Date('2050-06-02T23:59:59.999Z'),
      occurredAt: new Date('2050-06-01T10:00:00Z'),
      kind: 'CALL',
      namespaceId: 'shop',
      action: 'call',
      actor: 'agent:shop/orders',
      outcome: 'OK',
    },
  });
  const rows = await database.prisma.$queryRaw<{ partition: string }[]>`
    SELECT tableoid::regclass::text AS partition FROM audit_entries`;
  expect(rows).toEqual([{ partition: 'audit_entries_20500602' }]);
});

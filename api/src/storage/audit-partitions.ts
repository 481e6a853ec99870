import type { Prisma, PrismaClient } from './generated/client.js';

/** Days before and after today for which a partition is kept ready: Postgres's clock may differ from the server's. */
const DAYS_BEHIND = 1;
const DAYS_AHEAD = 3;
const DAY_MS = 86_400_000;

/** So that two servers on one database do not make or drop the same partition at the same time. */
export const AUDIT_PARTITIONS_LOCK = 72_650_001;

/** One day of audit_entries. */
export interface AuditPartition {
  readonly name: string;
  /** Its beginning, midnight UTC. */
  readonly day: Date;
}

/** Name of the partition of audit_entries for the UTC day of `day`: `audit_entries_20261130`. */
export function auditPartition(day: Date): string {
  return `audit_entries_${day.toISOString().slice(0, 10).replaceAll('-', '')}`;
}

/** The partitions that there are, oldest first. Throws what the database throws. */
export async function auditPartitions(prisma: Pick<Prisma.TransactionClient, '$queryRaw'>): Promise<AuditPartition[]> {
  const rows = await prisma.$queryRaw<{ name: string }[]>`
    SELECT child.relname::text AS name
      FROM pg_inherits JOIN pg_class child ON child.oid = inhrelid
     WHERE inhparent = 'audit_entries'::regclass ORDER BY child.relname`;
  return rows.flatMap(({ name }) => {
    const [, year, month, day] = /^audit_entries_(\d{4})(\d\d)(\d\d)$/.exec(name) ?? [];
    return year === undefined ? [] : [{ name, day: new Date(`${year}-${month}-${day}T00:00:00.000Z`) }];
  });
}

/**
 * Makes the partitions of audit_entries for yesterday, today and the next three days (UTC) where they are missing;
 * returns the names of those made. Entries of a day without a partition are refused by Postgres.
 */
export async function ensureAuditPartitions(prisma: PrismaClient, now: Date): Promise<string[]> {
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
  const days = Array.from(
    { length: DAYS_BEHIND + 1 + DAYS_AHEAD },
    (_, n) => new Date(today + (n - DAYS_BEHIND) * DAY_MS),
  );
  const missing = await missingOf(prisma, days);
  if (missing.length === 0) return [];
  return prisma.$transaction(async (transaction) => {
    await transaction.$executeRaw`SELECT pg_advisory_xact_lock(${AUDIT_PARTITIONS_LOCK})`;
    const still = await missingOf(transaction, missing);
    for (const day of still) {
      for (const statement of statementsFor(day)) await transaction.$executeRawUnsafe(statement);
    }
    return still.map(auditPartition);
  });
}

async function missingOf(prisma: Pick<Prisma.TransactionClient, '$queryRaw'>, days: readonly Date[]): Promise<Date[]> {
  const there = new Set((await auditPartitions(prisma)).map(({ name }) => name));
  return days.filter((day) => !there.has(auditPartition(day)));
}

/** Attaching blocks neither readers nor writers of the other days, as CREATE TABLE … PARTITION OF would. */
function statementsFor(day: Date): string[] {
  const name = auditPartition(day);
  const from = day.toISOString();
  const to = new Date(day.getTime() + DAY_MS).toISOString();
  return [
    `CREATE TABLE IF NOT EXISTS "${name}" (LIKE "audit_entries" INCLUDING DEFAULTS INCLUDING CONSTRAINTS)`,
    `ALTER TABLE "audit_entries" ATTACH PARTITION "${name}" FOR VALUES FROM ('${from}') TO ('${to}')`,
  ];
}

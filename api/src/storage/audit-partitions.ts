import type { PrismaClient } from './generated/client.js';

/** Days after today for which a partition is kept ready. */
const DAYS_AHEAD = 2;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** So that two servers on one database do not make the same partition at the same time. */
const ADVISORY_LOCK = 72_650_001;

/** Name of the partition of audit_entries for the UTC day of `day`: `audit_entries_20261130`. */
export function auditPartition(day: Date): string {
  return `audit_entries_${day.toISOString().slice(0, 10).replaceAll('-', '')}`;
}

/**
 * Makes the partitions of audit_entries for today and the next two days (UTC) where they are missing; returns the names
 * of those made. Entries of a day without a partition are refused by Postgres.
 */
export async function ensureAuditPartitions(prisma: PrismaClient, now: Date): Promise<string[]> {
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
  const days = Array.from({ length: DAYS_AHEAD + 1 }, (_, n) => new Date(today + n * DAY_MS));
  const missing = await missingOf(prisma, days);
  if (missing.length === 0) return [];
  return prisma.$transaction(async (transaction) => {
    await transaction.$executeRaw`SELECT pg_advisory_xact_lock(${ADVISORY_LOCK})`;
    const still = await missingOf(transaction, missing);
    for (const day of still) {
      for (const statement of statementsFor(day)) await transaction.$executeRawUnsafe(statement);
    }
    return still.map(auditPartition);
  });
}

/** Keeps partitions ready: looks every hour until `stop`. The first look is the caller's, before anything is written. */
export function keepAuditPartitions(
  prisma: PrismaClient,
  options: { readonly now: () => Date; readonly onError: (error: unknown) => void },
): { stop(): void } {
  const timer = setInterval(() => {
    ensureAuditPartitions(prisma, options.now()).catch(options.onError);
  }, HOUR_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

async function missingOf(prisma: Pick<PrismaClient, '$queryRaw'>, days: readonly Date[]): Promise<Date[]> {
  const names = days.map(auditPartition);
  const rows = await prisma.$queryRaw<{ name: string }[]>`
    SELECT child.relname::text AS name
      FROM pg_inherits JOIN pg_class child ON child.oid = inhrelid
     WHERE inhparent = 'audit_entries'::regclass AND child.relname = ANY(${names})`;
  return days.filter((day) => !rows.some(({ name }) => name === auditPartition(day)));
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

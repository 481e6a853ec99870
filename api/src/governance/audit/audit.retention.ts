import type { AuditRecorder } from '@agent-reach/sdk/protocol';
import { AUDIT_PARTITIONS_LOCK, auditPartitions } from '../../storage/audit-partitions.js';
import { Prisma, type PrismaClient } from '../../storage/generated/client.js';
import { signAnchor } from './chain/chain.anchors.js';
import type { AuditKey } from './chain/chain.keys.js';
import { CHAIN_START } from './chain/chain.links.js';
import { chainValueAt } from './chain/chain.values.js';

const DAY_MS = 86_400_000;
/** Whoever reads the audit is waited for so long, and others wait behind; then it is tried again later. */
const LOCK_TIMEOUT = '2s';
const TRANSACTION_MS = 120_000;

export interface RetentionOptions {
  readonly prisma: PrismaClient;
  readonly auditKey: AuditKey;
  /** Days for which entries are kept. */
  readonly days: number;
  readonly recorder: AuditRecorder;
}

/** Consecutive entries of a partition. */
interface Run {
  readonly first: bigint;
  readonly last: bigint;
  readonly entries: bigint;
}

/**
 * Drops the partitions whose day ended so many days ago, oldest first, and returns their names. Each leaves an anchor in
 * the chain. Two servers may do it at once. Throws what the database throws; what was dropped until then stays so.
 */
export async function expireAudit(options: RetentionOptions, now: Date): Promise<string[]> {
  const { prisma, days, recorder } = options;
  const expired = (await auditPartitions(prisma)).filter(
    ({ day }) => day.getTime() + DAY_MS <= now.getTime() - days * DAY_MS,
  );
  const dropped: string[] = [];
  for (const { name, day } of expired) {
    const entries = await prisma.auditEntry.count({ where: recordedOn(day) });
    if (!(await drop(options, name, day, now))) continue;
    dropped.push(name);
    recorder.record({
      occurredAt: now.getTime(),
      kind: 'CHANGE',
      namespace: '',
      action: 'audit.expire',
      actor: 'system',
      target: name,
      outcome: 'OK',
      details: { before: { entries, day: day.toISOString().slice(0, 10) } },
    });
  }
  return dropped;
}

/** False when another server was faster. */
async function drop({ prisma, auditKey }: RetentionOptions, name: string, day: Date, now: Date): Promise<boolean> {
  // The day is over and its entries never change, so that they can be counted before anybody is kept waiting.
  const runs = await runsOf(prisma, day);
  return prisma.$transaction(
    async (tx) => {
      await tx.$executeRaw`SELECT pg_advisory_xact_lock(${AUDIT_PARTITIONS_LOCK})`;
      if (!(await auditPartitions(tx)).some((partition) => partition.name === name)) return false;
      for (const { first, last, entries } of runs) {
        const anchor = signAnchor(auditKey, {
          firstSequence: first,
          lastSequence: last,
          reason: 'EXPIRED',
          entries,
          before: bytes((await chainValueAt(tx, first - 1n)) ?? CHAIN_START),
          chain: bytes((await chainValueAt(tx, last)) ?? CHAIN_START),
          madeAt: now,
        });
        await tx.auditAnchor.create({ data: anchor });
      }
      await tx.auditLink.deleteMany({ where: recordedOn(day) });
      // Last, because from here on nobody can read or write the audit until the commit.
      await tx.$executeRawUnsafe(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
      await tx.$executeRawUnsafe(`DROP TABLE "${name}"`);
      return true;
    },
    { timeout: TRANSACTION_MS, maxWait: 10_000 },
  );
}

/** Where the clock was set back around midnight, a day has more than one run. */
function runsOf(prisma: PrismaClient, day: Date): Promise<Run[]> {
  const end = new Date(day.getTime() + DAY_MS);
  return prisma.$queryRaw<Run[]>(Prisma.sql`
    WITH steps AS (
      SELECT first_sequence, last_sequence,
             first_sequence - lag(last_sequence) OVER (ORDER BY first_sequence) IS DISTINCT FROM 1 AS begins
        FROM audit_links WHERE recorded_at >= ${day} AND recorded_at < ${end}
    ), numbered AS (
      SELECT first_sequence, last_sequence, count(*) FILTER (WHERE begins) OVER (ORDER BY first_sequence) AS run
        FROM steps
    ), runs AS (
      SELECT min(first_sequence) AS first, max(last_sequence) AS last FROM numbered GROUP BY run
    )
    SELECT first, last, (
      SELECT count(*) FROM audit_entries AS e
       WHERE e.sequence BETWEEN first AND last AND e.recorded_at >= ${day} AND e.recorded_at < ${end}
    ) AS entries FROM runs ORDER BY first`);
}

function recordedOn(day: Date): { readonly recordedAt: { readonly gte: Date; readonly lt: Date } } {
  return { recordedAt: { gte: day, lt: new Date(day.getTime() + DAY_MS) } };
}

/** Prisma takes no shared memory, which a part of a Buffer could be. */
function bytes(value: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(value);
}

import type { AuditRecord } from '@agent-reach/sdk/protocol';
import { Prisma, type PrismaClient } from '../../storage/generated/client.js';
import type { JournalBatch, JournalPosition } from '../../storage/journal.js';
import { sqlStateOf } from '../storage-errors.js';
import { type AppendAnswer, appendStatement, recordset } from './audit.append.js';
import { cleanRecord } from './audit.clean.js';
import { type StoredAuditEntry, storedEntry } from './audit.entry.js';

/** Entries that were committed together under consecutive sequences. */
export interface CommittedEntries {
  readonly first: bigint;
  readonly last: bigint;
  /** Made on demand: mostly nobody looks. */
  entries(): readonly StoredAuditEntry[];
}

export type StoreAnswer =
  | { readonly kind: 'STORED'; readonly committed: CommittedEntries | undefined; readonly unreadable: number }
  /** The cursor stands elsewhere than the batch began: read it again. */
  | { readonly kind: 'MOVED' };

/**
 * Stores a batch of the journal: entries, sequences and the new cursor in one statement, so that all of it commits or
 * nothing does. Only a cursor that still stands at the batch's beginning lets it through, so that no record is stored
 * twice. A record that the database refuses gives way to an entry that says where it stood. Throws what Prisma throws.
 */
export async function storeBatch(
  prisma: Pick<PrismaClient, '$queryRaw'>,
  batch: JournalBatch,
  from: JournalPosition,
  now: number,
): Promise<StoreAnswer> {
  const substitute = (what: string, count: number): AuditRecord => ({
    occurredAt: now,
    kind: 'REFUSAL',
    namespace: '',
    action: 'audit.unreadable',
    actor: 'system',
    target: 'journal',
    outcome: 'INTERNAL',
    details: { reason: what, count, segment: from.segment, from: from.offset, to: batch.position.offset },
  });
  let unreadable = batch.damaged;
  const refuse = (what: string): AuditRecord => {
    unreadable += 1;
    return substitute(what, 1);
  };
  let records = batch.records.map((record) => clean(record) ?? refuse('not an audit record'));
  if (batch.damaged > 0) records.push(substitute('damaged lines', batch.damaged));

  for (let attempt = 1; ; attempt += 1) {
    try {
      const answer = await append(prisma, records, from, batch.position);
      return answer === undefined ? { kind: 'MOVED' } : { kind: 'STORED', committed: answer, unreadable };
    } catch (error) {
      if (!isDataError(error) || attempt === 3) throw error;
      // First whoever the database names unreadable; if it still refuses, everything: the journal must go on.
      records =
        attempt === 1
          ? await withoutPoison(prisma, records, () => refuse('refused by the database'))
          : records.map(() => refuse('refused by the database'));
    }
  }
}

function clean(record: unknown): AuditRecord | undefined {
  try {
    return cleanRecord(record);
  } catch {
    // Nested too deeply for the stack.
    return undefined;
  }
}

async function append(
  prisma: Pick<PrismaClient, '$queryRaw'>,
  records: readonly AuditRecord[],
  from: JournalPosition,
  to: JournalPosition,
): Promise<CommittedEntries | undefined> {
  const definition =
    from.offset === 0
      ? Prisma.sql`
          INSERT INTO journal_cursors (journal, bytes, loaded_at) VALUES (${to.segment}, ${to.offset}::bigint, now())
          ON CONFLICT (journal) DO UPDATE SET bytes = excluded.bytes, loaded_at = excluded.loaded_at
            WHERE journal_cursors.bytes = 0
          RETURNING 1`
      : Prisma.sql`
          UPDATE journal_cursors SET bytes = ${to.offset}::bigint, loaded_at = now()
           WHERE journal = ${from.segment} AND bytes = ${from.offset}::bigint
          RETURNING 1`;
  const statement = appendStatement(records, { bumpConfig: false, gate: { name: 'moved', definition } });
  const [answer] = await prisma.$queryRaw<AppendAnswer[]>(statement);
  if (answer === undefined) return undefined;
  const first = answer.sequence - BigInt(records.length) + 1n;
  return {
    first,
    last: answer.sequence,
    entries: () => records.map((record, index) => storedEntry(record, first + BigInt(index), answer.recordedAt)),
  };
}

/** Finds the records that the database cannot take by halves, without writing anything. */
async function withoutPoison(
  prisma: Pick<PrismaClient, '$queryRaw'>,
  records: AuditRecord[],
  substitute: () => AuditRecord,
): Promise<AuditRecord[]> {
  try {
    await prisma.$queryRaw(Prisma.sql`SELECT count(*) FROM ${recordset(records)}`);
    return records;
  } catch (error) {
    if (!isDataError(error)) throw error;
    if (records.length <= 1) return records.map(substitute);
    const middle = records.length >> 1;
    return [
      ...(await withoutPoison(prisma, records.slice(0, middle), substitute)),
      ...(await withoutPoison(prisma, records.slice(middle), substitute)),
    ];
  }
}

/** Whether the database refused what it was given, and would refuse it again: data, a missing value, a size limit. */
function isDataError(error: unknown): boolean {
  return /^(?:22|54|23502)/.test(sqlStateOf(error) ?? '');
}

import type { AuditRecord } from '@agent-reach/sdk/protocol';
import { Prisma } from '../../storage/generated/client.js';
import type { JournalBatch, JournalPosition } from '../../storage/journal.js';
import { parseLines } from '../../storage/journal-reader.js';
import { appendStatement, recordset } from './audit.append.js';
import { appendLinked, type StoreAnswer } from './audit.batch.js';
import { cleanRecord } from './audit.clean.js';
import { isDataError, type LoaderDatabase } from './audit.connection.js';
import { cursorGate } from './audit.cursor.js';
import { storedEntry } from './audit.entry.js';
import type { AuditKey } from './chain/chain.keys.js';

/**
 * Stores a batch in which something stands that the database refused. Each record is read, cleaned and, where that does
 * not help, replaced by an entry that says where it stood. Otherwise as `storeBatch`.
 */
export async function salvageBatch(
  database: LoaderDatabase,
  auditKey: AuditKey,
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
  const parsed = parseLines(batch.lines);
  let unreadable = parsed.damaged;
  const refuse = (what: string): AuditRecord => {
    unreadable += 1;
    return substitute(what, 1);
  };
  let records = parsed.records.map((record) => clean(record) ?? refuse('not an audit record'));
  if (parsed.damaged > 0) records.push(substitute('damaged lines', parsed.damaged));

  for (let attempt = 1; ; attempt += 1) {
    try {
      const statement = appendStatement(records, { bumpConfig: false, gate: cursorGate(from, batch.position) });
      const answer = await appendLinked(database, auditKey, statement);
      if (answer === undefined) return { kind: 'MOVED' };
      const { first, sequence: last, recordedAt } = answer;
      const stored = records;
      const entries = () => stored.map((record, index) => storedEntry(record, first + BigInt(index), recordedAt));
      return { kind: 'STORED', committed: { first, last, entries }, unreadable };
    } catch (error) {
      if (!isDataError(error) || attempt === 3) throw error;
      // First whoever the database names unreadable; if it still refuses, everything: the journal must go on.
      records =
        attempt === 1
          ? await withoutPoison(database, records, () => refuse('refused by the database'))
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

/** Finds the records that the database cannot take by halves, without writing anything. */
async function withoutPoison(
  database: LoaderDatabase,
  records: AuditRecord[],
  substitute: () => AuditRecord,
): Promise<AuditRecord[]> {
  try {
    await database.query(Prisma.sql`SELECT count(*) FROM ${recordset(records)}`);
    return records;
  } catch (error) {
    if (!isDataError(error)) throw error;
    if (records.length <= 1) return records.map(substitute);
    const middle = records.length >> 1;
    return [
      ...(await withoutPoison(database, records.slice(0, middle), substitute)),
      ...(await withoutPoison(database, records.slice(middle), substitute)),
    ];
  }
}

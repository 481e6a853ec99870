import type { AuditRecord } from '@agent-reach/sdk/protocol';
import type { Prisma } from '../../storage/generated/client.js';
import type { JournalBatch, JournalPosition } from '../../storage/journal.js';
import { parseLines } from '../../storage/journal-reader.js';
import { type AppendAnswer, appendRows } from './audit.append.js';
import { cleanRecord } from './audit.clean.js';
import { isDataError, type LoaderDatabase, type Queries } from './audit.connection.js';
import { cursorGate } from './audit.cursor.js';
import { type StoredAuditEntry, storedEntry } from './audit.entry.js';
import { lineRows } from './audit.lines.js';
import { salvageBatch } from './audit.salvage.js';
import type { AuditKey } from './chain/chain.keys.js';
import { linkStatement } from './chain/chain.links.js';

/** Entries that were committed together under consecutive sequences. */
export interface CommittedEntries {
  readonly first: bigint;
  readonly last: bigint;
  /**
   * Made on demand, in the tick in which one hears of them: mostly nobody looks. Undefined when they have to be read
   * from the database.
   */
  entries(): readonly StoredAuditEntry[] | undefined;
}

export type StoreAnswer =
  | { readonly kind: 'STORED'; readonly committed: CommittedEntries; readonly unreadable: number }
  /** The cursor stands elsewhere than the batch began: read it again. */
  | { readonly kind: 'MOVED' };

/**
 * Stores a batch of the journal: entries, sequences, the new cursor and the chain in one transaction, so that all of it
 * commits or nothing does. Only a cursor that still stands at the batch's beginning lets it through, so that no record is stored
 * twice. A record that the database refuses gives way to an entry that says where it stood. Throws what the database
 * throws.
 */
export async function storeBatch(
  database: LoaderDatabase,
  auditKey: AuditKey,
  batch: JournalBatch,
  from: JournalPosition,
  now: number,
): Promise<StoreAnswer> {
  try {
    const answer = await appendLinked(database, auditKey, statementOf(batch, from));
    if (answer === undefined) return { kind: 'MOVED' };
    const { first, sequence: last, recordedAt } = answer;
    const entries = () => entriesOf(batch.lines, first, last, recordedAt);
    return { kind: 'STORED', committed: { first, last, entries }, unreadable: 0 };
  } catch (error) {
    if (!isDataError(error)) throw error;
    return salvageBatch(database, auditKey, batch, from, now);
  }
}

/** Runs a statement of `appendRows` and adds its entries to the chain; undefined when the gate let nothing through. */
export function appendLinked(
  database: LoaderDatabase,
  auditKey: AuditKey,
  statement: Prisma.Sql,
): Promise<AppendAnswer | undefined> {
  return database.transaction(async (queries: Queries) => {
    const [answer] = await queries.query<AppendAnswer>(statement);
    const link = answer === undefined ? undefined : linkStatement(auditKey, answer);
    if (link !== undefined) await queries.query(link);
    return answer;
  });
}

function statementOf(batch: JournalBatch, from: JournalPosition): Prisma.Sql {
  return appendRows(lineRows(batch.lines), { bumpConfig: false, gate: cursorGate(from, batch.position) });
}

/** What the database made of the lines; undefined when it read one of them more generously. */
function entriesOf(
  lines: Buffer,
  first: bigint,
  last: bigint,
  recordedAt: Date,
): readonly StoredAuditEntry[] | undefined {
  const { records } = parseLines(lines);
  if (BigInt(records.length) !== last - first + 1n) return undefined;
  const cleaned = records.map(cleanRecord);
  return cleaned.every((record): record is AuditRecord => record !== undefined)
    ? cleaned.map((record, index) => storedEntry(record, first + BigInt(index), recordedAt))
    : undefined;
}

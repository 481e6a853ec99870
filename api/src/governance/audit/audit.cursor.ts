import { Prisma } from '../../storage/generated/client.js';
import type { JournalPosition } from '../../storage/journal.js';
import type { LoaderDatabase } from './audit.connection.js';

/** How many bytes of a segment are loaded; 0 without a cursor. */
export async function readCursor(database: LoaderDatabase, segment: string): Promise<number> {
  const rows = await database.query<{ bytes: bigint }>(
    Prisma.sql`SELECT bytes FROM journal_cursors WHERE journal = ${segment}`,
  );
  return Number(rows[0]?.bytes ?? 0);
}

/** Deletes the cursor of a segment that is gone. */
export async function deleteCursor(database: LoaderDatabase, segment: string): Promise<void> {
  await database.query(Prisma.sql`DELETE FROM journal_cursors WHERE journal = ${segment}`);
}

/** A gate for `appendRows`: moves a segment's cursor, and has a row only if that stood at `from` until now. */
export function cursorGate(from: JournalPosition, to: JournalPosition): { name: string; definition: Prisma.Sql } {
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
  return { name: 'moved', definition };
}

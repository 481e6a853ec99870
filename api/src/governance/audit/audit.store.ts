import { Prisma, type PrismaClient } from '../../storage/generated/client.js';
import type { AuditEntryModel } from '../../storage/generated/models.js';
import type { Scope } from '../access/principal.js';
import { keysetPage, keysetQuery, type Page, type PageRequest } from '../page.js';
import { toReachError } from '../storage-errors.js';
import { entryOfRow, type StoredAuditEntry } from './audit.entry.js';
import { type AuditSelection, conditionsOf, isSelective, isUnfiltered, visiblePart } from './audit.filter.js';

/** One page, newest first. The page's key is the sequence in decimal. */
export interface AuditPage extends Page<StoredAuditEntry> {
  /**
   * Set when only a stretch of the sequence was searched: the sequence up to which, both ends considered. Going on from
   * there (`after`, or `before` when paging backward) continues the search. It may lie past the last item.
   */
  readonly searchedUntil: string | undefined;
}

/** Sequences that one query without a selective filter looks through before it answers with what it has. */
const STRETCH = 200_000n;

/** Entries of one target among which a successful call is looked for. */
const LATEST = 2_000;

const COLUMNS = Prisma.sql`
  sequence, recorded_at AS "recordedAt", occurred_at AS "occurredAt", kind::text AS kind, namespace AS "namespaceId",
  action, actor, on_behalf_of AS "onBehalfOf", target, caller_namespace AS "callerNamespace", capability, instance,
  outcome, request_id AS "requestId", trace_id AS "traceId", duration_ms AS "durationMs", attempts, details`;

/** Reads what audit holds. Every read takes the reader's scope; the rest does not exist for it. */
export class AuditStore {
  readonly #prisma: Pick<PrismaClient, '$queryRaw'>;
  readonly #stretch: bigint;

  constructor(prisma: Pick<PrismaClient, '$queryRaw'>, options: { readonly stretch?: bigint } = {}) {
    this.#prisma = prisma;
    this.#stretch = options.stretch ?? STRETCH;
  }

  /** One page, newest first. Throws INVALID_INPUT for a cursor of another list, STORAGE_UNAVAILABLE. */
  async page(selection: AuditSelection, request: PageRequest): Promise<AuditPage> {
    const { range, order, take } = keysetQuery(request, isSequence);
    // The list runs from new to old: `after` means smaller sequences, `before` greater ones.
    const upper = range.gt === undefined ? undefined : BigInt(range.gt);
    const lower = range.lt === undefined ? undefined : BigInt(range.lt);
    const backward = order === 'desc';
    const conditions = conditionsOf(selection);
    if (upper !== undefined) conditions.push(Prisma.sql`sequence < ${upper}`);
    if (lower !== undefined) conditions.push(Prisma.sql`sequence > ${lower}`);
    const end =
      isSelective(selection) || isUnfiltered(selection) ? undefined : await this.#stretchEnd(backward, upper, lower);
    if (end !== undefined) conditions.push(backward ? Prisma.sql`sequence <= ${end}` : Prisma.sql`sequence >= ${end}`);
    const rows = await this.#select(conditions, backward, take);
    const page = keysetPage(
      request,
      rows.map((entry) => visiblePart(selection.scope, entry)),
    );
    if (end === undefined || rows.length === take) return { ...page, searchedUntil: undefined };
    return { ...page, ...(backward ? { hasPreviousPage: true } : { hasNextPage: true }), searchedUntil: String(end) };
  }

  /** One entry, or null when it does not exist for this reader. */
  async find(scope: Scope, sequence: string): Promise<StoredAuditEntry | null> {
    if (!isSequence(sequence)) return null;
    const conditions = [...conditionsOf({ scope }), Prisma.sql`sequence = ${BigInt(sequence)}`];
    const [entry] = await this.#select(conditions, false, 1);
    return entry === undefined ? null : visiblePart(scope, entry);
  }

  /**
   * Which of these targets were called with success, as far as the latest entries about each tell; how many are looked at
   * is bounded.
   */
  async succeeded(targets: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await this.#query<{ target: string }>(Prisma.sql`
      SELECT asked.target FROM unnest(${[...targets]}::text[]) AS asked(target)
      WHERE EXISTS (
        SELECT 1 FROM (
          SELECT kind, outcome FROM audit_entries
          WHERE audit_entries.target = asked.target ORDER BY sequence DESC LIMIT ${LATEST}
        ) latest
        WHERE kind = 'CALL' AND outcome = 'OK'
      )`);
    return new Set(rows.map(({ target }) => target));
  }

  /** The last sequence that is committed; every entry up to it can be read. */
  async head(): Promise<bigint> {
    const rows = await this.#query<{ sequence: bigint }>(Prisma.sql`SELECT sequence FROM audit_head WHERE id = 1`);
    return rows[0]?.sequence ?? 0n;
  }

  /** The newest entries of the selection up to a sequence, oldest first; at most a stretch is searched. */
  async newest(selection: AuditSelection, upTo: bigint, limit: number): Promise<readonly StoredAuditEntry[]> {
    const conditions = [...conditionsOf(selection), Prisma.sql`sequence <= ${upTo}`];
    if (!isSelective(selection)) conditions.push(Prisma.sql`sequence > ${upTo - this.#stretch}`);
    const entries = await this.#select(conditions, false, limit);
    return entries.reverse().map((entry) => visiblePart(selection.scope, entry));
  }

  /** Entries of the selection after a sequence up to another, oldest first. Without a selection: all, unabridged. */
  async between(
    after: bigint,
    upTo: bigint,
    limit: number,
    selection?: AuditSelection,
  ): Promise<readonly StoredAuditEntry[]> {
    const range = [Prisma.sql`sequence > ${after}`, Prisma.sql`sequence <= ${upTo}`];
    if (selection === undefined) return this.#select(range, true, limit);
    const entries = await this.#select([...conditionsOf(selection), ...range], true, limit);
    return entries.map((entry) => visiblePart(selection.scope, entry));
  }

  /** Where a stretch ends that begins at the page's start; undefined when it holds all that is left. */
  async #stretchEnd(
    backward: boolean,
    upper: bigint | undefined,
    lower: bigint | undefined,
  ): Promise<bigint | undefined> {
    if (backward) {
      const end = (lower ?? 0n) + this.#stretch;
      return end < (upper ?? (await this.head()) + 1n) - 1n ? end : undefined;
    }
    const end = (upper ?? (await this.head()) + 1n) - this.#stretch;
    return end > (lower ?? 0n) + 1n ? end : undefined;
  }

  async #select(conditions: readonly Prisma.Sql[], ascending: boolean, limit: number): Promise<StoredAuditEntry[]> {
    const where = conditions.length === 0 ? Prisma.empty : Prisma.sql`WHERE ${Prisma.join([...conditions], ' AND ')}`;
    const order = ascending ? Prisma.sql`ASC` : Prisma.sql`DESC`;
    const rows = await this.#query<AuditEntryModel>(
      Prisma.sql`SELECT ${COLUMNS} FROM audit_entries ${where} ORDER BY sequence ${order} LIMIT ${limit}`,
    );
    return rows.map(entryOfRow);
  }

  async #query<Row>(query: Prisma.Sql): Promise<Row[]> {
    try {
      return await this.#prisma.$queryRaw<Row[]>(query);
    } catch (error) {
      throw toReachError(error);
    }
  }
}

/** Whether a text is a sequence as cursors and positions write it: decimal, within 63 bits. */
export function isSequence(text: string): boolean {
  return /^\d{1,18}$/.test(text);
}

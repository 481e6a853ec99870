import { Prisma, type PrismaClient } from '../../../storage/generated/client.js';
import type { AuditAnchorModel, AuditHeadModel, AuditLinkModel } from '../../../storage/generated/models.js';
import { ENTRY_DIGEST, MAC_BYTES } from './chain.links.js';

/** What the verification of a chain reads at once: some 30 batches of the loader. */
const LINKS_AT_ONCE = 32;
/** Most entries of a link that is believed; a batch of the loader has far fewer. */
const MAX_LINK_ENTRIES = 100_000;
const TRANSACTION_MS = 120_000;

/** A row of the audit, as far as the chain is concerned. */
export interface StoredDigest {
  readonly sequence: bigint;
  readonly digest: Uint8Array;
}

export interface ReadLink extends AuditLinkModel {
  /** What is stored under the link's sequences, in their order; empty for a link whose size is wrong. */
  readonly entries: readonly StoredDigest[];
}

/** A stretch of the chain, as it stood at one moment. */
export interface ChainStretch {
  readonly head: Pick<AuditHeadModel, 'sequence' | 'chain'>;
  /** In the order of their first sequences. */
  readonly anchors: readonly AuditAnchorModel[];
  readonly links: readonly ReadLink[];
  /** Set when there is nothing after the last link: how many entries are stored after it and after the head. */
  readonly beyond: number | undefined;
}

/** Rows under a link's sequences that are read beyond those that belong there; one would be too many. */
const MAX_DOUBLES = 1_000;

/** Whether a link has as many values as it says that it has entries. */
export function hasRightSize({ firstSequence, lastSequence, macs }: AuditLinkModel): boolean {
  const count = lastSequence - firstSequence + 1n;
  return count > 0n && count <= MAX_LINK_ENTRIES && macs.length === Number(count) * MAC_BYTES;
}

/** Reads the chain for its verification, a bounded stretch at a time. Throws what the database throws. */
export class ChainReader {
  readonly #prisma: PrismaClient;

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma;
  }

  /** The stretch that begins with the first link or anchor at or after a sequence. */
  read(from: bigint): Promise<ChainStretch> {
    return this.#prisma.$transaction(
      async (tx) => {
        // Before anything is read, so that retention drops a partition before this moment or after all of it is read.
        await tx.$executeRaw`LOCK TABLE audit_entries IN ACCESS SHARE MODE`;
        const links = await tx.auditLink.findMany({
          where: { firstSequence: { gte: from } },
          orderBy: { firstSequence: 'asc' },
          take: LINKS_AT_ONCE,
        });
        const last = links.at(-1);
        const atEnd = links.length < LINKS_AT_ONCE || last === undefined;
        // One that began before may have been made since the last stretch was read.
        const anchors = await tx.auditAnchor.findMany({
          where: { lastSequence: { gte: from }, ...(atEnd ? {} : { firstSequence: { lte: last.firstSequence } }) },
          orderBy: { firstSequence: 'asc' },
        });
        const row = await tx.auditHead.findUnique({ where: { id: 1 }, select: { sequence: true, chain: true } });
        const head = row ?? { sequence: 0n, chain: null };
        const read: ReadLink[] = [];
        for (const link of links) read.push({ ...link, entries: hasRightSize(link) ? await digests(tx, link) : [] });
        const ends = [head.sequence, ...[...links, ...anchors].map((part) => part.lastSequence)];
        const end = ends.reduce((a, b) => (a > b ? a : b));
        const beyond = atEnd ? await tx.auditEntry.count({ where: { sequence: { gt: end } } }) : undefined;
        return { head, anchors, links: read, beyond };
      },
      { isolationLevel: Prisma.TransactionIsolationLevel.RepeatableRead, timeout: TRANSACTION_MS, maxWait: 10_000 },
    );
  }

  /** How many entries are stored under sequences from one to another. */
  count(from: bigint, to: bigint): Promise<number> {
    return this.#prisma.auditEntry.count({ where: { sequence: { gte: from, lte: to } } });
  }
}

function digests(
  tx: Prisma.TransactionClient,
  { firstSequence, lastSequence }: AuditLinkModel,
): Promise<StoredDigest[]> {
  const most = lastSequence - firstSequence + BigInt(1 + MAX_DOUBLES);
  return tx.$queryRaw<StoredDigest[]>(Prisma.sql`
    SELECT sequence, ${ENTRY_DIGEST} AS digest FROM audit_entries
     WHERE sequence BETWEEN ${firstSequence} AND ${lastSequence} ORDER BY sequence, recorded_at
     LIMIT ${most}`);
}

import type { Prisma, PrismaClient } from '../../../storage/generated/client.js';
import type { AuditAnchorModel } from '../../../storage/generated/models.js';
import type { AuditKey } from './chain.keys.js';
import { CHAIN_START } from './chain.links.js';

/** What an anchor says: that entries stood here which no link covers any more, or none ever did. */
export type AnchorContent = Omit<AuditAnchorModel, 'keyId' | 'mac'>;

/** The signed row of an anchor. */
export function signAnchor(key: AuditKey, content: AnchorContent): AuditAnchorModel {
  return { ...content, keyId: key.id, mac: new Uint8Array(anchorMac(key, content)) };
}

/** What an anchor's `mac` must be. */
export function anchorMac(key: AuditKey, anchor: AnchorContent): Buffer {
  const { firstSequence, lastSequence, reason, entries, before, chain, madeAt } = anchor;
  const text = ['anchor', reason, firstSequence, lastSequence, entries, madeAt.toISOString()].join(' ');
  return key.mac(text, before, chain);
}

/**
 * Begins the chain in a database that has entries from before there was one: an anchor stands for them. Does nothing
 * where the chain has begun, and only there: who could make it begin anew could have any content signed.
 *
 * @param hasBegun whether it is known from elsewhere that the chain had begun
 */
export async function beginChain(prisma: PrismaClient, key: AuditKey, now: Date, hasBegun: boolean): Promise<void> {
  const head = await prisma.auditHead.findUnique({ where: { id: 1 } });
  if (head === null || head.sequence === 0n || head.chain !== null || hasBegun) return;
  if ((await prisma.auditLink.findFirst({ select: { firstSequence: true } })) !== null) return;
  const chain = new Uint8Array(CHAIN_START);
  const anchor = signAnchor(key, {
    firstSequence: 1n,
    lastSequence: head.sequence,
    reason: 'UNCHAINED',
    entries: BigInt(await prisma.auditEntry.count()),
    before: chain,
    chain,
    madeAt: now,
  });
  await prisma.$transaction(async (tx: Prisma.TransactionClient) => {
    const begun = await tx.auditHead.updateMany({
      where: { id: 1, sequence: head.sequence, chain: null },
      data: { chain },
    });
    if (begun.count === 1) await tx.auditAnchor.create({ data: anchor });
  });
}

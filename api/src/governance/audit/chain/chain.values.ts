import type { Prisma } from '../../../storage/generated/client.js';
import { CHAIN_START, MAC_BYTES } from './chain.links.js';

/** A link as far as its values can be read from it. */
export interface LinkValues {
  readonly firstSequence: bigint;
  readonly macs: Uint8Array;
}

/** The chain value of a sequence in a link that has it. */
export function macOf({ firstSequence, macs }: LinkValues, sequence: bigint): Uint8Array {
  const at = Number(sequence - firstSequence) * MAC_BYTES;
  return macs.subarray(at, at + MAC_BYTES);
}

/** The chain value of an entry, by a link or an anchor; undefined when neither has it. Throws what the database throws. */
export async function chainValueAt(
  prisma: Pick<Prisma.TransactionClient, 'auditLink' | 'auditAnchor'>,
  sequence: bigint,
): Promise<Uint8Array | undefined> {
  if (sequence === 0n) return CHAIN_START;
  const link = await prisma.auditLink.findFirst({
    where: { firstSequence: { lte: sequence } },
    orderBy: { firstSequence: 'desc' },
  });
  if (link !== null && link.lastSequence >= sequence) return macOf(link, sequence);
  const anchor = await prisma.auditAnchor.findFirst({ where: { lastSequence: sequence } });
  return anchor?.chain;
}

/** Whether an anchor stands for a sequence. Throws what the database throws. */
export async function isAnchored(
  prisma: Pick<Prisma.TransactionClient, 'auditAnchor'>,
  sequence: bigint,
): Promise<boolean> {
  const where = { firstSequence: { lte: sequence }, lastSequence: { gte: sequence } };
  return (await prisma.auditAnchor.count({ where })) > 0;
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

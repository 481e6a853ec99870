import type { PrismaClient } from '../../storage/generated/client.js';

/**
 * Numbers this start of a server. From its commit on, no server with a smaller number writes to the call path any more.
 * Throws what the database throws.
 */
export async function raiseNodeEpoch(prisma: Pick<PrismaClient, 'auditHead'>): Promise<bigint> {
  const { nodeEpoch } = await prisma.auditHead.update({
    where: { id: 1 },
    data: { nodeEpoch: { increment: 1 } },
    select: { nodeEpoch: true },
  });
  return nodeEpoch;
}

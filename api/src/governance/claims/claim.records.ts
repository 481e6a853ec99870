import type { KnownClaim } from '../../execute/idempotency/claims.port.js';
import type { PrismaClient } from '../../storage/generated/client.js';
import type { Sealer } from '../../storage/sealing.js';
import { claimOf } from './claim.rows.js';

/** So many are deleted at a time, so that none of it takes long. */
const DELETED_AT_ONCE = 1_000;

/** What is read and deleted beside the path of calls. Throws what the database throws. */
export class ClaimRecords {
  constructor(
    private readonly prisma: PrismaClient,
    private readonly sealer: Sealer,
  ) {}

  /** Claims of servers before this one that never came to an end. */
  async unfinished(epoch: bigint): Promise<KnownClaim[]> {
    const rows = await this.prisma.claim.findMany({
      where: { state: 'RUNNING', nodeEpoch: { lt: epoch }, expiresAt: { gt: new Date() } },
      orderBy: { createdAt: 'asc' },
    });
    return rows.map((row) =>
      claimOf(
        {
          caller: row.caller,
          request_id: row.requestId,
          namespace: row.namespaceId,
          target: row.target,
          capability: row.capability,
          params_hash: row.paramsHash,
          state: row.state,
          node_epoch: String(row.nodeEpoch),
          instance: row.instance,
          incarnation: row.incarnation,
          dispatch_id: row.dispatchId,
          result: row.result,
        },
        this.sealer,
      ),
    );
  }

  /** Deletes claims whose time is over; answers how many. `going` is asked before each step. */
  async deleteExpired(going: () => boolean = () => true): Promise<number> {
    let deleted = 0;
    while (going()) {
      const step = await this.prisma.$executeRaw`
        DELETE FROM claims WHERE ctid = ANY(ARRAY(
          SELECT ctid FROM claims WHERE expires_at <= now() ORDER BY expires_at LIMIT ${DELETED_AT_ONCE}))`;
      deleted += step;
      if (step < DELETED_AT_ONCE) break;
    }
    return deleted;
  }
}

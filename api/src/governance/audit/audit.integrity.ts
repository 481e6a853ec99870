import { setTimeout as delay } from 'node:timers/promises';
import type { AuditRecorder } from '@agent-reach/sdk/protocol';
import type { Settings } from '../../settings.js';
import { ensureAuditPartitions } from '../../storage/audit-partitions.js';
import type { PrismaClient } from '../../storage/generated/client.js';
import type { Log } from '../../telemetry/log.js';
import { expireAudit } from './audit.retention.js';
import { AuditUpkeep } from './audit.upkeep.js';
import { beginChain } from './chain/chain.anchors.js';
import type { AuditKey } from './chain/chain.keys.js';
import { HeadKeeper } from './chain/head-keeper.js';
import { keptHeadsFile } from './chain/kept-heads.js';

/** How long the last head may take when the server stops, ms. */
const STOP_MS = 2_000;

export interface IntegrityDeps {
  readonly prisma: PrismaClient;
  readonly settings: Pick<Settings, 'dataDir' | 'auditRetentionDays'>;
  readonly auditKey: AuditKey;
  readonly recorder: AuditRecorder;
  readonly now: () => Date;
  readonly log: Log;
}

export type Integrity = Awaited<ReturnType<typeof createIntegrity>>;

/** Wires what keeps the audit complete and provable: its partitions, its retention and the head of its chain. */
export async function createIntegrity({ prisma, settings, auditKey, recorder, now, log }: IntegrityDeps) {
  const keeper = new HeadKeeper({ prisma, file: keptHeadsFile(settings.dataDir), now, log });
  await ensureAuditPartitions(prisma, now());
  await beginChain(prisma, auditKey, now(), keeper.hasKept);
  const retention = { prisma, auditKey, days: settings.auditRetentionDays, recorder };
  const upkeep = new AuditUpkeep({
    ensure: () => ensureAuditPartitions(prisma, now()),
    expire: async () => {
      for (const partition of await expireAudit(retention, now()))
        log.info({ partition }, 'audit entries have expired');
    },
    onError: (error) => log.error({ err: error }, 'the partitions of the audit could not be made or dropped'),
  });

  return {
    /** Why the audit cannot be trusted; undefined while nothing speaks against it. */
    fault: () => keeper.fault,

    start(): void {
      upkeep.start();
      keeper.start();
    },

    /** Keeps the last head, if the database answers in time. */
    async stop(): Promise<void> {
      const stopped = Promise.all([upkeep.stop(), keeper.stop()]);
      await Promise.race([stopped, delay(STOP_MS, undefined, { ref: false })]);
    },
  };
}

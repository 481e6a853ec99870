import type { PrismaClient } from '../../storage/generated/client.js';
import { createSealer } from '../../storage/sealing.js';
import { ClaimConnection, type ClaimConnectionOptions } from './claim.connection.js';
import { ClaimRecords } from './claim.records.js';
import { ClaimWriter, type ClaimWriterDeps } from './claim.writer.js';

/** How often claims that are over their time are deleted. */
const CLEAN_MS = 60_000;

export interface ClaimsDeps extends Pick<ClaimWriterDeps, 'epoch' | 'onFenced' | 'log'> {
  readonly databaseUrl: string;
  readonly prisma: PrismaClient;
  readonly serverKey: Buffer;
  readonly connection?: ClaimConnectionOptions;
}

/** The durable claims of one server, from now until `close`. */
export interface Claims {
  readonly store: ClaimWriter;
  /** Writes what waits, for so many ms at most. */
  close(withinMs: number): Promise<void>;
}

/** Wires the claims of a server; deletes expired ones in the background. */
export function openClaims(deps: ClaimsDeps): Claims {
  const { databaseUrl, prisma, serverKey, epoch, onFenced, log, connection } = deps;
  const sealer = createSealer(serverKey, 'claims');
  const records = new ClaimRecords(prisma, sealer);
  const store = new ClaimWriter({
    database: new ClaimConnection(databaseUrl, connection),
    sealer,
    epoch,
    unfinished: () => records.unfinished(epoch),
    onFenced,
    log,
  });
  let closed = false;
  let cleaning = false;
  const clean = async (): Promise<void> => {
    cleaning = true;
    try {
      await records.deleteExpired(() => !closed);
    } catch (error) {
      if (!closed) log.warn({ err: error }, 'expired claims could not be deleted');
    } finally {
      cleaning = false;
    }
  };
  const timer = setInterval(() => {
    if (!cleaning) void clean();
  }, CLEAN_MS);

  return {
    store,
    async close(withinMs) {
      closed = true;
      clearInterval(timer);
      await store.close(withinMs);
    },
  };
}

import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from './generated/client.js';

/** How the pool behaves; times in milliseconds. */
export interface PrismaOptions {
  /** Connections at most; default 10. */
  readonly poolSize?: number;
  /** A connection that was lost while idle; the pool replaces it by itself. */
  readonly onConnectionError?: (error: Error) => void;
}

/** Longest wait for a connection, so that a database that is away is an error and not a hanging request. */
const CONNECT_TIMEOUT_MS = 5_000;

/** A Prisma client on a pool of its own; connects at the first query. Close it with `$disconnect()`. */
export function openPrisma(databaseUrl: string, options: PrismaOptions = {}): PrismaClient {
  const ignore = (): void => {};
  const adapter = new PrismaPg(
    {
      connectionString: databaseUrl,
      max: options.poolSize ?? 10,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
    },
    // Without listeners an idle connection that breaks would end the process.
    { onPoolError: options.onConnectionError ?? ignore, onConnectionError: options.onConnectionError ?? ignore },
  );
  return new PrismaClient({ adapter });
}

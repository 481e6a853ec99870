import pg from 'pg';
import type { Prisma } from '../../storage/generated/client.js';

/** Runs statements. Rows come with bigint for int8, Date for timestamptz and Buffer for bytea. */
export interface Queries {
  /** Throws pg.DatabaseError for what Postgres itself refused, another error when it cannot be reached. */
  query<Row>(statement: Prisma.Sql): Promise<Row[]>;
}

/** Where the loader runs its statements, one after the other. */
export interface LoaderDatabase extends Queries {
  /** Commits what `work` does, or nothing of it when that throws. Throws as `query`, and what `work` throws. */
  transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
}

const CONNECT_TIMEOUT_MS = 5_000;
/** A batch takes some 20 ms; what hangs behind a lock ends after this, so that it is tried anew. */
const STATEMENT_TIMEOUT_MS = 30_000;
/** For an answer that never comes, because the network between is gone: longer than the statement's own limit. */
const ANSWER_TIMEOUT_MS = 35_000;

/**
 * The loader's own connection: straight to the driver, which hands over a buffer of the journal as it is, where Prisma
 * would go over each byte several times. Connects at the first query, and again at the next one after it was lost.
 */
export class LoaderConnection implements LoaderDatabase {
  readonly #databaseUrl: string;
  #client: Promise<pg.Client> | undefined;
  #closed = false;

  constructor(databaseUrl: string) {
    this.#databaseUrl = databaseUrl;
  }

  query<Row>({ text, values }: Prisma.Sql): Promise<Row[]> {
    return this.#run<Row>(text, values);
  }

  async transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    await this.#run('BEGIN');
    try {
      const result = await work(this);
      await this.#run('COMMIT');
      return result;
    } catch (error) {
      // On a connection that was lost there is nothing left to take back.
      await this.#run('ROLLBACK').catch(() => {});
      throw error;
    }
  }

  async #run<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    if (this.#closed) throw new Error('the connection of the audit loader is closed');
    this.#client ??= this.#connect();
    const connected = this.#client;
    const client = await connected;
    try {
      const { rows } = await client.query({ text, values: [...values] });
      return rows as Row[];
    } catch (error) {
      // An answer of Postgres leaves the connection usable; after anything else nobody knows what comes next on it.
      if (!(error instanceof pg.DatabaseError)) {
        this.#forget(connected);
        // The socket is closed at once where a query is still open, so there is nothing to wait for or to report.
        client.end().catch(() => {});
      }
      throw error;
    }
  }

  /** Ends the connection, a query under way included. */
  async close(): Promise<void> {
    this.#closed = true;
    const client = await this.#client?.catch(() => undefined);
    this.#client = undefined;
    await client?.end();
  }

  #connect(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.#databaseUrl,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      query_timeout: ANSWER_TIMEOUT_MS,
      keepAlive: true,
      types: { getTypeParser },
    });
    const connected = client.connect().then(
      () => client,
      (error: unknown) => {
        this.#forget(connected);
        // Several addresses that all refuse make an error without a message.
        const reason = error instanceof Error && error.message !== '' ? error.message : 'no connection';
        throw new Error(`Postgres does not answer: ${reason}`, { cause: error });
      },
    );
    client.on('error', () => this.#forget(connected));
    client.on('end', () => this.#forget(connected));
    return connected;
  }

  /** What a lost connection still says must not touch the one that follows it. */
  #forget(connected: Promise<pg.Client>): void {
    if (this.#client === connected) this.#client = undefined;
  }
}

const getTypeParser: typeof pg.types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  oid === pg.types.builtins.INT8 && format !== 'binary' ? BigInt : pg.types.getTypeParser(oid, format);

/** Whether the database refused what it was given, and would refuse it again: data, a missing value, a size limit. */
export function isDataError(error: unknown): boolean {
  return error instanceof pg.DatabaseError && /^(?:22|54|23502)/.test(error.code ?? '');
}

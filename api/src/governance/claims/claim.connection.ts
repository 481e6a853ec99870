import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { isDataError } from '../audit/audit.connection.js';

/** A statement that each connection plans once. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** Where claims are written. */
export interface ClaimDatabase {
  /** Throws pg.DatabaseError for what Postgres itself refused, another error when it cannot be reached. */
  query<Row>(statement: Statement, values: readonly unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

export interface ClaimConnectionOptions {
  /** A database that says nothing for so long hangs, and the connection is replaced; ms. Default 5,000. */
  readonly answerTimeoutMs?: number;
}

const CONNECT_TIMEOUT_MS = 3_000;
const ANSWER_TIMEOUT_MS = 5_000;
const CLOSE_TIMEOUT_MS = 500;
/** How often, and how many times, it is looked whether the connection before is gone. */
const GONE_PAUSE_MS = 20;
const GONE_TRIES = 25;

/**
 * The plans must be right for a table that is empty now and holds millions of claims later: always by its index. The
 * claims of a server that can't lose them wait for the disk, even where others don't. What waits for a lock for too
 * long ends by itself, so that it can be tried again.
 */
const PREPARE_SESSION = `
  SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_bitmapscan = off;
  SET jit = off; SET plan_cache_mode = force_generic_plan; SET statement_timeout = '4s';
  SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';`;

/** Names a session for ever: process ids come again. */
interface Session {
  readonly pid: number;
  readonly startedAt: string;
}

/**
 * The claims' own connection. Made at the first statement, and again at the next one after it was lost, but never used
 * before Postgres has ended the session of the one before: a statement that it received and that nobody heard the answer
 * of could else be carried out after those that follow.
 */
export class ClaimConnection implements ClaimDatabase {
  #client: Promise<pg.Client> | undefined;
  #session: Session | undefined;
  #closed = false;

  constructor(
    private readonly databaseUrl: string,
    private readonly options: ClaimConnectionOptions = {},
  ) {}

  async query<Row>({ name, text }: Statement, values: readonly unknown[]): Promise<Row[]> {
    if (this.#closed) throw new Error('the connection of the claims is closed');
    this.#client ??= this.#connect();
    const connected = this.#client;
    const client = await connected;
    try {
      const { rows } = await client.query({ name, text, values: values as unknown[] });
      return rows as Row[];
    } catch (error) {
      // A refusal of what was given leaves the connection usable; after anything else a new one is the surer way.
      if (!isDataError(error)) {
        this.#forget(connected);
        end(client);
      }
      throw error;
    }
  }

  /** Ends the connection, a statement under way included. Never rejects. */
  async close(): Promise<void> {
    this.#closed = true;
    const ended = this.#client?.then((client) => client.end()).catch(() => {});
    this.#client = undefined;
    // A database that hangs does not close its end.
    await Promise.race([ended, delay(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
  }

  #connect(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.databaseUrl,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: this.options.answerTimeoutMs ?? ANSWER_TIMEOUT_MS,
      keepAlive: true,
    });
    const connected = this.#open(client).then(
      () => client,
      (error: unknown) => {
        this.#forget(connected);
        end(client);
        // Several addresses that all refuse make an error without a message.
        const reason = error instanceof Error && error.message !== '' ? error.message : 'no connection';
        throw new Error(`Postgres does not answer: ${reason}`, { cause: error });
      },
    );
    client.on('error', () => this.#forget(connected));
    client.on('end', () => this.#forget(connected));
    return connected;
  }

  async #open(client: pg.Client): Promise<void> {
    await client.connect();
    await client.query(PREPARE_SESSION);
    await this.#endSessionBefore(client);
    const { rows } = await client.query<Session>(
      `SELECT pid, backend_start::text AS "startedAt" FROM pg_stat_activity WHERE pid = pg_backend_pid()`,
    );
    this.#session = rows[0];
  }

  /** Throws when it is still there after a moment, as that of a process that was stopped. */
  async #endSessionBefore(client: pg.Client): Promise<void> {
    const before = this.#session;
    if (before === undefined) return;
    for (let tries = 0; tries < GONE_TRIES; tries++) {
      const { rows } = await client.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = $1 AND backend_start::text = $2',
        [before.pid, before.startedAt],
      );
      if (rows.length === 0) return;
      await delay(GONE_PAUSE_MS);
    }
    throw new Error('the session before hangs');
  }

  /** What a lost connection still says must not touch the one that follows it. */
  #forget(connected: Promise<pg.Client>): void {
    if (this.#client === connected) this.#client = undefined;
  }
}

/** The socket is closed at once where a statement is still open, so there is nothing to wait for or to report. */
function end(client: pg.Client): void {
  client.end().catch(() => {});
}

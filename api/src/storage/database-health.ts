import pg from 'pg';

/** Whether Postgres answers. */
export interface DatabaseHealth {
  readonly reachable: boolean;
  /** For a person: "reachable", or why not. */
  readonly reason: string;
  /** Since when it has been so. */
  readonly since: Date;
}

export interface DatabaseProbeOptions {
  readonly databaseUrl: string;
  /** Between two probes; default 1,000. */
  readonly intervalMs?: number;
  /** After which a probe counts as failed; default 2,000. */
  readonly timeoutMs?: number;
  readonly now: () => Date;
  /** Called at each change between reachable and not. */
  readonly onChange?: (health: DatabaseHealth) => void;
}

/** Asks Postgres for a sign of life at an interval, on one connection of its own, so that a full pool is no outage. */
export class DatabaseProbe {
  readonly #options: DatabaseProbeOptions;
  readonly #pool: pg.Pool;
  #health: DatabaseHealth;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(options: DatabaseProbeOptions) {
    const timeoutMs = options.timeoutMs ?? 2000;
    this.#options = options;
    this.#health = { reachable: true, reason: 'reachable', since: options.now() };
    this.#pool = new pg.Pool({
      connectionString: options.databaseUrl,
      max: 1,
      connectionTimeoutMillis: timeoutMs,
      query_timeout: timeoutMs,
    });
    // An idle connection that breaks is found by the next probe.
    this.#pool.on('error', () => {});
    // One that breaks while it is asked rejects the query, and says so again as an event that nobody may leave unheard.
    this.#pool.on('connect', (client) => client.on('error', () => {}));
    this.#schedule();
  }

  /** The result of the last probe; reachable before the first. */
  get health(): DatabaseHealth {
    return this.#health;
  }

  /** Probes now. Never throws. */
  async probe(): Promise<DatabaseHealth> {
    const failure = await this.#ask();
    const reachable = failure === undefined;
    const changed = reachable !== this.#health.reachable;
    const since = changed ? this.#options.now() : this.#health.since;
    this.#health = { reachable, reason: failure ?? 'reachable', since };
    if (changed) this.#options.onChange?.(this.#health);
    return this.#health;
  }

  /** Ends the probing and its connection. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#pool.end();
  }

  #schedule(): void {
    this.#timer = setTimeout(async () => {
      await this.probe();
      if (!this.#stopped) this.#schedule();
    }, this.#options.intervalMs ?? 1000);
    this.#timer.unref();
  }

  async #ask(): Promise<string | undefined> {
    let client: pg.PoolClient | undefined;
    try {
      client = await this.#pool.connect();
      await client.query('SELECT 1');
      client.release();
      return undefined;
    } catch (error) {
      // A connection with an unanswered query cannot be used again.
      client?.release(true);
      const reason = error instanceof Error && error.message !== '' ? error.message : 'no connection';
      return `Postgres does not answer: ${reason}`;
    }
  }
}

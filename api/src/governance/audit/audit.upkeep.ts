const INTERVAL_MS = 60_000;

export interface AuditUpkeepOptions {
  /** Makes the partitions of the days to come. */
  readonly ensure: () => Promise<unknown>;
  /** Drops those that are too old. */
  readonly expire: () => Promise<unknown>;
  readonly onError: (error: unknown) => void;
}

/**
 * Keeps the partitions of the audit: now, and every minute, which costs one look at the catalog. Whatever the clock did,
 * and however long the database was away, entries find a partition within a minute.
 */
export class AuditUpkeep {
  readonly #options: AuditUpkeepOptions;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #stopped = false;

  constructor(options: AuditUpkeepOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Waits for what is under way. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #run(): Promise<void> {
    const { ensure, expire, onError } = this.#options;
    // One that fails does not keep the other from being tried.
    for (const work of [ensure, expire]) {
      try {
        await work();
      } catch (error) {
        onError(error);
      }
    }
    this.#running = undefined;
    if (this.#stopped) return;
    this.#timer = setTimeout(() => this.start(), INTERVAL_MS);
    this.#timer.unref();
  }
}

import type { PrismaClient } from '../../../storage/generated/client.js';
import { chainValueAt, isAnchored } from './chain.values.js';
import { type KeptHead, readKeptHeads, writeKeptHeads } from './kept-heads.js';

const INTERVAL_MS = 60_000;
/** A day of minutes. What was cut off and grew again since then is still found. */
const MAX_HEADS = 1_440;

export interface HeadKeeperOptions {
  readonly prisma: Pick<PrismaClient, 'auditHead' | 'auditLink' | 'auditAnchor'>;
  readonly file: string;
  readonly now: () => Date;
  readonly log: {
    error(details: { readonly [key: string]: unknown }, message: string): void;
  };
}

/**
 * Keeps the head of the audit's chain outside Postgres, each minute and at the stop, so that an end that is cut off is
 * found: the chain in Postgres alone would be shorter, and right.
 */
export class HeadKeeper {
  readonly #options: HeadKeeperOptions;
  #heads: readonly KeptHead[];
  #timer: NodeJS.Timeout | undefined;
  #fault: string | undefined;
  #failing = false;

  /** Reads what was kept before. Throws the system's errors. */
  constructor(options: HeadKeeperOptions) {
    this.#options = options;
    this.#heads = readKeptHeads(options.file).heads;
  }

  /** Whether a head was ever kept, so that the chain has begun. */
  get hasKept(): boolean {
    return this.#heads.length > 0;
  }

  /** Why the chain cannot be trusted; undefined while nothing speaks against it. */
  get fault(): string | undefined {
    return this.#fault;
  }

  /** Keeps the head now, and from now on. */
  start(): void {
    void this.keep();
    this.#timer ??= setInterval(() => void this.keep(), INTERVAL_MS);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.keep();
  }

  /**
   * Keeps the head of now. While the database is away it does nothing. When the entries no longer hold what was kept, it
   * says so and keeps what it has, so that the evidence is not overwritten. Never throws.
   */
  async keep(): Promise<void> {
    const { prisma, file, now, log } = this.#options;
    try {
      const last = this.#heads.at(-1);
      if (last !== undefined && !(await this.#holds(last))) {
        if (this.#fault === undefined)
          log.error({ sequence: String(last.sequence) }, 'the audit was cut off or replaced');
        this.#fault = `entry ${last.sequence} is not the one of ${last.at}: the audit was cut off or replaced`;
        return;
      }
      this.#fault = undefined;
      const head = await prisma.auditHead.findUnique({ where: { id: 1 } });
      if (head === null || head.chain === null || head.sequence === last?.sequence) return;
      const chain = Buffer.from(head.chain).toString('hex');
      const heads = [...this.#heads, { sequence: head.sequence, chain, at: now().toISOString() }].slice(-MAX_HEADS);
      writeKeptHeads(file, heads);
      this.#heads = heads;
      this.#failing = false;
    } catch (error) {
      // Once for an outage, which others report, too.
      if (!this.#failing) log.error({ err: error }, 'the head of the audit could not be kept');
      this.#failing = true;
    }
  }

  async #holds({ sequence, chain }: KeptHead): Promise<boolean> {
    const value = await chainValueAt(this.#options.prisma, sequence);
    if (value !== undefined) return Buffer.from(value).toString('hex') === chain;
    return isAnchored(this.#options.prisma, sequence);
  }
}

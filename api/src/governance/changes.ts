import { setTimeout as delay } from 'node:timers/promises';
import type { AuditRecord, JsonObject } from '@agent-reach/sdk/protocol';
import type { Prisma, PrismaClient } from '../storage/generated/client.js';
import { type AppendAnswer, appendStatement } from './audit/audit.append.js';
import { boundedRecord } from './audit/audit.clean.js';
import { type StoredAuditEntry, storedEntry } from './audit/audit.entry.js';
import type { AuditKey } from './audit/chain/chain.keys.js';
import { linkStatement } from './audit/chain/chain.links.js';
import { Gate } from './gate.js';
import { isStorageAway, isTransientConflict, toReachError } from './storage-errors.js';

/** Who makes a change. */
export interface Actor {
  /** A caller, or `system`. */
  readonly caller: string;
  readonly onBehalfOf?: string | undefined;
}

/** What a piece of work did, for audit, and what it answers. Secrets belong neither in `before` nor in `after`. */
export interface Change<T> extends AuditedChange {
  /** Further entries for what changed along with it, such as in other namespaces. */
  readonly related?: readonly AuditedChange[] | undefined;
  readonly result: T;
}

/** What one audit entry says of a change. */
export interface AuditedChange {
  /** `policy.update`, `token.revoke` … */
  readonly action: string;
  /** Empty for what belongs to no namespace, such as users. */
  readonly namespace: string;
  /** What was changed: `ns/agent`, a policy's name, an id … */
  readonly target: string;
  readonly before?: JsonObject | undefined;
  readonly after?: JsonObject | undefined;
}

/** A change that is committed; related ones come one by one after it. */
export interface CommittedChange extends AuditedChange {
  readonly configVersion: bigint;
  readonly actor: Actor;
  readonly entry: StoredAuditEntry;
}

export interface ChangesOptions {
  /** Wall clock, ms since 1970. */
  readonly now?: () => number;
  /** What the chain goes on with. Without it entries stand outside the chain, which its verification would report. */
  readonly auditKey?: AuditKey;
  /** A listener threw; the change is committed all the same. */
  readonly onListenerError?: (error: unknown) => void;
}

export type CommitListener = (change: CommittedChange) => void;

interface Appended<T> {
  readonly changes: readonly AuditedChange[];
  readonly records: readonly AuditRecord[];
  readonly answer: AppendAnswer;
  readonly result: T;
}

const MAX_TRIES = 4;
/**
 * Changes at once. They line up at the audit head anyway; more would only hold connections that readers need, and a
 * thousand agents that register at once would run into the wait for a connection instead of taking turns.
 */
const AT_ONCE = 4;
/** How long a change waits for a connection of the pool, and how long it may take once it has one, in ms. */
const TRANSACTION = { maxWait: 10_000, timeout: 15_000 } as const;

/**
 * The one way in which durable configuration changes: the work and its audit entry commit together or not at all.
 *
 * Transactions are READ COMMITTED; whoever checks before writing does it in the write itself (a conditional update) or
 * under a row lock. The `audit_head` row, locked last, orders the commits.
 */
export class Changes {
  readonly #prisma: Pick<PrismaClient, '$transaction'>;
  readonly #now: () => number;
  readonly #auditKey: AuditKey | undefined;
  readonly #onListenerError: (error: unknown) => void;
  readonly #committed = new Set<CommitListener>();
  readonly #uncertain = new Set<() => void>();
  readonly #gate = new Gate(AT_ONCE);

  constructor(prisma: Pick<PrismaClient, '$transaction'>, options: ChangesOptions = {}) {
    this.#prisma = prisma;
    this.#now = options.now ?? Date.now;
    this.#auditKey = options.auditKey;
    this.#onListenerError = options.onListenerError ?? (() => {});
  }

  /**
   * Runs the work in one transaction and answers its result. The work may run again from the start when another
   * transaction got in its way, so all its effects must go through `tx`. Throws ReachError: what the work threw, or
   * CONFLICT, NOT_FOUND, STORAGE_UNAVAILABLE as the database's refusals translate.
   */
  async run<T>(actor: Actor, work: (tx: Prisma.TransactionClient) => Promise<Change<T>>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#gate.run(() => this.#once(actor, work));
      } catch (error) {
        if (attempt === MAX_TRIES || !isTransientConflict(error)) throw toReachError(error);
        await delay(Math.random() * 20 * attempt);
      }
    }
  }

  /** Hears of each change in the tick in which its commit was confirmed. Returns the function that ends this. */
  onCommitted(listener: CommitListener): () => void {
    this.#committed.add(listener);
    return () => this.#committed.delete(listener);
  }

  /**
   * Hears that the connection broke during a commit, so that the change may or may not stand. What is kept in memory
   * has to be read again. Returns the function that ends this.
   */
  onUncertain(listener: () => void): () => void {
    this.#uncertain.add(listener);
    return () => this.#uncertain.delete(listener);
  }

  async #once<T>(actor: Actor, work: (tx: Prisma.TransactionClient) => Promise<Change<T>>): Promise<T> {
    const progress: { appended?: Appended<T> } = {};
    try {
      await this.#prisma.$transaction(async (tx) => {
        const { result, related = [], ...change } = await work(tx);
        const changes = [change, ...related];
        const records = changes.map((one) => this.#recordOf(actor, one));
        const [answer] = await tx.$queryRaw<AppendAnswer[]>(appendStatement(records, { bumpConfig: true }));
        if (answer === undefined) throw new Error('the audit head gave no sequence');
        const link = this.#auditKey === undefined ? undefined : linkStatement(this.#auditKey, answer);
        if (link !== undefined) await tx.$executeRaw(link);
        progress.appended = { changes, records, answer, result };
      }, TRANSACTION);
    } catch (error) {
      if (progress.appended !== undefined && isStorageAway(error)) for (const listener of this.#uncertain) listener();
      throw error;
    }
    if (progress.appended === undefined) throw new Error('the transaction ended without its audit entry');
    this.#publish(actor, progress.appended);
    return progress.appended.result;
  }

  #publish<T>(actor: Actor, { changes, records, answer }: Appended<T>): void {
    const { configVersion, recordedAt } = answer;
    const first = answer.sequence - BigInt(records.length) + 1n;
    for (const [index, record] of records.entries()) {
      const change = changes[index];
      if (change === undefined) continue;
      const entry = storedEntry(record, first + BigInt(index), recordedAt);
      for (const listener of this.#committed) {
        try {
          listener({ ...change, configVersion, actor, entry });
        } catch (error) {
          // The change stands; whoever made it must not hear that it failed.
          this.#onListenerError(error);
        }
      }
    }
  }

  #recordOf(actor: Actor, change: AuditedChange): AuditRecord {
    const record = boundedRecord({
      occurredAt: this.#now(),
      kind: 'CHANGE',
      namespace: change.namespace,
      action: change.action,
      actor: actor.caller,
      onBehalfOf: actor.onBehalfOf,
      target: change.target,
      outcome: 'OK',
      details: {
        ...(change.before === undefined ? {} : { before: change.before }),
        ...(change.after === undefined ? {} : { after: change.after }),
      },
    });
    if (record === undefined) throw new Error(`change ${change.action} makes no audit record`);
    return record;
  }
}

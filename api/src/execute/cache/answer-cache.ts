import type { AgentRef, InstanceRef } from '@agent-reach/sdk/protocol';
import type { Clock } from '../../perceive/clock.js';
import { LinkedList, type ListNode } from '../capacity/linked-list.js';

/** Results over this are not kept, bytes. */
const MAX_RESULT_BYTES = 1_048_576;

/** A good answer, and who gave it: to be answered with it, a caller needs permission for that agent and capability. */
export interface CachedAnswer {
  /** Shared by all who are answered with it; not to be changed. */
  readonly result: unknown;
  /** Size of the result on the wire. */
  readonly bytes: number;
  readonly instance: InstanceRef;
  readonly agent: AgentRef;
  readonly capability: string;
}

/** Bounds of all answers together; beyond them the one not used for longest goes first. */
export interface CacheBounds {
  readonly maxEntries: number;
  readonly maxBytes: number;
}

const BOUNDS: CacheBounds = { maxEntries: 20_000, maxBytes: 64 * 1024 * 1024 };

interface Entry {
  readonly key: string;
  readonly answer: CachedAnswer;
  readonly bytes: number;
  /** Monotonic ms. */
  readonly storedAt: number;
  readonly keepUntil: number;
}

/**
 * The last good answer to each question. How old an answer may be is asked when it is read, so that a policy's change
 * counts at once, for what was stored before too. Bounded in time, entries and bytes.
 */
export class AnswerCache {
  readonly #entries = new Map<string, ListNode<Entry>>();
  /** Least lately used first. */
  readonly #order = new LinkedList<Entry>();
  #bytes = 0;

  constructor(
    private readonly clock: Pick<Clock, 'monotonic'>,
    private readonly bounds: CacheBounds = BOUNDS,
  ) {}

  get size(): number {
    return this.#order.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** An answer that may be given instead of calling; `ttlMs` 0: none. */
  fresh(key: string, ttlMs: number): CachedAnswer | undefined {
    return this.#youngerThan(ttlMs, key);
  }

  /** An answer that may be given when the call failed; whoever gets it must be told that it is old. */
  stale(key: string, maxAgeMs: number): CachedAnswer | undefined {
    return this.#youngerThan(maxAgeMs, key);
  }

  /**
   * Keeps a good answer in place of an earlier one; over 1 MiB it is not kept, and the earlier one stays. `keepMs`: the
   * longest that anybody may ask for it, fresh or stale.
   */
  put(key: string, answer: CachedAnswer, keepMs: number): void {
    if (answer.bytes > MAX_RESULT_BYTES || keepMs <= 0) return;
    const earlier = this.#entries.get(key);
    if (earlier !== undefined) this.#drop(earlier);
    const storedAt = this.clock.monotonic();
    const entry = { key, answer, bytes: answer.bytes + key.length, storedAt, keepUntil: storedAt + keepMs };
    this.#entries.set(key, this.#order.add(entry));
    this.#bytes += entry.bytes;
    this.#trim();
  }

  /** Frees what is over its time; called now and then. */
  expire(): void {
    const now = this.clock.monotonic();
    for (const { key, keepUntil } of this.#order) {
      const node = this.#entries.get(key);
      if (node !== undefined && now >= keepUntil) this.#drop(node);
    }
  }

  #youngerThan(maxAgeMs: number, key: string): CachedAnswer | undefined {
    const node = this.#entries.get(key);
    if (node === undefined) return undefined;
    const { answer, storedAt, keepUntil } = node.value;
    const now = this.clock.monotonic();
    if (now >= keepUntil || now - storedAt >= maxAgeMs) return undefined;
    this.#order.moveToEnd(node);
    return answer;
  }

  #trim(): void {
    const { maxEntries, maxBytes } = this.bounds;
    while (this.size > maxEntries || this.#bytes > maxBytes) {
      const oldest = this.#order.first;
      const node = oldest === undefined ? undefined : this.#entries.get(oldest.key);
      if (node === undefined) return;
      this.#drop(node);
    }
  }

  #drop(node: ListNode<Entry>): void {
    this.#entries.delete(node.value.key);
    this.#order.remove(node);
    this.#bytes -= node.value.bytes;
  }
}

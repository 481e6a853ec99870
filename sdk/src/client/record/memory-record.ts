import {
  type KnownRequest,
  keyText,
  RECORD_KEPT_MS,
  type RequestEnd,
  type RequestKey,
  type RequestRecord,
  type RequestStart,
} from './request-record.js';

/** One request as it is kept. `at`: wall clock of its last change, in ms since 1970. */
export interface RequestEntry extends RequestStart {
  readonly at: number;
  readonly end?: Pick<RequestEnd, 'dispatchId' | 'awaitsConfirmation' | 'outcome'> | undefined;
}

/** They hold for what is over, for what nobody confirmed yet, and for what has no end: for each on its own. */
export interface RecordBounds {
  readonly maxRequests: number;
  /** Characters of all outcomes together. */
  readonly maxOutcomes: number;
}

export const RECORD_BOUNDS: RecordBounds = { maxRequests: 100_000, maxOutcomes: 32 * 1024 * 1024 };

/** Requests in the order in which they were put. */
class Entries {
  readonly byKey = new Map<string, RequestEntry>();
  /** Characters of all outcomes together. */
  outcomes = 0;

  put(text: string, entry: RequestEntry): void {
    this.byKey.set(text, entry);
    this.outcomes += sizeOf(entry);
  }

  remove(text: string): void {
    const entry = this.byKey.get(text);
    if (entry === undefined) return;
    this.byKey.delete(text);
    this.outcomes -= sizeOf(entry);
  }

  /** Takes the oldest out. */
  shift(): RequestEntry | undefined {
    for (const [text, entry] of this.byKey) {
      this.remove(text);
      return entry;
    }
    return undefined;
  }
}

/**
 * A record in the memory of this process, bounded: what is older than 24 hours is not known any more, and beyond the
 * bounds the oldest goes. What is over is kept in two stretches of time, and when the younger is as long as half the
 * bounds allow, the older is dropped whole. What has no end, and what nobody confirmed, stands apart, so that much of it
 * pushes nothing else out.
 */
export class MemoryRecord implements RequestRecord {
  private readonly begun = new Entries();
  private readonly awaiting = new Entries();
  private young = new Entries();
  private old = new Entries();
  /** Wall clock at which the younger stretch began. */
  private since: number;

  constructor(
    private readonly wall: () => number,
    private readonly bounds: RecordBounds = RECORD_BOUNDS,
  ) {
    this.since = wall();
  }

  get count(): number {
    return this.parts.reduce((sum, { byKey }) => sum + byKey.size, 0);
  }

  /** Characters of all outcomes that are kept. */
  get outcomeSize(): number {
    return this.parts.reduce((sum, { outcomes }) => sum + outcomes, 0);
  }

  begin(start: RequestStart): KnownRequest | undefined {
    const known = this.find(start);
    if (known !== undefined) return known;
    const { caller, requestId, capability } = start;
    this.put({ caller, requestId, capability, at: this.wall() });
    return undefined;
  }

  end({ caller, requestId, capability, dispatchId, awaitsConfirmation, outcome }: RequestEnd): void {
    const end = { dispatchId, awaitsConfirmation, outcome };
    this.put({ caller, requestId, capability, at: this.wall(), end });
  }

  find(key: RequestKey): KnownRequest | undefined {
    const entry = this.entry(key);
    return entry === undefined ? undefined : { capability: entry.capability, outcome: entry.end?.outcome };
  }

  confirmed(key: RequestKey): void {
    const entry = this.entry(key);
    if (entry?.end?.awaitsConfirmation) this.put({ ...entry, end: { ...entry.end, awaitsConfirmation: false } });
  }

  unconfirmed(): RequestEnd[] {
    const found: RequestEnd[] = [];
    for (const entry of this.awaiting.byKey.values()) {
      const { caller, requestId, capability, end } = entry;
      if (end !== undefined && !this.isExpired(entry)) found.push({ caller, requestId, capability, ...end });
    }
    return found;
  }

  /** What is not expired. */
  *all(): Iterable<RequestEntry> {
    for (const { byKey } of this.parts) for (const entry of byKey.values()) if (!this.isExpired(entry)) yield entry;
  }

  /** What is known of a request, as it is kept. */
  entry(key: RequestKey): RequestEntry | undefined {
    const text = keyText(key);
    for (const { byKey } of this.parts) {
      const entry = byKey.get(text);
      if (entry !== undefined) return this.isExpired(entry) ? undefined : entry;
    }
    return undefined;
  }

  /** Puts an entry as it was kept elsewhere, such as in a file. */
  put(entry: RequestEntry): void {
    const text = keyText(entry);
    for (const part of this.parts) part.remove(text);
    if (entry.end === undefined) this.begun.put(text, entry);
    else if (entry.end.awaitsConfirmation) this.awaiting.put(text, entry);
    else this.young.put(text, entry);
    this.bound();
  }

  private bound(): void {
    const { maxRequests, maxOutcomes } = this.bounds;
    for (const part of [this.begun, this.awaiting]) {
      for (const oldest of part.byKey.values()) {
        if (!this.isExpired(oldest)) break;
        part.shift();
      }
    }
    if (this.begun.byKey.size > maxRequests) this.begun.shift();
    while (this.awaiting.byKey.size > maxRequests || this.awaiting.outcomes > maxOutcomes) {
      const given = this.awaiting.shift();
      // It is not told any more by itself, but it is still not executed again.
      if (given?.end === undefined) break;
      this.young.put(keyText(given), { ...given, end: { ...given.end, awaitsConfirmation: false } });
    }
    const { byKey, outcomes } = this.young;
    const isLong = byKey.size > maxRequests / 2 || outcomes > maxOutcomes / 2;
    if (!isLong && this.wall() - this.since <= RECORD_KEPT_MS) return;
    this.old = this.young;
    this.young = new Entries();
    this.since = this.wall();
  }

  /** The oldest first. */
  private get parts(): readonly Entries[] {
    return [this.begun, this.awaiting, this.old, this.young];
  }

  private isExpired(entry: RequestEntry): boolean {
    return this.wall() - entry.at > RECORD_KEPT_MS;
  }
}

const sizeOf = (entry: RequestEntry) => entry.end?.outcome.length ?? 0;

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

export interface RecordBounds {
  readonly maxRequests: number;
  /** Characters of all outcomes together. */
  readonly maxOutcomes: number;
}

export const RECORD_BOUNDS: RecordBounds = { maxRequests: 100_000, maxOutcomes: 32 * 1024 * 1024 };

/** Requests that were noted in the same stretch of time. */
class Stretch {
  readonly entries = new Map<string, RequestEntry>();
  outcomes = 0;

  constructor(readonly since: number) {}

  put(text: string, entry: RequestEntry): void {
    this.remove(text);
    this.entries.set(text, entry);
    this.outcomes += sizeOf(entry);
  }

  remove(text: string): void {
    const entry = this.entries.get(text);
    if (entry === undefined) return;
    this.entries.delete(text);
    this.outcomes -= sizeOf(entry);
  }
}

/**
 * A record in the memory of this process, bounded: what is older than 24 hours is not known any more, and beyond the
 * bounds the oldest goes. It is kept in two stretches, and when the younger is as long as half the bounds allow, the
 * older is dropped whole: an entry never costs a walk. What has no end or no confirmation moves on to the next stretch.
 */
export class MemoryRecord implements RequestRecord {
  private young: Stretch;
  private old: Stretch;

  constructor(
    private readonly wall: () => number,
    private readonly bounds: RecordBounds = RECORD_BOUNDS,
  ) {
    this.young = new Stretch(wall());
    this.old = new Stretch(wall());
  }

  get count(): number {
    return this.young.entries.size + this.old.entries.size;
  }

  /** Characters of all outcomes that are kept. */
  get outcomeSize(): number {
    return this.young.outcomes + this.old.outcomes;
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
    const entry = this.entry(keyText(key));
    return entry === undefined ? undefined : { capability: entry.capability, outcome: entry.end?.outcome };
  }

  confirmed(key: RequestKey): void {
    const entry = this.entry(keyText(key));
    if (entry?.end?.awaitsConfirmation) this.put({ ...entry, end: { ...entry.end, awaitsConfirmation: false } });
  }

  unconfirmed(): RequestEnd[] {
    const found: RequestEnd[] = [];
    for (const { caller, requestId, capability, end } of this.all())
      if (end?.awaitsConfirmation) found.push({ caller, requestId, capability, ...end });
    return found;
  }

  /** What is not expired. */
  *all(): Iterable<RequestEntry> {
    for (const { entries } of [this.old, this.young])
      for (const entry of entries.values()) if (!this.isExpired(entry)) yield entry;
  }

  /** Puts an entry as it was kept elsewhere, such as in a file. */
  put(entry: RequestEntry): void {
    const text = keyText(entry);
    this.old.remove(text);
    this.young.put(text, entry);
    const { entries, outcomes, since } = this.young;
    if (
      entries.size > this.bounds.maxRequests / 2 ||
      outcomes > this.bounds.maxOutcomes / 2 ||
      this.wall() - since > RECORD_KEPT_MS
    )
      this.turn();
  }

  private turn(): void {
    const { old } = this;
    this.old = this.young;
    this.young = new Stretch(this.wall());
    for (const [text, entry] of old.entries)
      if (entry.end?.awaitsConfirmation !== false && !this.isExpired(entry)) this.young.put(text, entry);
  }

  private entry(text: string): RequestEntry | undefined {
    const entry = this.young.entries.get(text) ?? this.old.entries.get(text);
    return entry === undefined || this.isExpired(entry) ? undefined : entry;
  }

  private isExpired(entry: RequestEntry): boolean {
    return this.wall() - entry.at > RECORD_KEPT_MS;
  }
}

const sizeOf = (entry: RequestEntry) => entry.end?.outcome.length ?? 0;

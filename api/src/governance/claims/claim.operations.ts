import type {
  ClaimAnswer,
  ClaimedAttempt,
  ClaimKey,
  KnownClaim,
  NewClaim,
} from '../../execute/idempotency/claims.port.js';

/** What is to be written, or read after all that was to be written before. */
export type ClaimWrite =
  | { readonly kind: 'CLAIM'; readonly claim: NewClaim; readonly answered: (answer: ClaimAnswer) => void }
  | { readonly kind: 'FIND'; readonly found: (claim: KnownClaim | undefined) => void }
  | { readonly kind: 'MOVE'; readonly to: ClaimedAttempt; readonly done: () => void }
  | {
      readonly kind: 'FINISH';
      readonly dispatchId: string;
      readonly state: 'DONE' | 'UNKNOWN';
      readonly sealed: Buffer;
      readonly done: () => void;
    }
  | { readonly kind: 'RELEASE'; readonly dispatchId: string };

/** One thing to be written, with its place in the queue. */
export class ClaimOperation {
  /** Caller and requestId as one text. */
  readonly id: string;
  previous: ClaimOperation | undefined;
  next: ClaimOperation | undefined;
  /** Another operation of the same key waits further ahead, so that this one belongs to a later batch. */
  behind = false;
  /** Whoever asked for it does not want to hear of it any more. */
  abandoned = false;

  constructor(
    readonly key: ClaimKey,
    readonly write: ClaimWrite,
  ) {
    this.id = idOf(key);
  }
}

/** The dispatch that a claim or a move, not answered yet, is for. */
export function madeBy({ write }: ClaimOperation): string | undefined {
  if (write.kind === 'CLAIM') return write.claim.dispatchId;
  return write.kind === 'MOVE' ? write.to.dispatchId : undefined;
}

/** Names a key in memory, and as the place that an outcome is sealed for. No caller contains a line break. */
export function idOf({ caller, requestId }: ClaimKey): string {
  return `${caller}\n${requestId}`;
}

/**
 * What waits to be written, oldest first. A linked list, because calls that give up while the database is away take
 * their claims out of the middle, and nothing of them may stay behind.
 */
export class ClaimQueue {
  #first: ClaimOperation | undefined;
  #last: ClaimOperation | undefined;
  #size = 0;
  /** The latest waiting operation of each key. */
  readonly #latest = new Map<string, ClaimOperation>();

  get size(): number {
    return this.#size;
  }

  /** The latest operation of a key that waits. */
  latest(id: string): ClaimOperation | undefined {
    return this.#latest.get(id);
  }

  push(operation: ClaimOperation): void {
    operation.behind = this.#latest.has(operation.id);
    operation.previous = this.#last;
    if (this.#last === undefined) this.#first = operation;
    else this.#last.next = operation;
    this.#last = operation;
    this.#latest.set(operation.id, operation);
    this.#size++;
  }

  /** Takes the latest operation of a key out again. */
  remove(operation: ClaimOperation): void {
    const { previous, next } = operation;
    if (previous === undefined) this.#first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    operation.previous = undefined;
    operation.next = undefined;
    this.#size--;
    if (this.#latest.get(operation.id) !== operation) return;
    this.#latest.delete(operation.id);
    if (operation.behind) this.#findLatest(operation.id, previous);
  }

  /** Rare: two operations of one key waited, and the later one was taken out. */
  #findLatest(id: string, from: ClaimOperation | undefined): void {
    for (let before = from; before !== undefined; before = before.previous) {
      if (before.id === id) {
        this.#latest.set(id, before);
        return;
      }
    }
  }

  /**
   * The next batch: at most so many operations and about so many bytes of outcomes, and never two of one key, whose
   * order one statement would not keep.
   */
  take(max: number, maxBytes: number): ClaimOperation[] {
    const batch: ClaimOperation[] = [];
    let bytes = 0;
    for (let head = this.#first; head !== undefined && batch.length < max && bytes < maxBytes; head = this.#first) {
      // What it is behind may have been taken with an earlier batch, or taken out.
      if (head.behind && batch.some((before) => before.id === head.id)) break;
      this.remove(head);
      batch.push(head);
      if (head.write.kind === 'FINISH') bytes += head.write.sealed.length;
    }
    return batch;
  }

  /** Takes everything out, oldest first. */
  clear(): ClaimOperation[] {
    const all: ClaimOperation[] = [];
    for (let head = this.#first; head !== undefined; head = this.#first) {
      this.remove(head);
      all.push(head);
    }
    return all;
  }
}

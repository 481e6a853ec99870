import type { Document } from './document.js';

/** A document that fits a text in some way. */
export interface Ranked {
  readonly document: Document;
  /** The text is its name (2) or an alias (1), whatever the spelling; 0: neither. */
  readonly exact: 0 | 1 | 2;
  /** BM25 over its texts; comparable within one answer. */
  readonly score: number;
  /** How much of what was asked it answers: 1 when every word is in its name, an alias or a tag. */
  readonly fit: number;
  /** Which words of the text it answers, as bits in their order. */
  readonly answered: number;
  /** Whether the text names actions that change something, and whether the document has all of them. */
  readonly action: 'NONE' | 'ANSWERED' | 'MISSED';
}

/** What a ranking is made of: places in three lists that belong together. */
export interface Hits {
  readonly documents: readonly Document[];
  readonly scores: Float64Array;
  readonly fits: Float64Array;
  readonly answered: Uint32Array;
  /** The words that are actions, as bits. */
  readonly actions: number;
}

/**
 * All documents that fit a text. They are many, and mostly only the best few are taken, so they stand in a heap from
 * which the best comes next, and are not sorted.
 */
export class Ranking {
  constructor(
    /** Those that are called by the text, names first. */
    private readonly exact: readonly Ranked[],
    private readonly hits: Hits,
  ) {}

  get size(): number {
    return this.exact.length + this.hits.documents.length;
  }

  *bestFirst(): Iterable<Ranked> {
    yield* this.exact;
    const { documents, scores, fits, answered, actions } = this.hits;
    const called = new Set(this.exact.map(({ document }) => document));
    const heap = Uint32Array.from(documents, (_, index) => index);
    const before = (a: number, b: number): boolean => {
      const [left, right] = [scores[a] ?? 0, scores[b] ?? 0];
      return left === right ? precedes(documents[a], documents[b]) : left > right;
    };
    for (let root = (heap.length >> 1) - 1; root >= 0; root--) sink(heap, root, heap.length, before);
    for (let left = heap.length; left > 0; ) {
      const best = heap[0] ?? 0;
      left--;
      heap[0] = heap[left] ?? 0;
      sink(heap, 0, left, before);
      const document = documents[best];
      if (document === undefined || called.has(document)) continue;
      const words = answered[best] ?? 0;
      yield {
        document,
        exact: 0,
        score: scores[best] ?? 0,
        fit: fits[best] ?? 0,
        answered: words,
        action: actions === 0 ? 'NONE' : (actions & ~words) === 0 ? 'ANSWERED' : 'MISSED',
      };
    }
  }
}

/** Best first; equals in an order that is always the same. */
export function byRank(a: Ranked, b: Ranked): number {
  if (a.exact !== b.exact) return b.exact - a.exact;
  if (a.score !== b.score) return b.score - a.score;
  return precedes(a.document, b.document) ? -1 : 1;
}

function precedes(a: Document | undefined, b: Document | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  if (a.name !== b.name) return a.name < b.name;
  const [left, right] = [a.shown.namespace, b.shown.namespace];
  return left === right ? a.key < b.key : left < right;
}

function sink(heap: Uint32Array, from: number, length: number, before: (a: number, b: number) => boolean): void {
  const moved = heap[from] ?? 0;
  let hole = from;
  for (;;) {
    let child = 2 * hole + 1;
    if (child >= length) break;
    if (child + 1 < length && before(heap[child + 1] ?? 0, heap[child] ?? 0)) child++;
    const next = heap[child] ?? 0;
    if (!before(next, moved)) break;
    heap[hole] = next;
    hole = child;
  }
  heap[hole] = moved;
}

/** What changed. `F`: what filters look at. */
export interface LoggedChange<V, F> {
  readonly key: string;
  readonly value: V;
  readonly facets: F;
  /** Nothing is there under this key from now on. */
  readonly isGone: boolean;
  /** About what it takes, beside what every change does. */
  readonly bytes: number;
}

/** A change with its place in the order of changes. */
export interface Step<V, F> {
  readonly counter: number;
  readonly key: string;
  readonly value: V;
  readonly facets: F;
  /** What the facets were; undefined for what wasn't there. */
  readonly before: F | undefined;
  /** About what it takes. */
  readonly bytes: number;
}

interface Kept<V, F> {
  readonly counter: number;
  readonly key: string;
  readonly facets: F;
  readonly before: F | undefined;
  /** Undefined once a later change took its place: who comes back gets only the newest of each key. */
  step: Step<V, F> | undefined;
  /** Nobody can need it any more. */
  isOver: boolean;
}

/** Changes that are kept, and their bytes. A change that filters can't see takes the place of its key's last one. */
const KEPT_CHANGES = 20_000;
const KEPT_BYTES = 32 * 1024 * 1024;
/** What each takes beside the bytes that are told. */
const BASE_BYTES = 1_024;

/**
 * Changes in their order, for readers who come back: they get the newest state of what changed since, beside what its
 * facets were when they left. Bounded; the oldest change goes first.
 */
export class ChangeLog<V, F> {
  #kept: Kept<V, F>[] = [];
  /** The first of `#kept` that is not forgotten. */
  #head = 0;
  /** How many of `#kept` somebody could need. */
  #size = 0;
  #bytes = 0;
  #counter = 0;
  /** Up to here changes were forgotten. */
  #forgotten = 0;
  /** The last change of each thing that is there. */
  readonly #newest = new Map<string, Kept<V, F>>();
  /** The last answer: after a cut in the network many come back at once, and from the same position. */
  #answer: { readonly after: number; readonly counter: number; readonly steps: readonly Step<V, F>[] } | undefined;

  constructor(private readonly sameFacets: (a: F, b: F) => boolean) {}

  /** The counter of the latest change. */
  get counter(): number {
    return this.#counter;
  }

  add({ key, value, facets, isGone, bytes }: LoggedChange<V, F>): Step<V, F> {
    const last = this.#newest.get(key);
    const before = last?.facets;
    const counter = ++this.#counter;
    const step = { counter, key, value, facets, before, bytes: bytes + BASE_BYTES };
    const kept: Kept<V, F> = { counter, key, facets, before, step, isOver: false };
    if (last !== undefined) this.#replace(last, facets);
    if (isGone) this.#newest.delete(key);
    else this.#newest.set(key, kept);
    this.#kept.push(kept);
    this.#size++;
    this.#bytes += step.bytes;
    this.#trim();
    return step;
  }

  /** The newest state of each thing that changed since, in the order of changes; undefined when some is forgotten. */
  since(after: number): readonly Step<V, F>[] | undefined {
    if (!Number.isInteger(after) || after < this.#forgotten || after > this.#counter) return undefined;
    if (this.#answer?.after !== after || this.#answer.counter !== this.#counter) {
      this.#answer = { after, counter: this.#counter, steps: this.#newestSince(after) };
    }
    return this.#answer.steps;
  }

  #newestSince(after: number): Step<V, F>[] {
    const before = new Map<string, F | undefined>();
    const newest = new Map<string, Step<V, F>>();
    for (let index = this.#indexAfter(after); index < this.#kept.length; index++) {
      const kept = this.#kept[index];
      if (kept === undefined || kept.isOver) continue;
      if (!before.has(kept.key)) before.set(kept.key, kept.before);
      if (kept.step === undefined) continue;
      newest.delete(kept.key);
      newest.set(kept.key, kept.step);
    }
    return Array.from(newest.values(), (step) => {
      const then = before.get(step.key);
      return then === step.before ? step : { ...step, before: then };
    });
  }

  /** The first index with a later counter; they only grow. */
  #indexAfter(counter: number): number {
    let low = this.#head;
    let high = this.#kept.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#kept[middle]?.counter ?? 0) > counter) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #replace(last: Kept<V, F>, facets: F): void {
    if (last.step === undefined) return;
    this.#bytes -= last.step.bytes;
    last.step = undefined;
    // Where filters saw no difference on either side, whoever comes back from before it misses nothing without it.
    const wasQuiet = last.before !== undefined && this.sameFacets(last.before, last.facets);
    if (!wasQuiet || !this.sameFacets(last.facets, facets)) return;
    last.isOver = true;
    this.#size--;
  }

  #trim(): void {
    while (this.#size > KEPT_CHANGES || this.#bytes > KEPT_BYTES) {
      const oldest = this.#kept[this.#head++];
      if (oldest === undefined || oldest.isOver) continue;
      oldest.isOver = true;
      this.#size--;
      this.#bytes -= oldest.step?.bytes ?? 0;
      oldest.step = undefined;
      this.#forgotten = oldest.counter;
    }
    if (this.#kept.length < 2 * this.#size + 1_000) return;
    this.#kept = this.#kept.filter((kept) => !kept.isOver);
    this.#head = 0;
  }
}

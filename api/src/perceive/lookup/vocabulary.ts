/** Shorter terms are too like each other, longer ones cost too much, to be found with typing errors. */
const LEAST_NEAR_LENGTH = 4;
const MOST_NEAR_LENGTH = 24;
/** From this length on a term may be at a distance of two errors. */
const TWO_ERRORS_LENGTH = 8;

/** Where Chinese and Japanese begin in Unicode. */
const FIRST_IDEOGRAPH = 0x2e80;

/** A term that is like another one. */
export interface Near<T> {
  readonly term: string;
  readonly value: T;
  /** Letters to insert, delete, replace, or exchange with their neighbour. */
  readonly distance: number;
}

/**
 * The terms of an index, found by themselves, by their beginning, and by typing error. Errors are found by symmetric
 * deletion (as SymSpell does): two terms are near when both become the same by leaving out at most one letter each.
 * That takes as many look-ups as the word has letters, however many terms there are, and covers every single error and
 * two errors that make up for each other.
 */
export class Vocabulary<T> {
  readonly #values = new Map<string, T>();
  /** Terms that are found by typing error too. */
  readonly #forgiven = new Set<string>();
  readonly #byBeginning = new Map<string, Set<string>>();
  /** Mostly of one term each. */
  readonly #byShortened = new Map<string, string[]>();

  get(term: string): T | undefined {
    return this.#values.get(term);
  }

  /** The value of a term, made when it is new. `forgiving`: from now on it is found by typing error too. */
  fetch(term: string, forgiving: boolean, make: () => T): T {
    let value = this.#values.get(term);
    if (value === undefined) {
      value = make();
      this.#values.set(term, value);
      this.#enter(term);
    }
    if (forgiving && !this.#forgiven.has(term)) this.#forgive(term);
    return value;
  }

  delete(term: string): void {
    if (!this.#values.delete(term)) return;
    const beginning = beginningOf(term);
    const siblings = this.#byBeginning.get(beginning);
    siblings?.delete(term);
    if (siblings?.size === 0) this.#byBeginning.delete(beginning);
    if (!this.#forgiven.delete(term)) return;
    for (const shortened of shortenedOf(term)) {
      const rest = this.#byShortened.get(shortened)?.filter((other) => other !== term) ?? [];
      if (rest.length === 0) this.#byShortened.delete(shortened);
      else this.#byShortened.set(shortened, rest);
    }
  }

  /** Longer terms that begin so, which must be as long as `beginningOf` makes them; `most` of them. */
  beginningWith(text: string, most: number): Near<T>[] {
    const found: Near<T>[] = [];
    for (const term of this.#byBeginning.get(beginningOf(text)) ?? []) {
      if (found.length >= most) break;
      const value = this.#values.get(term);
      if (value !== undefined && term.length > text.length && term.startsWith(text)) {
        found.push({ term, value, distance: term.length - text.length });
      }
    }
    return found;
  }

  /** Terms at the distance of a typing error, nearest first; `most` of them. */
  near(text: string, most: number): Near<T>[] {
    const found = new Map<string, Near<T>>();
    const allowed = text.length >= TWO_ERRORS_LENGTH ? 2 : 1;
    for (const shortened of shortenedOf(text)) {
      for (const term of this.#byShortened.get(shortened) ?? []) {
        const value = this.#values.get(term);
        if (value === undefined || term === text || found.has(term)) continue;
        const distance = errorsBetween(text, term);
        if (distance <= allowed) found.set(term, { term, value, distance });
      }
    }
    return [...found.values()].sort((a, b) => a.distance - b.distance || (a.term < b.term ? -1 : 1)).slice(0, most);
  }

  #enter(term: string): void {
    const beginning = beginningOf(term);
    const siblings = this.#byBeginning.get(beginning);
    if (siblings === undefined) this.#byBeginning.set(beginning, new Set([term]));
    else siblings.add(term);
  }

  #forgive(term: string): void {
    this.#forgiven.add(term);
    for (const shortened of shortenedOf(term)) {
      const alike = this.#byShortened.get(shortened);
      if (alike === undefined) this.#byShortened.set(shortened, [term]);
      else alike.push(term);
    }
  }
}

/** Terms are kept by their first three letters; ideographic ones, which say more with less, by the first. */
function beginningOf(term: string): string {
  const first = term.codePointAt(0) ?? 0;
  return first >= FIRST_IDEOGRAPH ? String.fromCodePoint(first) : term.slice(0, 3);
}

/** A term as it is, and with each one of its letters left out; nothing for those that no error is looked for in. */
function shortenedOf(term: string): string[] {
  if (term.length < LEAST_NEAR_LENGTH || term.length > MOST_NEAR_LENGTH) return [];
  return [term, ...Array.from(term, (_, at) => term.slice(0, at) + term.slice(at + 1))];
}

/** The optimal string alignment distance (Damerau–Levenshtein without overlapping exchanges). */
function errorsBetween(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const line = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let least = Math.min(
        (above[column] ?? 0) + 1,
        (line[column - 1] ?? 0) + 1,
        (above[column - 1] ?? 0) + (same ? 0 : 1),
      );
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        least = Math.min(least, (before[column - 2] ?? 0) + 1);
      }
      line.push(least);
    }
    before = above;
    above = line;
  }
  return above[b.length] ?? 0;
}

import { STOP_WORDS } from './stop-words.js';
import type { Near, Vocabulary } from './vocabulary.js';
import { stemOf, type Word } from './words.js';

/** A term of the index that may stand for a word of the query, and how well. */
export interface Variant<T> {
  readonly value: T;
  /** 1: the word itself; less for what is only like it. */
  readonly share: number;
}

const SHARES = { transposed: 0.8, border: 0.8, prefix: 0.7, fuzzy: 0.6 };
/** Terms that one word may stand for by its beginning, and as many by a typing error. */
const MAX_LIKE = 12;
const LEAST_TYPO_LENGTH = 4;

/**
 * The terms of an index that stand for a word: the word itself, terms that begin with it, and for less, terms at a
 * distance of a typing error. These count also when the index has the very word: whether it has must not be told to who
 * may not call what the word is of.
 */
export function variantsOf<T>(word: Word, terms: Vocabulary<T>): Variant<T>[] {
  const exact = known([word.term], 1, terms);
  if (exact.length > 0 && word.ideographic) return exact;
  if (word.ideographic) {
    // A single character stands for the words that begin with it, unless it says nothing by itself.
    const single = [...word.raw].length === 1 && !STOP_WORDS.has(word.raw);
    const longer = single ? beginningWith(word.raw, word.term, terms) : [];
    return [...known(word.borders, SHARES.border, terms), ...longer];
  }
  const longer = word.raw.length >= 3 ? beginningWith(word.raw, word.term, terms) : [];
  return [...exact, ...longer, ...mistyped(word, terms)];
}

function beginningWith<T>(beginning: string, exact: string, terms: Vocabulary<T>): Variant<T>[] {
  return (
    terms
      .beginningWith(beginning, MAX_LIKE)
      .filter(({ term }) => term !== exact)
      // The longer the rest, the less it is the same word.
      .map(({ term, value, distance }) => ({
        value,
        share: (SHARES.prefix * term.length) / (term.length + 0.3 * distance),
      }))
  );
}

/** Two letters changed places, or one (of long words two) is wrong, missing or too many. */
function mistyped<T>({ raw, term }: Word, terms: Vocabulary<T>): Variant<T>[] {
  if (raw.length < LEAST_TYPO_LENGTH) return [];
  const near = terms.near(term, MAX_LIKE).map(({ term: like, value, distance }: Near<T>) => ({
    value,
    share: (SHARES.fuzzy * like.length) / (like.length + distance),
  }));
  // Before the stem is taken: an error in the ending hides it.
  return [...known(swapsOf(raw).map(stemOf), SHARES.transposed, terms), ...near];
}

/** Those of some terms that the index has. */
function known<T>(terms: readonly string[], share: number, vocabulary: Vocabulary<T>): Variant<T>[] {
  return terms.flatMap((term) => {
    const value = vocabulary.get(term);
    return value === undefined ? [] : [{ value, share }];
  });
}

/** A word with two neighbouring letters exchanged, at each place. */
function swapsOf(raw: string): string[] {
  return Array.from(
    { length: Math.min(raw.length, MAX_SWAPPED_LENGTH) - 1 },
    (_, at) => `${raw.slice(0, at)}${raw[at + 1]}${raw[at]}${raw.slice(at + 2)}`,
  );
}

const MAX_SWAPPED_LENGTH = 24;

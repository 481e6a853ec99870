import { stemmer } from 'stemmer';
import { STOP_WORDS } from './stop-words.js';

/** A word of what somebody looks for. */
export interface Word {
  /** As written, but in lower case and without accents. */
  readonly raw: string;
  /** What it is indexed under: the stem of an English word, else the word itself. */
  readonly term: string;
  /** Chinese or Japanese, one or two characters: no typing errors are looked for. */
  readonly ideographic: boolean;
  /** Of an ideographic word: the pairs across its borders, for where the dictionary cut what belongs together. */
  readonly borders: readonly string[];
}

/** Letters and digits of any script. */
const RUN = /[\p{L}\p{N}\p{M}々ー]+/gu;
const ASCII = /^[\0-\x7f]*$/;
const ASCII_RUN = /[A-Za-z0-9]+/g;
const IDEOGRAPHIC = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}々ー]+/gu;
/** Where camelCase would have a space: `order|Id`, `HTTP|Server`. */
const CAMEL = /(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g;
const NUMBER = /^\p{N}+$/u;
const ENGLISH = /^[a-z]{3,}$/;
const ACCENTS = /[\u0300-\u036f]/g;

const segmenter = new Intl.Segmenter('zh', { granularity: 'word' });

/**
 * Cuts what is looked for into its words, in their order: at spaces and punctuation, at `. _ -` and inside camelCase;
 * Chinese by the dictionary of the platform. Words that say nothing are left out, and numbers, which are values of
 * parameters; unless nothing else is there.
 */
export function wordsOf(text: string): Word[] {
  const words = runsOf(text).flatMap(({ run, ideographic }) => (ideographic ? segment(run) : [latinWord(run)]));
  const named = telling(words).filter(({ raw }) => !NUMBER.test(raw));
  return named.length > 0 ? named : telling(words);
}

/**
 * The terms that a text is indexed under: its words, and of Chinese every pair of neighbouring characters, so that a
 * word is found whatever way the dictionary would cut the text around it (and indexing needs no dictionary).
 */
export function termsOf(text: string): string[] {
  const latin: Word[] = [];
  const pairs: string[] = [];
  for (const { run, ideographic } of runsOf(text)) {
    if (ideographic) pairs.push(...pairsOf(run));
    else latin.push(latinWord(run));
  }
  return [...telling(latin).map(({ term }) => term), ...pairs];
}

/** A text without all that two spellings of one name may differ in: case, separators, spaces, accents. */
export function compact(text: string): string {
  return plain(text)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
}

/** The term that an English word is indexed under, by Porter's algorithm; other words stand for themselves. */
export function stemOf(raw: string): string {
  if (!ENGLISH.test(raw)) return raw;
  let stem = stems.get(raw);
  if (stem === undefined) {
    stem = stemmer(raw);
    if (stems.size >= MAX_STEMS) stems.clear();
    stems.set(raw, stem);
  }
  return stem;
}

/** Stems of words seen lately: finding one is half of the cost of indexing. */
const stems = new Map<string, string>();
const MAX_STEMS = 20_000;

function telling(words: readonly Word[]): Word[] {
  const found = words.filter(({ raw }) => !STOP_WORDS.has(raw));
  return found.length > 0 ? found : [...words];
}

interface Run {
  readonly run: string;
  readonly ideographic: boolean;
}

function runsOf(text: string): Run[] {
  const runs: Run[] = [];
  const spaced = plain(text).replace(CAMEL, ' ');
  if (ASCII.test(spaced)) {
    for (const [run] of spaced.matchAll(ASCII_RUN)) runs.push({ run: run.toLowerCase(), ideographic: false });
    return runs;
  }
  for (const [run] of spaced.matchAll(RUN)) {
    if (ASCII.test(run)) runs.push({ run: run.toLowerCase(), ideographic: false });
    else runs.push(...scriptsOf(run.toLowerCase()));
  }
  return runs;
}

/** Cuts a run where Chinese or Japanese stands beside another script without a space, as in `查询order状态`. */
function scriptsOf(run: string): Run[] {
  const runs: Run[] = [];
  let from = 0;
  const until = (end: number): void => {
    if (end > from) runs.push({ run: run.slice(from, end), ideographic: false });
  };
  for (const match of run.matchAll(IDEOGRAPHIC)) {
    until(match.index);
    runs.push({ run: match[0], ideographic: true });
    from = match.index + match[0].length;
  }
  until(run.length);
  return runs;
}

function latinWord(raw: string): Word {
  return { raw, term: stemOf(raw), ideographic: false, borders: [] };
}

/** The words of Chinese text by the dictionary, those of three and more characters as their pairs. */
function segment(run: string): Word[] {
  const words = joinSingles(Array.from(segmenter.segment(run), ({ segment: word }) => word));
  return words.flatMap((word, index) => {
    if (STOP_WORDS.has(word)) return [ideographicWord(word, [])];
    const borders = [pairOf(words[index - 1]?.at(-1), word.at(0)), pairOf(word.at(-1), words[index + 1]?.at(0))];
    return pairsOf(word).map((pair) => ideographicWord(pair, borders.flat()));
  });
}

/** Characters that the dictionary leaves alone, one after the other, are taken as a word that it lacks. */
function joinSingles(words: readonly string[]): string[] {
  const joined: string[] = [];
  let joins = false;
  for (const word of words) {
    const single = lengthOf(word) === 1 && !STOP_WORDS.has(word);
    if (single && joins) joined[joined.length - 1] += word;
    else joined.push(word);
    joins = single;
  }
  return joined;
}

/** Pairs of neighbouring characters; of a single character itself. */
function pairsOf(run: string): string[] {
  const characters = [...run];
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

const pairOf = (first: string | undefined, second: string | undefined): string[] =>
  first === undefined || second === undefined ? [] : [first + second];

const lengthOf = (word: string): number => [...word].length;

function ideographicWord(raw: string, borders: readonly string[]): Word {
  return { raw, term: raw, ideographic: true, borders };
}

/** One form for full-width letters, ligatures and the like; without accents. */
function plain(text: string): string {
  return ASCII.test(text) ? text : text.normalize('NFKD').replace(ACCENTS, '').normalize('NFKC');
}

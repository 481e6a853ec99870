import { isAction } from './action-words.js';
import type { Document } from './document.js';
import { byRank, type Ranked, Ranking } from './ranking.js';
import { Sums } from './sums.js';
import { variantsOf } from './variants.js';
import { Vocabulary } from './vocabulary.js';
import { compact, type Word, wordsOf } from './words.js';

/** Where a term stands: documents by their slot, and beside each how. Lists of numbers, because many are read. */
interface Posting {
  readonly slots: number[];
  readonly weights: number[];
  readonly strengths: number[];
}

/** Words of a text that are looked for, as many as a number has bits; what comes after them is left out. */
const MAX_WORDS = 32;
const ALL_WORDS = 0xffff_ffff;
/** That of a word in the description, or better. */
const FORGIVING_STRENGTH = 0.7;
/** So many characters of a text take as much memory as a document in a ranking. */
const CHARACTERS_OF_A_DOCUMENT = 16;
/** Documents in rankings that are remembered, for texts asked again. */
const MAX_REMEMBERED = 50_000;

/**
 * The words of one namespace's capabilities, ranked by BM25 with a weight for each field (Robertson and Zaragoza, "The
 * Probabilistic Relevance Framework", 2009). One index for a namespace, because how rare a word is must not tell what
 * other namespaces have.
 */
export class TextIndex {
  readonly #terms = new Vocabulary<Posting>();
  readonly #slots = new Map<Document, number>();
  readonly #documents: (Document | undefined)[] = [];
  readonly #free: number[] = [];
  /** Documents by each of their names, as `compact` spells it. */
  readonly #called = new Map<string, Set<Document>>();
  readonly #remembered = new Map<string, Ranking>();
  #rememberedSize = 0;

  add(document: Document): void {
    const slot = this.#free.pop() ?? this.#documents.length;
    this.#documents[slot] = document;
    this.#slots.set(document, slot);
    for (const [term, { weight, strength }] of document.terms) {
      // Typing errors are forgiven in what people write for people, not in the names of parameters.
      const posting = this.#terms.fetch(term, strength >= FORGIVING_STRENGTH, newPosting);
      posting.slots.push(slot);
      posting.weights.push(weight);
      posting.strengths.push(strength);
    }
    for (const name of namesOf(document)) {
      const called = this.#called.get(name);
      if (called === undefined) this.#called.set(name, new Set([document]));
      else called.add(document);
    }
    this.#forget();
  }

  remove(document: Document): void {
    const slot = this.#slots.get(document);
    if (slot === undefined) return;
    for (const term of document.terms.keys()) this.#removeFrom(term, slot);
    for (const name of namesOf(document)) {
      const called = this.#called.get(name);
      called?.delete(document);
      if (called?.size === 0) this.#called.delete(name);
    }
    this.#slots.delete(document);
    this.#documents[slot] = undefined;
    this.#free.push(slot);
    this.#forget();
  }

  rank(text: string): Ranking {
    const known = this.#remembered.get(text);
    if (known !== undefined) return known;
    const ranking = this.#rank(text);
    this.#remember(text, ranking);
    return ranking;
  }

  #removeFrom(term: string, slot: number): void {
    const posting = this.#terms.get(term);
    const at = posting?.slots.indexOf(slot) ?? -1;
    if (posting === undefined || at === -1) return;
    for (const list of [posting.slots, posting.weights, posting.strengths]) {
      const last = list.pop();
      if (last !== undefined && at < list.length) list[at] = last;
    }
    if (posting.slots.length === 0) this.#terms.delete(term);
  }

  #rank(text: string): Ranking {
    const words = distinct(wordsOf(text)).slice(0, MAX_WORDS);
    const sums = new Sums(this.#documents.length);
    for (const word of words) this.#addHits(word, sums);
    const documents: Document[] = [];
    const scores = new Float64Array(sums.found.length);
    const fits = new Float64Array(sums.found.length);
    const answered = new Uint32Array(sums.found.length);
    for (const slot of sums.found) {
      const document = this.#documents[slot];
      if (document === undefined) continue;
      const fit = (sums.strengths[slot] ?? 0) / words.length;
      // Answering all that was asked counts more than answering one part of it thoroughly.
      scores[documents.length] = (sums.scores[slot] ?? 0) * fit;
      fits[documents.length] = fit;
      answered[documents.length] = sums.answered[slot] ?? 0;
      documents.push(document);
    }
    let actions = 0;
    for (const [index, { term }] of words.entries()) if (isAction(term)) actions |= 1 << index;
    return new Ranking(this.#exact(text, sums), { documents, scores, fits, answered, actions });
  }

  #exact(text: string, sums: Sums): Ranked[] {
    const name = compact(text);
    return Array.from(this.#called.get(name) ?? [], (document): Ranked => {
      const score = sums.scores[this.#slots.get(document) ?? 0] ?? 0;
      const exact = document.compactName === name ? 2 : 1;
      return { document, exact, score, fit: 1, answered: ALL_WORDS, action: 'NONE' };
    }).sort(byRank);
  }

  #addHits(word: Word, sums: Sums): void {
    sums.nextWord();
    const action = isAction(word.term);
    for (const { value, share } of variantsOf(word, this.#terms)) {
      const { slots, weights, strengths } = value;
      const rarity = Math.log(1 + (this.#slots.size - slots.length + 0.5) / (slots.length + 0.5));
      // "add" is no "address": whoever asks for an action gets that one.
      const answers = share === 1 || !action;
      for (let at = 0; at < slots.length; at++) {
        sums.hit(slots[at] ?? 0, share * rarity * (weights[at] ?? 0), share * (strengths[at] ?? 0), answers);
      }
    }
  }

  #remember(text: string, ranking: Ranking): void {
    const size = sizeOf(text, ranking);
    for (const [oldest, known] of this.#remembered) {
      if (this.#rememberedSize + size <= MAX_REMEMBERED) break;
      this.#remembered.delete(oldest);
      this.#rememberedSize -= sizeOf(oldest, known);
    }
    this.#remembered.set(text, ranking);
    this.#rememberedSize += size;
  }

  #forget(): void {
    if (this.#rememberedSize === 0) return;
    this.#remembered.clear();
    this.#rememberedSize = 0;
  }
}

/** What a remembered ranking takes, in documents: a text takes memory too, though nothing may fit it. */
function sizeOf(text: string, ranking: Ranking): number {
  return ranking.size + 1 + Math.ceil(text.length / CHARACTERS_OF_A_DOCUMENT);
}

const newPosting = (): Posting => ({ slots: [], weights: [], strengths: [] });

function namesOf({ compactName, compactAliases }: Document): Set<string> {
  return new Set([compactName, ...compactAliases]);
}

function distinct(words: readonly Word[]): Word[] {
  return [...new Map(words.map((word) => [word.term, word])).values()];
}

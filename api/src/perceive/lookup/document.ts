import { createHash } from 'node:crypto';
import type { FoundCapability } from '@agent-reach/sdk/protocol';
import type { CapabilityRecord } from '../model.js';
import { schemaTexts } from './schema-words.js';
import { compact, termsOf } from './words.js';

/** The texts of a capability that are searched. */
export const FIELDS = ['name', 'aliases', 'tags', 'description', 'schema'] as const;
export type Field = (typeof FIELDS)[number];

/** How a term stands in a document. */
export interface TermPlace {
  /** What it is worth there, from 0 to 1, before its rarity counts: the saturated sum over the fields. */
  readonly weight: number;
  /** How much a hit tells of what the capability is for, 0 to 1: that of the most telling field. */
  readonly strength: number;
}

/** One capability as somebody describes it, ready to be indexed. Equal descriptions of several agents are one. */
export interface Document {
  readonly key: string;
  readonly name: string;
  readonly tags: readonly string[];
  /** What its finder gets, without the score. */
  readonly shown: Omit<FoundCapability, 'score'>;
  readonly compactName: string;
  readonly compactAliases: readonly string[];
  readonly terms: ReadonlyMap<string, TermPlace>;
}

interface FieldWeight {
  readonly boost: number;
  readonly strength: number;
  /** A usual length in terms, by which longer ones weigh less. Fixed, so that a document's weights depend on it alone. */
  readonly usualLength: number;
  /** Terms that are taken at most: a registration comes from strangers, and must not take long to index. */
  readonly mostTerms: number;
}

const WEIGHTS: Readonly<Record<Field, FieldWeight>> = {
  name: { boost: 4, strength: 1, usualLength: 3, mostTerms: 16 },
  aliases: { boost: 3.5, strength: 1, usualLength: 6, mostTerms: 64 },
  tags: { boost: 3, strength: 1, usualLength: 4, mostTerms: 64 },
  description: { boost: 1.5, strength: 0.7, usualLength: 16, mostTerms: 120 },
  schema: { boost: 0.6, strength: 0.4, usualLength: 16, mostTerms: 60 },
};

/** k1 of BM25: how soon more of the same word counts no more. */
const SATURATION = 1.2;
/** b of BM25: how far a long text weighs less. */
const LENGTH_SHARE = 0.5;
/** Characters of a description that can be found; what says when to use it stands at its beginning. */
const MAX_DESCRIPTION = 1_000;
/** Larger schemas are not sent along with what was found. */
const MAX_SHOWN_SCHEMA = 8 * 1024;

/** Identifies a description: equal content gives the same key. */
export function documentKey(record: CapabilityRecord): string {
  const { uid: _, cacheTtlMs: __, callerIndependent: _____, sensitive: ___, headers: ____, ...described } = record;
  return createHash('sha256').update(JSON.stringify(described)).digest('base64');
}

export function createDocument(key: string, namespace: string, record: CapabilityRecord): Document {
  const { name, aliases, description, tags, idempotent, mode, inputSchema, outputSchema } = record;
  const fields: Readonly<Record<Field, readonly string[]>> = {
    name: termsOf(name),
    aliases: aliases.flatMap(termsOf),
    tags: tags.flatMap(termsOf),
    description: termsOf(description.slice(0, MAX_DESCRIPTION)),
    schema: termsOf(`${schemaTexts(inputSchema)}\n${schemaTexts(outputSchema)}`),
  };
  const isShown = JSON.stringify(inputSchema).length <= MAX_SHOWN_SCHEMA;
  return {
    key,
    name,
    tags,
    shown: {
      namespace,
      capability: name,
      aliases,
      description,
      tags,
      idempotent,
      mode,
      ...(isShown ? { inputSchema } : {}),
    },
    compactName: compact(name),
    compactAliases: aliases.map(compact),
    terms: placesOf(fields),
  };
}

function placesOf(fields: Readonly<Record<Field, readonly string[]>>): Map<string, TermPlace> {
  const places = new Map<string, { weight: number; strength: number }>();
  for (const field of FIELDS) {
    const { boost, strength, usualLength, mostTerms } = WEIGHTS[field];
    const terms = fields[field].slice(0, mostTerms);
    const each = boost / (1 - LENGTH_SHARE + LENGTH_SHARE * Math.max(1, terms.length / usualLength));
    for (const term of terms) {
      const place = places.get(term);
      if (place === undefined) places.set(term, { weight: each, strength });
      else {
        place.weight += each;
        place.strength = Math.max(place.strength, strength);
      }
    }
  }
  for (const place of places.values()) place.weight /= place.weight + SATURATION;
  return places;
}

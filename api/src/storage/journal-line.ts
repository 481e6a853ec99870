import { createHash } from 'node:crypto';
import type { AuditRecord } from '@agent-reach/sdk/protocol';
import { printCall } from './call-line.js';
import { jsonDigest } from './json-digest.js';

/** Longest line, newline included, in bytes. */
export const MAX_LINE_BYTES = 65_536;

/** Deeper JSON could exhaust Postgres's stack, and one such entry would hold up all that follow. */
const MAX_DEPTH = 500;

/** Longest text kept of a field of a record that is too large even without its details. */
const CLIPPED_LENGTH = 512;

/** What JSON.stringify writes as an escape begins with this; looking for it costs a tenth of the expression below. */
const ESCAPE = '\\u';

/** Escapes that Postgres's jsonb refuses: NUL and halves of surrogate pairs. A match may be a false alarm. */
const SUSPICIOUS = /\\u(?:0000|d[89a-f])/i;

/**
 * One journal line: JSON and a newline, at most 64 KiB, that Postgres can store. Details that are too large or too deep
 * are replaced by a mark, with the size and hash of the record. Never throws.
 */
export function journalLine(record: AuditRecord): string {
  const printed = printCall(record);
  // Nothing in it is deep, and its size is out of question unless an id is very long.
  if (printed !== undefined && printed.length < MAX_LINE_BYTES) return `${printed}\n`;
  const text = stringify(record);
  if (text !== undefined && fits(text, record)) return `${text}\n`;
  const digest = text === undefined ? jsonDigest(record) : undefined;
  const details = {
    truncated: true,
    bytes: text === undefined ? (digest?.bytes ?? null) : Buffer.byteLength(text),
    sha256: text === undefined ? (digest?.sha256 ?? null) : createHash('sha256').update(text).digest('hex'),
  };
  const rest = { ...record, details };
  const shortened = stringify(rest);
  if (shortened !== undefined && fits(shortened, rest)) return `${shortened}\n`;
  return `${JSON.stringify(clipped(rest))}\n`;
}

function stringify(record: AuditRecord): string | undefined {
  try {
    const text = JSON.stringify(record);
    return text.includes(ESCAPE) && SUSPICIOUS.test(text) ? JSON.stringify(wellFormed(record)) : text;
  } catch {
    // A circle, a BigInt, or too deep for the stack.
    return undefined;
  }
}

function fits(text: string, record: AuditRecord): boolean {
  // Three bytes for one UTF-16 unit at most: most lines need not be measured.
  if (text.length * 3 >= MAX_LINE_BYTES && Buffer.byteLength(text) >= MAX_LINE_BYTES) return false;
  // Each level takes two characters at least, so that an ordinary line need not be walked.
  return text.length < 2 * MAX_DEPTH || !isDeeper(record, MAX_DEPTH);
}

/** Whether objects and arrays nest more than so many levels. Asking the value is far cheaper than reading its JSON. */
function isDeeper(value: object, levels: number): boolean {
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((inner) => isBranch(inner) && isDeeper(inner, levels - 1));
  for (const key in value) {
    const inner: unknown = value[key as keyof typeof value];
    if (isBranch(inner) && isDeeper(inner, levels - 1)) return true;
  }
  return false;
}

function isBranch(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** The same value with U+FFFD in place of what Postgres cannot store, in keys too. */
function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return wellFormedText(value);
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [wellFormedText(key), wellFormed(inner)]));
}

function wellFormedText(text: string): string {
  // With the u flag a surrogate class matches halves only, never a proper pair.
  return text.replace(/[\0\p{Surrogate}]/gu, '\uFFFD');
}

function clipped(record: AuditRecord): unknown {
  const clip = (value: unknown): unknown =>
    typeof value === 'string' ? wellFormedText(value.slice(0, CLIPPED_LENGTH)) : value;
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, clip(value)]));
}

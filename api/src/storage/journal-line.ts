import { createHash } from 'node:crypto';
import type { AuditRecord } from '@agent-reach/sdk/protocol';

/** Longest line, newline included, in bytes. */
export const MAX_LINE_BYTES = 65_536;

/** Deeper JSON could exhaust Postgres's stack, and one such entry would hold up all that follow. */
const MAX_DEPTH = 100;

/** Longest text kept of a field of a record that is too large even without its details. */
const CLIPPED_LENGTH = 512;

/** Escapes that Postgres's jsonb refuses: NUL and halves of surrogate pairs. A match may be a false alarm. */
const SUSPICIOUS = /\\u(?:0000|d[89a-f])/i;

/**
 * One journal line: JSON and a newline, at most 64 KiB, that Postgres can store. Details that are too large or too deep
 * are replaced by their size and hash and a mark. Never throws.
 */
export function journalLine(record: AuditRecord): string {
  const text = stringify(record);
  if (text !== undefined && fits(text)) return `${text}\n`;
  const details = {
    truncated: true,
    bytes: text === undefined ? null : Buffer.byteLength(text),
    sha256: text === undefined ? null : createHash('sha256').update(text).digest('hex'),
  };
  const shortened = stringify({ ...record, details });
  if (shortened !== undefined && fits(shortened)) return `${shortened}\n`;
  return `${JSON.stringify(clipped({ ...record, details }))}\n`;
}

function stringify(record: AuditRecord): string | undefined {
  try {
    const text = JSON.stringify(record);
    return SUSPICIOUS.test(text) ? JSON.stringify(wellFormed(record)) : text;
  } catch {
    // A circle, a BigInt, or too deep for the stack.
    return undefined;
  }
}

function fits(text: string): boolean {
  // Three bytes for one UTF-16 unit at most: most lines need not be measured.
  if (text.length * 3 >= MAX_LINE_BYTES && Buffer.byteLength(text) >= MAX_LINE_BYTES) return false;
  return text.length < 2 * MAX_DEPTH || depthOf(text) <= MAX_DEPTH;
}

function depthOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let i = 0; i < json.length; i += 1) {
    const unit = json.charCodeAt(i);
    if (inString) {
      if (unit === BACKSLASH) i += 1;
      else if (unit === QUOTE) inString = false;
    } else if (unit === QUOTE) {
      inString = true;
    } else if (unit === BRACE || unit === BRACKET) {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (unit === BRACE + 2 || unit === BRACKET + 2) {
      depth -= 1;
    }
  }
  return deepest;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BRACKET = 0x5b;
const BRACE = 0x7b;

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

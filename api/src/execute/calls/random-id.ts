import { randomBytes } from 'node:crypto';

const DIGITS = 32;
const BATCH = 256;
let pool = '';
let offset = 0;

/** 128 unguessable bits as 32 hex digits. Entropy is drawn and printed for 256 ids at once, which makes one cheap. */
export function randomId(): string {
  return randomDigits(DIGITS);
}

/** So many unguessable hex digits, at most 32. */
export function randomDigits(count: number): string {
  if (offset + count > pool.length) {
    pool = randomBytes((BATCH * DIGITS) / 2).toString('hex');
    offset = 0;
  }
  const from = offset;
  offset += count;
  return pool.slice(from, offset);
}

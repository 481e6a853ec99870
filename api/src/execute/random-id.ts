import { randomFillSync } from 'node:crypto';

const BYTES = 16;
const pool = Buffer.alloc(256 * BYTES);
let offset = pool.length;

/** 128 unguessable bits as 32 hex digits. Entropy is drawn for 256 ids at once, which makes one cheap. */
export function randomId(): string {
  if (offset === pool.length) {
    randomFillSync(pool);
    offset = 0;
  }
  const id = pool.toString('hex', offset, offset + BYTES);
  offset += BYTES;
  return id;
}

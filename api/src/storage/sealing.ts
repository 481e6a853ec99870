import { createCipheriv, createDecipheriv, hkdfSync, randomFillSync } from 'node:crypto';

/** Encrypts what is stored and opens it again. What was changed, or moved to another place, does not open. */
export interface Sealer {
  /** `place`: what the sealed content belongs to, such as the key of its row; it opens only with the same. */
  seal(content: string | Buffer, place: string): Buffer;
  /** Throws an Error for content that was not sealed with this key and purpose for this place. */
  open(sealed: Uint8Array, place: string): Buffer;
}

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const PREFIX_BYTES = 8;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Format, then nonce, then content, then tag. */
const FORMAT = 1;
const OVERHEAD = 1 + NONCE_BYTES + TAG_BYTES;
const NONCES_A_PREFIX = 2 ** 32;

/**
 * Authenticated encryption under a key of its own, derived from the server key (HKDF-SHA-256, RFC 5869).
 *
 * @param purpose what is sealed, such as `claims`: what one purpose sealed, another can't open
 */
export function createSealer(serverKey: Buffer, purpose: string): Sealer {
  const key = Buffer.from(hkdfSync('sha256', serverKey, '', `agent-reach sealing ${purpose}`, KEY_BYTES));
  // A nonce must never come twice. Random ones alone would after some 2^32 contents be too likely to; a random prefix
  // for each run and a counter go on for ever, and need no new random bytes for each content.
  const nonce = Buffer.allocUnsafeSlow(NONCE_BYTES);
  let next = NONCES_A_PREFIX;

  return {
    seal(content, place) {
      if (next === NONCES_A_PREFIX) {
        randomFillSync(nonce, 0, PREFIX_BYTES);
        next = 0;
      }
      nonce.writeUInt32BE(next++, PREFIX_BYTES);
      const cipher = createCipheriv(CIPHER, key, nonce);
      cipher.setAAD(Buffer.from(place));
      const body = typeof content === 'string' ? cipher.update(content, 'utf8') : cipher.update(content);
      // GCM is a stream cipher: nothing is left for the end.
      cipher.final();
      const sealed = Buffer.allocUnsafe(OVERHEAD + body.length);
      sealed[0] = FORMAT;
      nonce.copy(sealed, 1);
      body.copy(sealed, 1 + NONCE_BYTES);
      cipher.getAuthTag().copy(sealed, 1 + NONCE_BYTES + body.length);
      return sealed;
    },

    open(sealed, place) {
      const buffer = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
      if (buffer.length < OVERHEAD || buffer[0] !== FORMAT) throw new Error('this was not sealed in a known format');
      const end = buffer.length - TAG_BYTES;
      const decipher = createDecipheriv(CIPHER, key, buffer.subarray(1, 1 + NONCE_BYTES), { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(place));
      decipher.setAuthTag(buffer.subarray(end));
      try {
        return Buffer.concat([decipher.update(buffer.subarray(1 + NONCE_BYTES, end)), decipher.final()]);
      } catch (error) {
        throw new Error('this was sealed with another key, for another place, or was changed since', { cause: error });
      }
    },
  };
}

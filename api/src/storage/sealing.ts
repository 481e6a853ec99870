import {
  type Cipher,
  createCipheriv,
  createDecipheriv,
  hash,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/** Encrypts what is stored and opens it again. What was changed, or moved to another place, does not open. */
export interface Sealer {
  /** `place`: what the sealed content belongs to, such as the key of its row; it opens only with the same. */
  seal(content: string | Buffer, place: string): Buffer;
  /** Throws an Error for content that was not sealed with this key and purpose for this place. */
  open(sealed: Uint8Array, place: string): Buffer;
}

const CIPHER = 'aes-256-ctr';
const KEY_BYTES = 32;
const PREFIX_BYTES = 8;
const COUNTER_BYTES = 16;
const BLOCK_BYTES = 16;
const TAG_BYTES = 16;
/** Format, then the first counter block, then the encrypted content, then the tag. 1 was AES-256-GCM, which is not read any more. */
const FORMAT = 2;
const OVERHEAD = 1 + COUNTER_BYTES + TAG_BYTES;
/** Blocks that are encrypted under one prefix before another is drawn: 64 GiB. */
const BLOCKS_A_PREFIX = 2 ** 32;

/**
 * Authenticated encryption under keys of its own, derived from the server key (HKDF-SHA-256, RFC 5869): AES-256 in
 * counter mode, then a tag over all of it, SHA3-256(key ‖ place ‖ sealed), which needs no HMAC because SHA-3 can't be
 * extended (Keccak, section 5.3 of NIST SP 800-185 builds KMAC on the same).
 *
 * One keystream runs through everything that a process seals, so that no two contents ever share a piece of it. That is
 * also why it isn't GCM: Node makes a cipher object for each content there, which costs more than the encryption, in a
 * path that every call to what is not idempotent takes.
 *
 * @param purpose what is sealed, such as `claims`: what one purpose sealed, another can't open
 */
export function createSealer(serverKey: Buffer, purpose: string): Sealer {
  const derive = (use: string) =>
    Buffer.from(hkdfSync('sha256', serverKey, '', `agent-reach sealing ${purpose} ${use}`, KEY_BYTES));
  const key = derive('encryption');
  const tagKey = derive('tag');
  const stream = new Keystream(key);
  let scratch = Buffer.allocUnsafeSlow(4_096);

  /** Of a sealed content without its tag. The length of the place comes first, so that no two inputs are the same text. */
  const tagOf = (sealed: Buffer, place: string): Buffer => {
    const most = KEY_BYTES + 4 + place.length * 3 + sealed.length;
    if (most > scratch.length) scratch = Buffer.allocUnsafeSlow(most * 2);
    tagKey.copy(scratch);
    const placeBytes = scratch.write(place, KEY_BYTES + 4, 'utf8');
    scratch.writeUInt32BE(placeBytes, KEY_BYTES);
    const at = KEY_BYTES + 4 + placeBytes;
    sealed.copy(scratch, at);
    return hash('sha3-256', scratch.subarray(0, at + sealed.length), 'buffer').subarray(0, TAG_BYTES);
  };

  return {
    seal(content, place) {
      const length = typeof content === 'string' ? Buffer.byteLength(content) : content.length;
      const sealed = Buffer.allocUnsafe(OVERHEAD + length);
      sealed[0] = FORMAT;
      stream.encrypt(content, length, sealed, 1);
      const end = sealed.length - TAG_BYTES;
      tagOf(sealed.subarray(0, end), place).copy(sealed, end);
      return sealed;
    },

    open(bytes, place) {
      const sealed = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      if (sealed.length < OVERHEAD || sealed[0] !== FORMAT) throw new Error('this was not sealed in a known format');
      const end = sealed.length - TAG_BYTES;
      if (!timingSafeEqual(tagOf(sealed.subarray(0, end), place), sealed.subarray(end))) {
        throw new Error('this was sealed with another key, for another place, or was changed since');
      }
      const counter = sealed.subarray(1, 1 + COUNTER_BYTES);
      return createDecipheriv(CIPHER, key, counter).update(sealed.subarray(1 + COUNTER_BYTES, end));
    },
  };
}

/** The keystream of one process: 8 random bytes, drawn anew when it wears out, and the number of the block. */
class Keystream {
  #prefix = Buffer.alloc(PREFIX_BYTES);
  #cipher: Cipher | undefined;
  #block = 0;
  #plain = Buffer.alloc(4_096);

  constructor(private readonly key: Buffer) {}

  /** Writes the counter of the first block and the encrypted content into `target`, from `at` on. */
  encrypt(content: string | Buffer, length: number, target: Buffer, at: number): void {
    const blocks = Math.ceil(length / BLOCK_BYTES);
    const cipher = this.#cipherFor(blocks);
    this.#prefix.copy(target, at);
    // 64 bits, of which the upper half is never needed.
    target.writeUInt32BE(0, at + PREFIX_BYTES);
    target.writeUInt32BE(this.#block, at + PREFIX_BYTES + 4);
    const whole = blocks * BLOCK_BYTES;
    if (whole > this.#plain.length) this.#plain = Buffer.alloc(whole * 2);
    if (typeof content === 'string') this.#plain.write(content, 0, 'utf8');
    else content.copy(this.#plain);
    // Whole blocks, so that the next content begins with one.
    cipher.update(this.#plain.subarray(0, whole)).copy(target, at + COUNTER_BYTES, 0, length);
    this.#plain.fill(0, 0, whole);
    this.#block += blocks;
  }

  #cipherFor(blocks: number): Cipher {
    if (this.#cipher !== undefined && this.#block + blocks < BLOCKS_A_PREFIX) return this.#cipher;
    this.#prefix = randomBytes(PREFIX_BYTES);
    this.#block = 0;
    this.#cipher = createCipheriv(
      CIPHER,
      this.key,
      Buffer.concat([this.#prefix, Buffer.alloc(BLOCK_BYTES - PREFIX_BYTES)]),
    );
    return this.#cipher;
  }
}

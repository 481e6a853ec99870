const TEXT_OID = 25;
const BYTEA_OID = 17;
const HEADER_BYTES = 20;
const EMPTY_BYTES = 12;
const LENGTH_BYTES = 4;
/** UTF-8 takes at most so many bytes for one UTF-16 unit. */
const BYTES_A_UNIT = 3;
/** What a rare large batch made it grow to is given back. */
const KEPT_BYTES = 256 * 1024;
const FIRST_BYTES = 4_096;

/**
 * An array as Postgres takes it in binary form (array_recv): one pass over the texts, where the driver's own text form
 * escapes each and Postgres parses it again. Its memory is used again by the next array.
 */
class ArrayParameter {
  #buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #at = HEADER_BYTES;
  #count = 0;

  constructor(private readonly oid: number) {}

  clear(): void {
    if (this.#buffer.length > KEPT_BYTES) this.#buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
    this.#at = HEADER_BYTES;
    this.#count = 0;
  }

  addText(text: string): void {
    const from = this.#reserve(text.length * BYTES_A_UNIT);
    const bytes = this.#buffer.write(text, from, 'utf8');
    this.#close(from, bytes);
  }

  addBytes(bytes: Buffer): void {
    const from = this.#reserve(bytes.length);
    bytes.copy(this.#buffer, from);
    this.#close(from, bytes.length);
  }

  /** What the driver sends: valid until the next `clear`. */
  get value(): Buffer {
    const buffer = this.#buffer;
    const empty = this.#count === 0;
    buffer.writeInt32BE(empty ? 0 : 1, 0);
    buffer.writeInt32BE(0, 4);
    buffer.writeInt32BE(this.oid, 8);
    buffer.writeInt32BE(this.#count, 12);
    buffer.writeInt32BE(1, 16);
    return buffer.subarray(0, empty ? EMPTY_BYTES : this.#at);
  }

  /** Makes room for an element; answers where its bytes go. */
  #reserve(bytes: number): number {
    const from = this.#at + LENGTH_BYTES;
    if (from + bytes > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(this.#buffer.length * 2, from + bytes));
      this.#buffer.copy(larger, 0, 0, this.#at);
      this.#buffer = larger;
    }
    return from;
  }

  #close(from: number, bytes: number): void {
    this.#buffer.writeInt32BE(bytes, this.#at);
    this.#at = from + bytes;
    this.#count++;
  }
}

/** A `text[]` parameter. */
export class TextArray extends ArrayParameter {
  constructor() {
    super(TEXT_OID);
  }
}

/** A `bytea[]` parameter. */
export class BytesArray extends ArrayParameter {
  constructor() {
    super(BYTEA_OID);
  }
}

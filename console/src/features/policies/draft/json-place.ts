const STRING = /"(?:[^"\\\p{Cc}]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const SPACE = /[ \t\r\n]*/y;

/**
 * Where a text stops being JSON, or undefined when it is JSON. Engines don't tell: V8 names a position only for some
 * of its complaints.
 */
export function faultyPlace(text: string): number | undefined {
  const reader = new Reader(text);
  return reader.value() && reader.isOver() ? undefined : reader.at;
}

class Reader {
  at = 0;

  constructor(private readonly text: string) {
    this.take(SPACE);
  }

  isOver(): boolean {
    return this.at === this.text.length;
  }

  /** Reads a value and the space behind it; false leaves `at` where it went wrong. */
  value(): boolean {
    if (this.symbol('{')) return this.symbol('}') || this.members(() => this.member(), '}');
    if (this.symbol('[')) return this.symbol(']') || this.members(() => this.value(), ']');
    return this.scalar(STRING) || this.scalar(SCALAR);
  }

  private member(): boolean {
    return this.scalar(STRING) && this.symbol(':') && this.value();
  }

  private members(one: () => boolean, end: string): boolean {
    do {
      if (!one()) return false;
    } while (this.symbol(','));
    return this.symbol(end);
  }

  private scalar(pattern: RegExp): boolean {
    return this.take(pattern) && this.take(SPACE);
  }

  private symbol(character: string): boolean {
    if (this.text[this.at] !== character) return false;
    this.at += 1;
    return this.take(SPACE);
  }

  private take(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found === null) return false;
    this.at += found[0].length;
    return true;
  }
}

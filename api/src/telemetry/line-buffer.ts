/** Collects the lines of one tick and hands them on together: one system call instead of one for each line. */
export class LineBuffer {
  readonly #write: (text: string) => unknown;
  #text = '';
  #scheduled: NodeJS.Immediate | undefined;

  constructor(write: (text: string) => unknown) {
    this.#write = write;
  }

  write(line: string): void {
    this.#text += line;
    this.#scheduled ??= setImmediate(() => this.flush());
  }

  /** Hands on what is left; needed before the process exits. */
  flush(): void {
    clearImmediate(this.#scheduled);
    this.#scheduled = undefined;
    const text = this.#text;
    this.#text = '';
    if (text !== '') this.#write(text);
  }
}

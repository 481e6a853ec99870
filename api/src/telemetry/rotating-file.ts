import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** A log file that is put aside as `<file>.1` when it has grown to `maxBytes`, so that two of them are kept at most. */
export class RotatingFile {
  readonly #file: string;
  readonly #maxBytes: number;
  #fd: number;
  #bytes: number;

  constructor(file: string, maxBytes = 20_000_000) {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    this.#file = file;
    this.#maxBytes = maxBytes;
    this.#fd = openSync(file, 'a', 0o600);
    this.#bytes = fstatSync(this.#fd).size;
  }

  /** Appends whole lines. What cannot be written, at a full disk, is lost: logging must not stop the server. */
  write(lines: string): void {
    try {
      if (this.#bytes >= this.#maxBytes) this.#rotate();
      this.#bytes += writeSync(this.#fd, lines);
    } catch {
      // Nobody is left to tell.
    }
  }

  close(): void {
    closeSync(this.#fd);
  }

  #rotate(): void {
    renameSync(this.#file, `${this.#file}.1`);
    const fd = openSync(this.#file, 'a', 0o600);
    closeSync(this.#fd);
    this.#fd = fd;
    this.#bytes = 0;
  }
}

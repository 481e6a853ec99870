import { closeSync, constants, fstatSync, mkdirSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

const { O_APPEND, O_CREAT, O_RDWR, O_TRUNC } = constants;
const LINE_FEED = 0x0a;
/** Characters that are written at once. */
const CHUNK = 1_000_000;

/**
 * A file of lines that several processes append to, and each of which may put a new one in its place: a successor starts
 * while the old process still drains. A line is in the file that stands at the path when `append` returns, and what others
 * appended is read in by `catchUp`. Everything throws what the file system throws.
 */
export class SharedFile {
  /** Characters of the file, roughly. */
  size = 0;
  private descriptor: number | undefined;
  /** Bytes of it that were read in or written by this process. */
  private offset = 0;
  /** The last line was torn by the end of a process: what is appended must not become a part of it. */
  private torn = false;

  constructor(
    private readonly path: string,
    private readonly take: (line: string) => void,
  ) {}

  /** Lets go of the file; a later use takes it up again. */
  close(): void {
    if (this.descriptor !== undefined) closeSync(this.descriptor);
    this.descriptor = undefined;
    this.offset = 0;
    this.size = 0;
    this.torn = false;
  }

  /** Reads in what other processes appended, from the file that one of them may have put in its place. False: none there. */
  catchUp(): boolean {
    if (this.descriptor !== undefined && isReplaced(this.descriptor)) this.close();
    this.descriptor ??= openExisting(this.path);
    if (this.descriptor === undefined) return false;
    this.readIn(this.descriptor);
    return true;
  }

  append(line: string): void {
    // Another process may put a new file in its place between the look and the write.
    do {
      this.catchUp();
      this.descriptor ??= this.create();
      const text = this.torn ? `\n${line}` : line;
      const bytes = writeWhole(this.descriptor, text);
      this.size += text.length;
      // Where somebody else wrote too, all of it is read in later, this line once more.
      if (fstatSync(this.descriptor).size === this.offset + bytes) this.offset += bytes;
    } while (isReplaced(this.descriptor));
  }

  /**
   * Puts a new file with `lines` in its place, in one step. They must hold what was read in; what others append meanwhile
   * is taken over. Two processes that do this in the same instant may lose a line that is appended between them.
   */
  replace(lines: () => Iterable<string>): void {
    this.catchUp();
    const beside = `${this.path}.${process.pid}.new`;
    const descriptor = openSync(beside, O_RDWR | O_CREAT | O_TRUNC | O_APPEND, 0o600);
    const written = { bytes: 0, size: 0 };
    try {
      let chunk = '';
      const flush = () => {
        written.bytes += writeWhole(descriptor, chunk);
        written.size += chunk.length;
        chunk = '';
      };
      for (const line of lines()) {
        chunk += line;
        if (chunk.length >= CHUNK) flush();
      }
      flush();
      renameSync(beside, this.path);
    } catch (error) {
      closeSync(descriptor);
      rmSync(beside, { force: true });
      throw error;
    }
    const missed = this.descriptor === undefined ? '' : this.readIn(this.descriptor);
    this.close();
    this.descriptor = descriptor;
    this.offset = written.bytes;
    this.size = written.size;
    if (missed !== '') this.append(missed);
  }

  /** Returns what was new: whole lines. */
  private readIn(descriptor: number): string {
    const { size } = fstatSync(descriptor);
    this.torn = false;
    if (size <= this.offset) return '';
    const bytes = Buffer.alloc(size - this.offset);
    let read = 0;
    while (read < bytes.length) {
      const got = readSync(descriptor, bytes, read, bytes.length - read, this.offset + read);
      if (got === 0) break;
      read += got;
    }
    const end = bytes.lastIndexOf(LINE_FEED, read - 1) + 1;
    const text = bytes.toString('utf8', 0, end);
    for (const line of text.split('\n')) this.take(line);
    this.offset += end;
    this.size += text.length;
    this.torn = end < read;
    return text;
  }

  private create(): number {
    mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
    return openSync(this.path, O_RDWR | O_CREAT | O_APPEND, 0o600);
  }
}

/** Nothing leads to it any more: it was removed, or another one stands in its place. */
function isReplaced(descriptor: number): boolean {
  return fstatSync(descriptor).nlink === 0;
}

function openExisting(path: string): number | undefined {
  try {
    return openSync(path, O_RDWR | O_APPEND);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** `writeSync` may write less than it was given. Returns the bytes. */
function writeWhole(descriptor: number, text: string): number {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written);
  return bytes.length;
}

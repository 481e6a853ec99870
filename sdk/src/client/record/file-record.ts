import { closeSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from '../clock.js';
import type { LogLevel } from '../options.js';
import { MemoryRecord, RECORD_BOUNDS, type RecordBounds } from './memory-record.js';
import { confirmedLine, entryLine, parseLine } from './record-lines.js';
import {
  type KnownRequest,
  RECORD_KEPT_MS,
  type RequestEnd,
  type RequestKey,
  type RequestRecord,
  type RequestStart,
} from './request-record.js';

/** A file may grow by this many characters beyond twice what is worth keeping, before it is written anew. */
const SLACK = 4 * 1024 * 1024;
/** Characters of a line beside its outcome, roughly. */
const LINE_SIZE = 250;

/**
 * The record as a file of JSON lines, appended with `writeSync`: what was noted survives the death of the process, by
 * SIGKILL too, because the kernel has it; not the loss of power. What is in the file is in memory too, so looking costs
 * nothing. The file is made at the first note, written anew at the start of a process and when most of it is waste. When
 * it can't be written, that is logged once and memory alone serves.
 */
export class FileRecord implements RequestRecord {
  private readonly memory: MemoryRecord;
  private descriptor: number | undefined;
  private size = 0;
  private wroteAt = 0;
  private broken = false;

  constructor(
    private readonly path: string,
    private readonly clock: Pick<Clock, 'wall'>,
    private readonly log: (level: LogLevel, message: string) => void,
    bounds: RecordBounds = RECORD_BOUNDS,
  ) {
    this.memory = new MemoryRecord(() => clock.wall(), bounds);
    this.guarded(() => this.load());
  }

  begin(start: RequestStart): KnownRequest | undefined {
    const known = this.memory.begin(start);
    if (known === undefined) {
      const { caller, requestId, capability } = start;
      this.append(entryLine({ caller, requestId, capability, at: this.clock.wall() }));
    }
    return known;
  }

  end(end: RequestEnd): void {
    this.memory.end(end);
    const { caller, requestId, capability } = end;
    this.append(entryLine({ caller, requestId, capability, at: this.clock.wall(), end }));
  }

  find(key: RequestKey): KnownRequest | undefined {
    return this.memory.find(key);
  }

  confirmed(key: RequestKey): void {
    this.memory.confirmed(key);
    this.append(confirmedLine(key));
  }

  unconfirmed(): RequestEnd[] {
    return this.memory.unconfirmed();
  }

  /** Lets go of the file; a later note takes it up again. */
  close(): void {
    if (this.descriptor !== undefined) closeSync(this.descriptor);
    this.descriptor = undefined;
  }

  private load(): void {
    let text: string;
    try {
      text = readFileSync(this.path, 'utf8');
    } catch (error) {
      if (isMissing(error)) return;
      throw error;
    }
    for (const line of text.split('\n')) {
      const parsed = parseLine(line);
      if (parsed?.kind === 'ENTRY') this.memory.put(parsed.entry);
      else if (parsed?.kind === 'CONFIRMED') this.memory.confirmed(parsed.key);
    }
    this.rewrite();
  }

  private append(line: string): void {
    this.guarded(() => {
      const now = this.clock.wall();
      // Other processes remove a file that nobody wrote to for as long as requests are kept. One that was idle nearly
      // that long takes its file up anew, so that it never writes to one that was removed.
      if (now - this.wroteAt > RECORD_KEPT_MS / 2) this.close();
      this.wroteAt = now;
      writeWhole(this.opened(), line);
      this.size += line.length;
      if (this.size > 2 * this.worth + SLACK) this.rewrite();
    });
  }

  private opened(): number {
    if (this.descriptor === undefined) {
      mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
      this.descriptor = openSync(this.path, 'a', 0o600);
    }
    return this.descriptor;
  }

  /** Writes what is worth keeping to a new file, which then takes the place of the old one in one step. */
  private rewrite(): void {
    this.close();
    const beside = `${this.path}.${process.pid}.new`;
    const descriptor = openSync(beside, 'w', 0o600);
    let size = 0;
    try {
      let chunk = '';
      for (const entry of this.memory.all()) {
        chunk += entryLine(entry);
        if (chunk.length < 1_000_000) continue;
        writeWhole(descriptor, chunk);
        size += chunk.length;
        chunk = '';
      }
      writeWhole(descriptor, chunk);
      size += chunk.length;
    } catch (error) {
      rmSync(beside, { force: true });
      throw error;
    } finally {
      closeSync(descriptor);
    }
    renameSync(beside, this.path);
    this.size = size;
  }

  /** What is worth keeping, in characters, roughly. */
  private get worth(): number {
    return this.memory.outcomeSize + this.memory.count * LINE_SIZE;
  }

  private guarded(work: () => void): void {
    if (this.broken) return;
    try {
      work();
    } catch (error) {
      this.broken = true;
      const reason = error instanceof Error ? error.message : String(error);
      this.log(
        'error',
        `the record of executed requests cannot be kept in ${this.path}: ${reason}. It is kept in memory only: ` +
          'after a restart of this process, a request that is repeated may be executed twice',
      );
    }
  }
}

/** `writeSync` may write less than it was given. */
function writeWhole(descriptor: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written);
}

const isMissing = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT';

import { closeSync, ftruncateSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { AuditRecord } from '@agent-reach/sdk/protocol';
import { journalLine } from './journal-line.js';
import { readStretch, type SegmentStretch } from './journal-reader.js';
import { nextSegmentName, segmentNames, segmentPath, segmentSizes } from './journal-segments.js';

/** Entries are being lost because they cannot be written. */
export interface JournalAlarm {
  /** The system's words, such as `ENOSPC: no space left on device, write`. */
  readonly reason: string;
  readonly since: Date;
  /** Entries lost since then. */
  readonly dropped: number;
}

/** State of the journal, for health and metrics. */
export interface JournalStatus {
  /** Entries lost since the start because they could not be written. */
  readonly dropped: number;
  /** Why entries are being lost now; undefined while all is well. */
  readonly alarm: JournalAlarm | undefined;
  /** Bytes that wait for the loader. */
  readonly bytesPending: number;
}

/** A place in the journal: everything before `offset` of `segment` is loaded. Kept as a row of journal_cursors. */
export interface JournalPosition {
  readonly segment: string;
  /** Bytes from the segment's beginning. */
  readonly offset: number;
}

/** What `readBatch` found. */
export interface JournalBatch extends Pick<SegmentStretch, 'lines'> {
  /** Where the batch ends; commit it as the cursor together with the records. */
  readonly position: JournalPosition;
  /** Whether the segment is closed and ends here: after the commit it can be removed. */
  readonly segmentDone: boolean;
}

/** The file operations that can fail; replaced in tests of a full disk. */
export interface JournalFiles {
  open(path: string): number;
  write(fd: number, bytes: Buffer, from: number): number;
  truncate(fd: number, length: number): void;
  close(fd: number): void;
}

export interface JournalOptions {
  /** Whoever opened it calls `flush` after each `append` in time; else it flushes itself at the end of the tick. */
  readonly flushedByOwner?: boolean;
  readonly now: () => Date;
  /** A segment that has grown to this many bytes is closed; default 64 MiB. */
  readonly segmentBytes?: number;
  readonly files?: JournalFiles;
  /** What the journal says of the entries that it lacks, as soon as it can be written again. */
  readonly gapRecord?: (alarm: JournalAlarm) => AuditRecord;
  /** The first entries are lost. */
  readonly onAlarm?: (alarm: JournalAlarm) => void;
  /** Entries can be written again. */
  readonly onRecovered?: (alarm: JournalAlarm) => void;
}

const realFiles: JournalFiles = {
  // Appending, so that what follows a cut-off write stands where that began.
  open: (path) => openSync(path, 'ax', 0o600),
  write: (fd, bytes, from) => writeSync(fd, bytes, from),
  truncate: ftruncateSync,
  close: closeSync,
};

/** Holds what an ordinary tick writes, so that it costs no allocation; a greater one gets a buffer of its own. */
const SCRATCH_BYTES = 262_144;
/** The longest UTF-8 of one UTF-16 unit. */
const MAX_BYTES_PER_UNIT = 3;

interface OpenSegment {
  readonly name: string;
  readonly fd: number;
  bytes: number;
}

/**
 * The on-disk journal of audit records: what is in it survives the death of the process and an outage of Postgres.
 *
 * Writing: `append` buffers, `flush` writes all that is buffered with one write. Neither throws; at a full disk the
 * records are dropped and counted, and the next flush tries again.
 *
 * Loading, so that each record is stored exactly once: for each of `segments()`, oldest first, take its offset from
 * journal_cursors (0 without a row), `readBatch`, and commit the records together with the new position. When the batch
 * says `segmentDone`, call `removeSegment` after that commit, then delete the cursor's row. A row whose segment is gone
 * is left over from a crash in between and can be deleted at start.
 */
export class Journal {
  readonly #directory: string;
  readonly #options: JournalOptions;
  readonly #files: JournalFiles;
  /** Bytes of the segments on disk, and how many of them the loader has committed. */
  readonly #sizes: Map<string, number>;
  readonly #loaded = new Map<string, number>();
  readonly #scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
  #lines: string[] = [];
  #segment: OpenSegment | undefined;
  #lastName: string | undefined;
  #scheduled: NodeJS.Immediate | undefined;
  #dropped = 0;
  #alarm: JournalStatus['alarm'];

  private constructor(directory: string, options: JournalOptions) {
    this.#directory = directory;
    this.#options = options;
    this.#files = options.files ?? realFiles;
    this.#sizes = segmentSizes(directory);
    this.#lastName = [...this.#sizes.keys()].at(-1);
  }

  /** Opens the journal in a directory, which is made where it is missing. Earlier segments stay for the loader. */
  static open(directory: string, options: JournalOptions): Journal {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    return new Journal(directory, options);
  }

  /** Buffers a record. What nobody flushes is written at the end of the tick. */
  append(record: AuditRecord): void {
    this.#lines.push(journalLine(record));
    if (this.#options.flushedByOwner !== true) this.#scheduled ??= setImmediate(() => this.flush());
  }

  /** Writes everything buffered; when it returns, the records are in the file, or counted as dropped. */
  flush(): void {
    clearImmediate(this.#scheduled);
    this.#scheduled = undefined;
    if (this.#lines.length === 0) return;
    const lines = this.#lines;
    this.#lines = [];
    const alarm = this.#alarm;
    // In the same write as what comes after it, so that the gap is told exactly when it ends.
    const gap = alarm === undefined ? undefined : this.#options.gapRecord?.(alarm);
    try {
      this.#write(this.#bytesOf((gap === undefined ? '' : journalLine(gap)) + lines.join('')));
    } catch (error) {
      this.#drop(lines.length, error);
      return;
    }
    this.#alarm = undefined;
    if (alarm !== undefined) this.#options.onRecovered?.(alarm);
  }

  status(): JournalStatus {
    let bytesPending = 0;
    for (const [name, size] of this.#sizes) bytesPending += size - Math.min(size, this.#loaded.get(name) ?? 0);
    return { dropped: this.#dropped, alarm: this.#alarm, bytesPending };
  }

  /** Names of the segments on disk, oldest first; the last may still be written. */
  segments(): string[] {
    return segmentNames(this.#directory);
  }

  /**
   * Reads the records after a position, whose offset must be committed: it counts as loaded from now on. With nothing
   * new, `lines` is empty. What is read stands in `into`, which bounds it and can be used again for the next batch.
   */
  async readBatch(position: JournalPosition, into: Buffer): Promise<JournalBatch> {
    const { segment, offset } = position;
    this.#loaded.set(segment, offset);
    // Asked before reading: a segment that closes meanwhile may have grown after the read.
    const closed = this.#segment?.name !== segment;
    const stretch = await readStretch(segmentPath(this.#directory, segment), offset, into);
    return {
      lines: stretch.lines,
      position: { segment, offset: stretch.end },
      segmentDone: closed && stretch.atEnd,
    };
  }

  /** Deletes a segment that was loaded to its end. Removing it again is fine. */
  async removeSegment(segment: string): Promise<void> {
    if (this.#segment?.name === segment) throw new Error(`segment ${segment} is still being written`);
    await rm(segmentPath(this.#directory, segment), { force: true });
    this.#sizes.delete(segment);
    this.#loaded.delete(segment);
  }

  /** Flushes and closes the file. A later append begins a new segment. */
  close(): void {
    this.flush();
    this.#closeSegment();
  }

  #drop(count: number, error: unknown): void {
    this.#dropped += count;
    const begins = this.#alarm === undefined;
    const reason = error instanceof Error ? error.message : String(error);
    const { since, dropped } = this.#alarm ?? { since: this.#options.now(), dropped: 0 };
    this.#alarm = { reason, since, dropped: dropped + count };
    if (begins) this.#options.onAlarm?.(this.#alarm);
  }

  #bytesOf(text: string): Buffer {
    if (text.length * MAX_BYTES_PER_UNIT > SCRATCH_BYTES) return Buffer.from(text);
    return this.#scratch.subarray(0, this.#scratch.write(text));
  }

  #write(bytes: Buffer): void {
    const segment = this.#segment ?? this.#openSegment();
    try {
      // A write may be cut short without an error; the next one then tells why.
      for (let from = 0; from < bytes.length; ) from += this.#files.write(segment.fd, bytes, from);
      segment.bytes += bytes.length;
    } catch (error) {
      this.#cutBack(segment);
      throw error;
    }
    this.#sizes.set(segment.name, segment.bytes);
    if (segment.bytes >= (this.#options.segmentBytes ?? 67_108_864)) this.#closeSegment();
  }

  #openSegment(): OpenSegment {
    const name = nextSegmentName(this.#lastName, this.#options.now().getTime());
    const fd = this.#files.open(segmentPath(this.#directory, name));
    this.#lastName = name;
    this.#segment = { name, fd, bytes: 0 };
    this.#sizes.set(name, 0);
    return this.#segment;
  }

  /** Cuts off what a failed write left, so that none of the records counted as dropped appears after all. */
  #cutBack(segment: OpenSegment): void {
    try {
      this.#files.truncate(segment.fd, segment.bytes);
    } catch {
      // Whole lines of that write may then be loaded although they were counted; a torn last one is passed over,
      // provided that nothing is written behind it.
      this.#closeSegment();
    }
  }

  #closeSegment(): void {
    if (this.#segment === undefined) return;
    try {
      this.#files.close(this.#segment.fd);
    } catch {
      // The descriptor is gone either way.
    }
    this.#segment = undefined;
  }
}

import type { Clock } from '../clock.js';
import type { LogLevel } from '../options.js';
import { MemoryRecord, RECORD_BOUNDS, type RecordBounds } from './memory-record.js';
import { confirmedLine, entryLine, parseLine } from './record-lines.js';
import type { KnownRequest, RequestEnd, RequestKey, RequestRecord, RequestStart } from './request-record.js';
import { SharedFile } from './shared-file.js';

/** A file may grow by this many characters beyond twice what is worth keeping, before it is written anew. */
const SLACK = 4 * 1024 * 1024;
/** Characters of a line beside its outcome, roughly. */
const LINE_SIZE = 250;

/**
 * The record as a file of JSON lines, appended with `writeSync`: what was noted survives the death of the process, by
 * SIGKILL too, because the kernel has it; not the loss of power. What is in the file is in memory too, and so is what
 * another process of the same instance appends, such as one that drains while its successor runs already. The file is
 * made at the first note, written anew at the start of a process and when most of it is waste. When it can't be written,
 * that is logged once and memory alone serves.
 */
export class FileRecord implements RequestRecord {
  private readonly memory: MemoryRecord;
  private readonly file: SharedFile;
  private broken = false;

  constructor(
    private readonly path: string,
    private readonly clock: Pick<Clock, 'wall'>,
    private readonly log: (level: LogLevel, message: string) => void,
    bounds: RecordBounds = RECORD_BOUNDS,
  ) {
    this.memory = new MemoryRecord(() => clock.wall(), bounds);
    this.file = new SharedFile(path, (line) => this.take(line));
    this.guarded(() => {
      if (this.file.catchUp()) this.rewrite();
    });
  }

  begin(start: RequestStart): KnownRequest | undefined {
    this.catchUp();
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
    this.catchUp();
    return this.memory.find(key);
  }

  confirmed(key: RequestKey): void {
    this.memory.confirmed(key);
    this.append(confirmedLine(key));
  }

  unconfirmed(): RequestEnd[] {
    this.catchUp();
    return this.memory.unconfirmed();
  }

  /** Lets go of the file; a later note takes it up again. */
  close(): void {
    this.file.close();
  }

  /** A line of the file, in the order in which it stands there. */
  private take(line: string): void {
    const parsed = parseLine(line);
    if (parsed?.kind === 'CONFIRMED') this.memory.confirmed(parsed.key);
    if (parsed?.kind !== 'ENTRY') return;
    const { entry } = parsed;
    const known = this.memory.entry(entry);
    // Lines taken over from a file that was replaced may stand behind later ones, and own ones may be read once more.
    const isNewer = known?.end === undefined || (entry.end !== undefined && known.at < entry.at);
    if (isNewer) this.memory.put(entry);
  }

  private catchUp(): void {
    this.guarded(() => this.file.catchUp());
  }

  private append(line: string): void {
    this.guarded(() => {
      this.file.append(line);
      if (this.file.size > 2 * this.worth + SLACK) this.rewrite();
    });
  }

  private rewrite(): void {
    const { memory } = this;
    this.file.replace(function* () {
      for (const entry of memory.all()) yield entryLine(entry);
    });
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

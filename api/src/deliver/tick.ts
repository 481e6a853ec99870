/** Something that has collected output in this turn of the event loop. */
export interface Flushable {
  /** Sends what was collected. Must not throw. */
  flush(): void;
}

/**
 * What happens at the end of each turn of the event loop, in this order: audit records reach the journal's file, then
 * the frames of the turn leave, one write per socket. A reply thereby never leaves before its record was written, and
 * hundreds of frames cost one system call.
 */
export class Tick {
  #waiting: Flushable[] = [];
  #scheduled = false;

  /**
   * `busy`: so much is under way that a turn may last for two. Each then carries twice the frames and records for the
   * same system calls, which are the larger part of a call's cost; a frame waits some tenths of a millisecond more.
   */
  constructor(
    private readonly writeJournal: () => void,
    private readonly busy: () => boolean,
  ) {}

  /** Has it flushed at the end of the turn. To be called once per turn, with the first output. */
  add(flushable: Flushable): void {
    this.#waiting.push(flushable);
    this.schedule();
  }

  /** Asks for the end of the turn; also when there is only something to journal. */
  schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(this.busy() ? this.#oneMore : this.#end);
  }

  /** Ends the turn now: for whoever has to close a socket and wants what was sent before to arrive. */
  endNow(): void {
    this.#end();
  }

  readonly #oneMore = (): void => {
    setImmediate(this.#end);
  };

  readonly #end = (): void => {
    this.#scheduled = false;
    this.writeJournal();
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const flushable of waiting) flushable.flush();
  };
}

import type { Socket } from 'node:net';

/**
 * What happens at the end of each turn of the event loop, in this order: audit records reach the journal's file, then
 * the frames of the turn leave, one write per socket. A reply thereby never leaves before its record was written, and
 * hundreds of frames cost one system call.
 */
export class Tick {
  readonly #corked = new Set<Socket>();
  #scheduled = false;

  constructor(private readonly writeJournal: () => void) {}

  /** Holds back what is written to the socket until the turn ends. */
  hold(socket: Socket): void {
    if (this.#corked.has(socket)) return;
    socket.cork();
    this.#corked.add(socket);
    this.schedule();
  }

  /** Asks for the end of the turn; also when there is only something to journal. */
  schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(this.#end);
  }

  readonly #end = (): void => {
    this.#scheduled = false;
    this.writeJournal();
    for (const socket of this.#corked) socket.uncork();
    this.#corked.clear();
  };
}

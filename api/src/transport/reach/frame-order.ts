import { type ClientFrame, WIRE_LIMITS } from '@agent-reach/sdk/protocol';

/** What may wait for a registration, and what of a stranger may wait for the answer to its hello. */
const HELD = { frames: 10_000, bytes: 4 * 1024 * 1024 };
const HELD_BEFORE_HELLO = { frames: 16, bytes: 16 * WIRE_LIMITS.preAuthFrameBytes };

interface HeldFrame {
  readonly frame: ClientFrame;
  /** Length of its message. */
  readonly bytes: number;
}

export interface FrameOrderDeps {
  /** Takes a frame whose turn it is. */
  readonly admit: (frame: ClientFrame, bytes: number) => void;
  /** More waits than may. */
  readonly onTooMuch: () => void;
  /** Whether the peer has said who it is, and may be given more room. */
  readonly isKnown: () => boolean;
}

/**
 * Keeps the frames of one socket in the order of their arrival while one of them has to be waited for: hello and
 * registration, which may have to ask the database. What comes meanwhile is held, within bounds.
 */
export class FrameOrder {
  /** Undefined: nothing is waited for. */
  #held: HeldFrame[] | undefined;
  #bytes = 0;
  #ended = false;

  constructor(private readonly deps: FrameOrderDeps) {}

  /** A frame arrived. */
  take(frame: ClientFrame, bytes: number): void {
    if (this.#held === undefined) this.deps.admit(frame, bytes);
    else this.#hold({ frame, bytes });
  }

  /** Holds back what follows until the work is done. The work never rejects. */
  while(work: Promise<void>): void {
    const held: HeldFrame[] = [];
    this.#held = held;
    this.#bytes = 0;
    void work.then(() => {
      if (this.#ended) return;
      this.#held = undefined;
      this.#bytes = 0;
      for (const [index, { frame, bytes }] of held.entries()) {
        this.deps.admit(frame, bytes);
        if (this.#ended) return;
        // That frame has to be waited for as well: the rest is held again, ahead of what comes meanwhile.
        if (this.#isWaiting()) {
          for (const rest of held.slice(index + 1)) this.#hold(rest);
          return;
        }
      }
    });
  }

  /** The socket is gone: nothing is admitted any more. */
  end(): void {
    this.#ended = true;
    this.#held = undefined;
  }

  /** Asked through a method, because admitting a frame may have changed it. */
  #isWaiting(): boolean {
    return this.#held !== undefined;
  }

  #hold(held: HeldFrame): void {
    if (this.#held === undefined) return;
    this.#held.push(held);
    this.#bytes += held.bytes;
    const most = this.deps.isKnown() ? HELD : HELD_BEFORE_HELLO;
    if (this.#held.length > most.frames || this.#bytes > most.bytes) this.deps.onTooMuch();
  }
}

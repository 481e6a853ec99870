/** Something that is due at a time. Linked into one slot of the wheel; arming and disarming cost a few assignments. */
export abstract class Timer {
  /** @internal */ next: Timer | undefined;
  /** @internal */ previous: Timer | undefined;
  /** @internal */ slot = -1;
  /** Monotonic ms. */
  dueAt = 0;

  /** Its time has come. */
  abstract fire(): void;
}

/** A timer that calls a function. */
export class CallbackTimer extends Timer {
  constructor(override readonly fire: () => void) {
    super();
  }
}

const SLOTS = 512;
/** Width of a slot, ms: timers fire up to this much late, never early. */
export const TICK_MS = 10;

/**
 * One clock hand for all timeouts of calls, so that no call has a timer of its own. A timer further away than one turn
 * stays in its slot until its turn comes.
 */
export class TimingWheel {
  readonly #slots: (Timer | undefined)[] = new Array(SLOTS).fill(undefined);
  #tick: number;
  #armed = 0;

  /** `onFault` hears of what a timer throws, so that the others of its moment still fire. */
  constructor(
    monotonic: number,
    private readonly onFault: (error: unknown) => void,
  ) {
    this.#tick = Math.floor(monotonic / TICK_MS);
  }

  /** How many timers are armed. */
  get armed(): number {
    return this.#armed;
  }

  /** Arms a timer, or moves it when it is armed already. */
  arm(timer: Timer, dueAt: number): void {
    this.disarm(timer);
    timer.dueAt = dueAt;
    const tick = Math.max(Math.ceil(dueAt / TICK_MS), this.#tick + 1);
    const slot = tick % SLOTS;
    const first = this.#slots[slot];
    timer.slot = slot;
    timer.next = first;
    timer.previous = undefined;
    if (first !== undefined) first.previous = timer;
    this.#slots[slot] = timer;
    this.#armed++;
  }

  disarm(timer: Timer): void {
    if (timer.slot === -1) return;
    if (timer.previous === undefined) this.#slots[timer.slot] = timer.next;
    else timer.previous.next = timer.next;
    if (timer.next !== undefined) timer.next.previous = timer.previous;
    timer.slot = -1;
    timer.next = undefined;
    timer.previous = undefined;
    this.#armed--;
  }

  /** Fires what is due by now. Called every TICK_MS; after a stall it catches up. */
  advance(monotonic: number): void {
    const now = Math.floor(monotonic / TICK_MS);
    // One full turn visits every slot, so a longer stall needs no more than that.
    const from = Math.max(this.#tick + 1, now - SLOTS + 1);
    const due: Timer[] = [];
    for (let tick = from; tick <= now; tick++) {
      for (let timer = this.#slots[tick % SLOTS]; timer !== undefined; timer = timer.next) {
        if (timer.dueAt <= monotonic) due.push(timer);
      }
    }
    this.#tick = now;
    for (const timer of due) {
      // An earlier one may have disarmed or re-armed it.
      if (timer.slot === -1 || timer.dueAt > monotonic) continue;
      this.disarm(timer);
      try {
        timer.fire();
      } catch (error) {
        this.onFault(error);
      }
    }
  }
}

export interface CallSamplerOptions {
  /** How much is recorded in one second at most, about; an ordinary call is 1. */
  readonly perSecond: number;
  /** A number in [0, 1). */
  readonly random: () => number;
}

const MAX_EVERY = 2 ** 30;

/**
 * Says which calls are recorded: one of so many, drawn by lot, since taking each second would see only half of callers
 * that take turns. There are two reasons to record fewer: the ring is full, which lasts, and a burst, because recording
 * a call costs more than deciding it; that passes within seconds.
 */
export class CallSampler {
  readonly #perSecond: number;
  readonly #random: () => number;
  /** One of so many is recorded: for the ring, and for the burst. Powers of two. */
  #forRing = 1;
  #forBurst = 1;
  /** The next call's place among `every`, and the place that is recorded. */
  #place = 0;
  #taken = 0;
  /** The second that is counted, since 1970, and what was recorded in it. */
  #second = 0;
  #recorded = 0;

  constructor({ perSecond, random }: CallSamplerOptions) {
    this.#perSecond = perSecond;
    this.#random = random;
  }

  /** One of so many calls is recorded at present. */
  get every(): number {
    return Math.max(this.#forRing, this.#forBurst);
  }

  /** Whether the next call is to be recorded. `wall`: ms since 1970. */
  wants(wall: number): boolean {
    const second = Math.floor(wall / 1000);
    if (second !== this.#second) this.#begin(second);
    if (this.#place === 0) this.#taken = Math.floor(this.#random() * this.every);
    const wanted = this.#place === this.#taken;
    this.#place = (this.#place + 1) % this.every;
    return wanted;
  }

  /** A call was recorded. `weight`: 1 for an ordinary one. */
  took(weight: number): void {
    this.#recorded += weight;
    if (this.#recorded < this.#perSecond) return;
    this.#forBurst = Math.min(this.every * 2, MAX_EVERY);
    // What would have been recorded so far in this second, had only half of the calls been taken.
    this.#recorded /= 2;
    this.#place = 0;
  }

  /** Half as many from now on, because the ring is full. */
  thin(): void {
    this.#forRing = Math.min(this.every * 2, MAX_EVERY);
    this.#place = 0;
  }

  /** Twice as many from now on, because the ring has room. Answers whether there was anything to change. */
  thicken(): boolean {
    if (this.#forRing === 1) return false;
    this.#forRing /= 2;
    this.#place = 0;
    return true;
  }

  #begin(second: number): void {
    const isNext = second === this.#second + 1;
    // Far below the bound, which halving leaves at a half: otherwise the two would take turns.
    if (!isNext) this.#forBurst = 1;
    else if (this.#recorded * 4 < this.#perSecond && this.#forBurst > 1) this.#forBurst /= 2;
    this.#second = second;
    this.#recorded = 0;
    this.#place = 0;
  }
}

import type { Clock } from './clock.js';

/** One pending deadline. */
export interface WheelEntry {
  readonly slot: number;
  readonly run: () => void;
}

/**
 * A coarse timing wheel that all deadlines of a connection share, so that a call costs a Set entry instead of a timer.
 * An entry runs at its time or up to `stepMs` later, never earlier. One timer ticks while anything is pending.
 */
export class TimingWheel {
  private readonly slots = new Map<number, Set<WheelEntry>>();
  private size = 0;
  private next = 0;
  private cancelTick: (() => void) | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly stepMs = 50,
  ) {}

  add(ms: number, run: () => void): WheelEntry {
    const now = this.clock.now();
    if (this.size === 0) this.next = Math.floor(now / this.stepMs);
    const entry: WheelEntry = { slot: Math.max(this.next, Math.ceil((now + Math.max(ms, 0)) / this.stepMs)), run };
    const slot = this.slots.get(entry.slot);
    if (slot === undefined) this.slots.set(entry.slot, new Set([entry]));
    else slot.add(entry);
    this.size += 1;
    this.cancelTick ??= this.clock.after(this.stepMs, this.tick);
    return entry;
  }

  remove(entry: WheelEntry): void {
    if (this.slots.get(entry.slot)?.delete(entry)) this.size -= 1;
  }

  /** Forgets everything; nothing runs any more. */
  clear(): void {
    this.slots.clear();
    this.size = 0;
    this.cancelTick?.();
    this.cancelTick = undefined;
  }

  private readonly tick = (): void => {
    this.cancelTick = undefined;
    const reached = Math.floor(this.clock.now() / this.stepMs);
    for (; this.next <= reached; this.next += 1) {
      const slot = this.slots.get(this.next);
      if (slot === undefined) continue;
      this.slots.delete(this.next);
      this.size -= slot.size;
      for (const entry of slot) entry.run();
    }
    if (this.size > 0) this.cancelTick ??= this.clock.after(this.stepMs, this.tick);
    else this.slots.clear();
  };
}

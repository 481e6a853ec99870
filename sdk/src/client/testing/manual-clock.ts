import type { Clock } from '../clock.js';

/** A clock that stands until it is told to move. */
export class ManualClock implements Clock {
  private time = 0;
  private timers: { readonly at: number; readonly run: () => void }[] = [];

  now = (): number => this.time;
  wall = (): number => 1_700_000_000_000 + this.time;
  random = (): number => 0.5;

  after = (ms: number, run: () => void): (() => void) => {
    const timer = { at: this.time + ms, run };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((other) => other !== timer);
    };
  };

  /** Timers that have not run. */
  get pending(): number {
    return this.timers.length;
  }

  /** Moves on by `ms`, running what becomes due in order. */
  advance(ms: number): void {
    const end = this.time + ms;
    for (;;) {
      const due = this.timers.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.timers = this.timers.filter((timer) => timer !== due);
      this.time = Math.max(this.time, due.at);
      due.run();
    }
    this.time = end;
  }
}

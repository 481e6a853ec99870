import type { Execution } from './execution.js';

/** The slots of one kind of work, and the line before them. */
export class Pool {
  private readonly line: Execution[] = [];
  private taken = 0;

  constructor(
    private readonly slots: number,
    private readonly places: number,
  ) {}

  /** Handlers that hold a slot. */
  get running(): number {
    return this.taken;
  }

  get waiting(): number {
    return this.line.length;
  }

  get hasSlot(): boolean {
    return this.taken < this.slots;
  }

  get hasPlace(): boolean {
    return this.line.length < this.places;
  }

  take(): void {
    this.taken += 1;
  }

  release(): void {
    this.taken -= 1;
  }

  enqueue(execution: Execution): void {
    this.line.push(execution);
  }

  /** The one that waits longest; it is out of the line then. */
  dequeue(): Execution | undefined {
    return this.line.shift();
  }

  /** Takes one out of the line. False when it does not wait. */
  leave(execution: Execution): boolean {
    const index = this.line.indexOf(execution);
    if (index < 0) return false;
    this.line.splice(index, 1);
    return true;
  }
}

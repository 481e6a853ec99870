import type { Execution } from './execution.js';

/** The slots of one kind of work, and the line before them. */
export class Pool {
  private readonly line: Execution[] = [];
  private taken = 0;

  constructor(
    private readonly slots: number,
    private readonly places: number,
    /** Called when more or fewer wait. */
    private readonly onLineChange: () => void = () => {},
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
    this.onLineChange();
  }

  /** The one that waits longest; it is out of the line then. */
  dequeue(): Execution | undefined {
    const first = this.line.shift();
    if (first !== undefined) this.onLineChange();
    return first;
  }

  /** Takes one out of the line. False when it does not wait. */
  leave(execution: Execution): boolean {
    const index = this.line.indexOf(execution);
    if (index < 0) return false;
    this.line.splice(index, 1);
    this.onLineChange();
    return true;
  }
}

/** Rows of a ring: as many as the longest window takes, and the one that is being filled. */
const ROWS = 21;
const FINE_ROW_MS = 15_000;
const COARSE_ROW_MS = 180_000;
/** The longest window that the fine rows cover, ms. */
const FINE_WINDOW_MS = (ROWS - 1) * FINE_ROW_MS;

/** The longest window that is remembered, ms. */
export const LONGEST_WINDOW_MS = (ROWS - 1) * COARSE_ROW_MS;
/** The shortest that can be told from others, ms. */
export const SHORTEST_WINDOW_MS = FINE_ROW_MS;

/** A stretch of time up to now, in whole rows: it begins up to one row earlier than was asked for. */
export interface HistoryWindow {
  readonly fine: boolean;
  /** Number of its first row since the clock's zero. */
  readonly firstRow: number;
  /** Monotonic ms. */
  readonly since: number;
}

export function historyWindow(windowMs: number, monotonic: number): HistoryWindow {
  const fine = windowMs <= FINE_WINDOW_MS;
  const rowMs = fine ? FINE_ROW_MS : COARSE_ROW_MS;
  const firstRow = Math.max(0, Math.floor((monotonic - windowMs) / rowMs));
  return { fine, firstRow, since: firstRow * rowMs };
}

/**
 * Sums of the last hour in columns: fine rows for short windows, coarse ones for long. A fixed piece of memory,
 * `columns` × 42 numbers; adding allocates nothing.
 */
export class History {
  readonly #fine: Ring;
  readonly #coarse: Ring;

  constructor(columns: number) {
    this.#fine = new Ring(columns, FINE_ROW_MS);
    this.#coarse = new Ring(columns, COARSE_ROW_MS);
  }

  /** Begins the rows of a time, in which `add` adds from now on. `monotonic`: ms, never less than before. */
  turnTo(monotonic: number): void {
    this.#fine.turnTo(monotonic);
    this.#coarse.turnTo(monotonic);
  }

  add(column: number, amount = 1): void {
    this.#fine.add(column, amount);
    this.#coarse.add(column, amount);
  }

  /** Adds the sums of a window to `sums`, column by column. */
  sumInto(window: HistoryWindow, sums: Float64Array): void {
    (window.fine ? this.#fine : this.#coarse).sumInto(window.firstRow, sums);
  }
}

class Ring {
  readonly #values: Float64Array;
  /** Number of the newest row since the clock's zero, where it begins, and when it is over. */
  #row = 0;
  #start = 0;
  #endsAt = 0;

  constructor(
    private readonly columns: number,
    private readonly rowMs: number,
  ) {
    this.#values = new Float64Array(ROWS * columns);
  }

  /** Most calls come within the row of the one before, and cost a comparison. */
  turnTo(monotonic: number): void {
    if (monotonic < this.#endsAt) return;
    const row = Math.floor(monotonic / this.rowMs);
    // Rows are used again.
    for (let stale = Math.max(this.#row + 1, row - ROWS + 1); stale <= row; stale++) {
      const start = (stale % ROWS) * this.columns;
      this.#values.fill(0, start, start + this.columns);
    }
    this.#row = row;
    this.#start = (row % ROWS) * this.columns;
    this.#endsAt = (row + 1) * this.rowMs;
  }

  add(column: number, amount: number): void {
    const place = this.#start + column;
    this.#values[place] = (this.#values[place] ?? 0) + amount;
  }

  sumInto(firstRow: number, sums: Float64Array): void {
    for (let row = Math.max(firstRow, this.#row - ROWS + 1); row <= this.#row; row++) {
      const start = (row % ROWS) * this.columns;
      for (let column = 0; column < this.columns; column++) {
        sums[column] = (sums[column] ?? 0) + (this.#values[start + column] ?? 0);
      }
    }
  }
}

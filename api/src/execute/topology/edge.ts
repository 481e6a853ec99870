import { Figures } from './figures.js';
import type { HistoryWindow } from './history.js';
import { Lane } from './lane.js';

/** Capabilities of an edge that are told apart; calls of further ones count together, without a name. */
const MAX_CAPABILITIES = 16;
/** Under which they do. */
const OTHERS = '';

/** Figures of one capability; `name` is undefined for those that are not told apart. */
export interface CapabilityFigures {
  readonly name: string | undefined;
  readonly figures: Figures;
}

/** The calls of one caller to one agent (or to nobody), by capability. */
export class Edge {
  readonly #lanes = new Map<string, Lane>();

  /** The lane to count in; undefined while there is none. */
  lane(capability: string): Lane | undefined {
    return this.#lanes.get(capability) ?? (this.#full ? this.#lanes.get(OTHERS) : undefined);
  }

  /** Makes the lane that `lane` did not find. */
  open(capability: string): Lane {
    const lane = new Lane();
    this.#lanes.set(this.#full ? OTHERS : capability, lane);
    return lane;
  }

  /** Frees the lanes in which nothing was counted since; returns how many. `monotonic`: ms. */
  expire(since: number): number {
    let freed = 0;
    for (const [capability, { lastAt }] of this.#lanes) {
      if (lastAt < since && this.#lanes.delete(capability)) freed++;
    }
    return freed;
  }

  get isEmpty(): boolean {
    return this.#lanes.size === 0;
  }

  /** What was called within the window, the most called first. */
  capabilities(window: HistoryWindow): readonly CapabilityFigures[] {
    const found: CapabilityFigures[] = [];
    for (const [capability, lane] of this.#lanes) {
      const figures = lane.figures(window);
      if (figures.calls > 0) found.push({ name: capability === OTHERS ? undefined : capability, figures });
    }
    return found.sort(byCalls);
  }

  get #full(): boolean {
    return this.#lanes.size >= MAX_CAPABILITIES;
  }
}

/** The figures of several capabilities in one. */
export function totalOf(capabilities: readonly CapabilityFigures[]): Figures {
  const total = new Figures();
  for (const { figures } of capabilities) total.add(figures);
  return total;
}

/** Those of several edges in one list, each capability once, the most called first. */
export function byCapability(parts: readonly CapabilityFigures[]): readonly CapabilityFigures[] {
  const sums = new Map<string | undefined, Figures>();
  for (const { name, figures } of parts) {
    const sum = sums.get(name) ?? new Figures();
    sum.add(figures);
    sums.set(name, sum);
  }
  return Array.from(sums, ([name, figures]) => ({ name, figures })).sort(byCalls);
}

function byCalls(a: CapabilityFigures, b: CapabilityFigures): number {
  return b.figures.calls - a.figures.calls;
}

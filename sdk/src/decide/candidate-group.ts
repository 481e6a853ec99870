import type { Candidate, RouteInstance } from './candidate.js';
import { CandidateCell, cellKey, type Place } from './candidate-cell.js';
import { type AgentIndex, type Selector, TargetMatch } from './target-match.js';

/** Matches remembered at most by index entry: their tags come from callers. */
const MAX_MATCHES = 256;

/** One entry of the index: everybody who offers a capability, or all that one agent or type offers. */
export class CandidateGroup<I extends RouteInstance> {
  readonly #cells = new Map<string, CandidateCell<I>>();
  readonly #byName = new Map<string, TargetMatch<I>>();
  readonly #bySelector = new Map<string, TargetMatch<I>>();

  constructor(
    private readonly namespace: string,
    private readonly agents: AgentIndex<I>,
    /** Told when a cell comes or goes. */
    private readonly onCells: () => void,
    /** Whether all in a cell must be of one type; else types are many (of a capability) or one (of a type). */
    private readonly byType: boolean,
  ) {}

  get isEmpty(): boolean {
    return this.#cells.size === 0;
  }

  add(candidate: Candidate<I>): Place<I> {
    const { instance, capability } = candidate;
    const type = this.byType ? instance.agentType : '';
    const key = cellKey(instance, capability, type);
    let cell = this.#cells.get(key);
    if (cell === undefined) {
      cell = new CandidateCell(key, capability, type, instance.version, instance.domain, instance.zone);
      this.#cells.set(key, cell);
      this.#cellsChanged();
    }
    return cell.add(candidate);
  }

  remove(place: Place<I>): void {
    const { cell } = place;
    cell.remove(place);
    if (cell.candidates.length > 0) return;
    this.#cells.delete(cell.key);
    this.#cellsChanged();
  }

  #cellsChanged(): void {
    this.#byName.clear();
    this.#bySelector.clear();
    this.onCells();
  }

  /** The cells that a selector means. */
  matching(selector: Selector): CandidateCell<I>[] {
    return Array.from(this.#cells.values()).filter((cell) => isMeant(cell, selector));
  }

  match(selector: Selector): TargetMatch<I> {
    const { capability, tags, type } = selector;
    const plain = tags === undefined && type === undefined;
    const known = plain ? this.#byName : this.#bySelector;
    const key = plain ? (capability ?? '') : JSON.stringify([capability, type, tags]);
    let match = known.get(key);
    if (match === undefined) {
      match = this.#match(selector);
      if (known.size >= MAX_MATCHES) known.clear();
      // What matches nobody isn't remembered: callers can make up as much of that as they like.
      if (match.cells.length > 0) known.set(key, match);
    }
    return match;
  }

  #match({ agent, type, capability, tags }: Selector): TargetMatch<I> {
    // A copy: the target is a call's, and this outlives the call.
    const selector: Selector = { agent, type, capability, tags };
    const cells = this.matching(selector);
    if (selector.capability === undefined) {
      const names = new Set(cells.map((cell) => cell.name));
      if (names.size > 1) return new TargetMatch([], selector, this.agents, this.namespace, [...names].sort());
    }
    return new TargetMatch(cells, selector, this.agents, this.namespace);
  }
}

function isMeant(cell: CandidateCell<RouteInstance>, { capability, type, tags }: Selector): boolean {
  return (
    (capability === undefined || cell.names.includes(capability)) &&
    (type === undefined || cell.agentType === '' || cell.agentType === type) &&
    (tags === undefined || tags.every((tag) => cell.tags.includes(tag)))
  );
}

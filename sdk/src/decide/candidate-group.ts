import type { RouteInstance } from './candidate.js';
import { CandidateCell, cellKey, LastingCell, type StandingCandidate } from './candidate-cell.js';
import { type AgentIndex, type Selector, TargetMatch } from './target-match.js';

/** Matches remembered at most by index entry: their tags come from callers. */
const MAX_MATCHES = 256;
/** So few are kept in one list, and put into cells when somebody asks: most agents offer a handful of things. */
const FEW = 64;

/** One entry of the index: everybody who offers a capability, or all that one agent or type offers. */
export class CandidateGroup<I extends RouteInstance> {
  /** All of them, as long as they are few. */
  #few: StandingCandidate<I>[] | undefined = [];
  /** All of them by cell, as soon as they are many. */
  #cells: Map<string, LastingCell<I>> | undefined;
  #byName: Map<string, TargetMatch<I>> | undefined;
  #bySelector: Map<string, TargetMatch<I>> | undefined;

  constructor(
    private readonly namespace: string,
    private readonly agents: AgentIndex<I>,
    /** Told when a cell comes or goes. */
    private readonly onCells: () => void,
  ) {}

  get isEmpty(): boolean {
    return (this.#few?.length ?? this.#cells?.size ?? 0) === 0;
  }

  /** @param key the candidate's cell key: it is the same in every entry, and takes longer to make than to use */
  add(candidate: StandingCandidate<I>, key: string): void {
    const few = this.#few;
    if (few === undefined) return this.#addToCell(candidate, key);
    few.push(candidate);
    this.#cellsChanged();
    if (few.length <= FEW) return;
    this.#few = undefined;
    for (const each of few) this.#addToCell(each, cellKey(each.capability, each.standing));
  }

  #addToCell(candidate: StandingCandidate<I>, key: string): void {
    this.#cells ??= new Map();
    let cell = this.#cells.get(key);
    if (cell === undefined) {
      cell = new LastingCell(candidate.capability, candidate.standing);
      this.#cells.set(key, cell);
      this.#cellsChanged();
    }
    cell.add(candidate);
  }

  remove(candidate: StandingCandidate<I>, key: string): void {
    if (this.#few !== undefined) {
      this.#few = this.#few.filter((each) => each !== candidate);
      return this.#cellsChanged();
    }
    const cell = this.#cells?.get(key);
    cell?.remove(candidate);
    if (cell?.candidates.length !== 0) return;
    this.#cells?.delete(key);
    this.#cellsChanged();
  }

  /** Something changed that decisions read of an instance with a candidate in this cell. */
  touch(key: string): void {
    const cell = this.#cells?.get(key);
    if (cell === undefined) this.#cellsChanged();
    else cell.revision++;
  }

  #cellsChanged(): void {
    this.#byName = undefined;
    this.#bySelector = undefined;
    this.onCells();
  }

  /** The cells that a selector means. */
  matching(selector: Selector): CandidateCell<I>[] {
    const cells = this.#few === undefined ? [...(this.#cells?.values() ?? [])] : cellsOf(this.#few);
    return cells.filter((cell) => isMeant(cell, selector));
  }

  match(selector: Selector): TargetMatch<I> {
    const { capability, tags, type } = selector;
    const plain = tags === undefined && type === undefined;
    const key = plain ? (capability ?? '') : JSON.stringify([capability, type, tags]);
    let known = plain ? this.#byName : this.#bySelector;
    let match = known?.get(key);
    if (match === undefined) {
      match = this.#match(selector);
      // What matches nobody isn't remembered: callers can make up as much of that as they like.
      if (match.cells.length === 0) return match;
      if (known === undefined || known.size >= MAX_MATCHES) {
        known = new Map();
        if (plain) this.#byName = known;
        else this.#bySelector = known;
      }
      known.set(key, match);
    }
    return match;
  }

  #match({ agent, type, capability, tags }: Selector): TargetMatch<I> {
    // A copy: the target is a call's, and this outlives the call.
    const selector: Selector = { agent, type, capability, tags };
    const cells = this.matching(selector);
    if (selector.capability === undefined) {
      const names = new Set(cells.map((cell) => cell.capability.name));
      if (names.size > 1) return new TargetMatch([], selector, this.agents, this.namespace, [...names].sort());
    }
    return new TargetMatch(cells, selector, this.agents, this.namespace);
  }
}

/** Few candidates in cells, in the order of the first of each. */
function cellsOf<I extends RouteInstance>(candidates: readonly StandingCandidate<I>[]): CandidateCell<I>[] {
  const cells = new Map<string, CandidateCell<I>>();
  for (const candidate of candidates) {
    const key = cellKey(candidate.capability, candidate.standing);
    let cell = cells.get(key);
    if (cell === undefined) {
      cell = new CandidateCell(candidate.capability, candidate.standing);
      cells.set(key, cell);
    }
    cell.add(candidate);
  }
  return [...cells.values()];
}

/** An agent has one type, so any instance of a cell tells it: a type is asked of the entry of an agent or of that type. */
function isMeant<I extends RouteInstance>(cell: CandidateCell<I>, { capability, type, tags }: Selector): boolean {
  const { name, aliases, tags: has } = cell.capability;
  return (
    (capability === undefined || name === capability || aliases.includes(capability)) &&
    (type === undefined || cell.candidates[0]?.instance.agentType === type) &&
    (tags === undefined || tags.every((tag) => has.includes(tag)))
  );
}

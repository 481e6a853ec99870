import type { AgentRef, CallTarget } from '../protocol/index.js';
import type { Candidate, CandidateList, RouteInstance } from './candidate.js';
import { CandidateCell } from './candidate-cell.js';
import type { CandidateGroup } from './candidate-group.js';

/** What of a target an index entry doesn't settle by itself. */
export type Selector = Pick<CallTarget, 'agent' | 'type' | 'capability' | 'tags'>;

/** Where the candidates of an agent are looked up. */
export interface AgentIndex<I extends RouteInstance> {
  agent(id: string): CandidateGroup<I> | undefined;
  /** Grows whenever a cell comes or goes anywhere in the namespace. */
  readonly cellsRevision: number;
}

/** The candidates of a target before any other stage. The object stays the same while no cell of it comes or goes. */
export class TargetMatch<I extends RouteInstance = RouteInstance> implements CandidateList<I> {
  /**
   * The capability's own name, whatever alias the target used; undefined when there is nobody. A capability of the very
   * name that was asked for comes before those that only have it as an alias: nobody takes another's calls out of their
   * policy by an alias.
   */
  readonly capability: string | undefined;
  /** False when an alias stands for capabilities of different names; then `capability` is the first by the alphabet. */
  readonly hasOneName: boolean;
  /** The tags that all candidates have: what policies match on. */
  readonly tags: readonly string[];
  /** Whether any of the candidates is for tasks. */
  readonly hasTasks: boolean;
  #all: { readonly revision: number; readonly candidates: readonly Candidate<I>[] } | undefined;
  #narrowed: WeakMap<readonly AgentRef[], Narrowed<I>> | undefined;
  #parts: Map<string, TargetMatch<I>> | undefined;

  constructor(
    readonly cells: readonly CandidateCell<I>[],
    private readonly selector: Selector,
    private readonly agents: AgentIndex<I>,
    private readonly namespace: string,
    /** Set when the target itself can't be understood: an agent with several capabilities, and none named. */
    readonly ambiguous?: readonly string[],
    /** The agents that it is narrowed to. */
    private readonly only?: readonly AgentRef[],
  ) {
    const [first, ...others] = cells;
    this.capability = first?.capability.name;
    this.tags = first?.capability.tags ?? [];
    this.hasTasks = cells.some(({ capability }) => capability.mode === 'TASK');
    this.hasOneName = others.every(({ capability }) => capability.name === this.capability);
    for (const { capability } of others) {
      const { name, tags } = capability;
      if (this.capability === undefined || name < this.capability) this.capability = name;
      if (!this.tags.every((tag) => tags.includes(tag))) this.tags = this.tags.filter((tag) => tags.includes(tag));
    }
    const asked = selector.capability;
    if (asked !== undefined && cells.some(({ capability }) => capability.name === asked)) this.capability = asked;
  }

  get size(): number {
    let size = 0;
    for (const cell of this.cells) size += cell.candidates.length;
    return size;
  }

  get revision(): number {
    let revision = 0;
    for (const cell of this.cells) revision += cell.revision;
    return revision;
  }

  /** All of them as one list; made when it is asked for and kept until somebody comes or goes. */
  get candidates(): readonly Candidate<I>[] {
    const only = this.cells.length === 1 ? this.cells[0] : undefined;
    if (only !== undefined) return only.candidates;
    const { revision } = this;
    if (this.#all?.revision !== revision) {
      this.#all = { revision, candidates: this.cells.flatMap((cell) => cell.candidates) };
    }
    return this.#all.candidates;
  }

  /** Those of some agents, found by index and not by asking everybody. The same list gives the same object. */
  narrowed(agents: readonly AgentRef[]): TargetMatch<I> {
    if (this.cells.length === 0) return this;
    this.#narrowed ??= new WeakMap();
    const { cellsRevision } = this.agents;
    let narrowed = this.#narrowed.get(agents);
    if (narrowed?.cellsRevision !== cellsRevision) {
      narrowed = { cellsRevision, match: this.#of(agents) };
      this.#narrowed.set(agents, narrowed);
    }
    return narrowed.match;
  }

  #of(agents: readonly AgentRef[]): TargetMatch<I> {
    const { selector, namespace } = this;
    const meant = agents.filter(
      (agent) =>
        agent.startsWith(`${namespace}/`) &&
        (selector.agent === undefined || agent === `${namespace}/${selector.agent}`) &&
        (this.only === undefined || this.only.includes(agent)),
    );
    const cells = new Set<CandidateCell<I>>();
    for (const agent of meant) {
      for (const cell of this.agents.agent(agent.slice(namespace.length + 1))?.matching(selector) ?? [])
        cells.add(cell);
    }
    return new TargetMatch([...cells], selector, this.agents, namespace, undefined, meant);
  }

  /** Only one of its candidates, or nobody. */
  alone(candidate: Candidate<I> | undefined): TargetMatch<I> {
    const cells: CandidateCell<I>[] = [];
    if (candidate !== undefined) {
      const cell = new CandidateCell<I>(candidate.capability, candidate.instance);
      cell.add(candidate);
      cells.push(cell);
    }
    return new TargetMatch(cells, this.selector, this.agents, this.namespace);
  }

  /** Those in a part of the cells. `nameOf` says which part it is, the same name each time. */
  part(inPart: (cell: CandidateCell<I>) => boolean, nameOf: () => string): CandidateList<I> {
    const only = this.cells.length === 1 ? this.cells[0] : undefined;
    if (only !== undefined && inPart(only)) return only;
    this.#parts ??= new Map();
    const name = nameOf();
    let part = this.#parts.get(name);
    if (part === undefined) {
      // Names come from calls too (zones, ranges), so there must be a bound.
      if (this.#parts.size >= MAX_PARTS) this.#parts.clear();
      part = new TargetMatch(this.cells.filter(inPart), this.selector, this.agents, this.namespace);
      this.#parts.set(name, part);
    }
    return part;
  }
}

const MAX_PARTS = 256;

interface Narrowed<I extends RouteInstance> {
  readonly cellsRevision: number;
  readonly match: TargetMatch<I>;
}

import type { CallTarget } from '../protocol/index.js';
import type { RouteInstance } from './candidate.js';
import { cellKey, type StandingCandidate } from './candidate-cell.js';
import { CandidateGroup } from './candidate-group.js';
import { type AgentIndex, TargetMatch } from './target-match.js';

/** The instances of one namespace by everything that a call can name. */
export class NamespaceIndex<I extends RouteInstance> implements AgentIndex<I> {
  cellsRevision = 0;
  /** By name and alias. */
  readonly #byCapability = new Map<string, CandidateGroup<I>>();
  readonly #byAgent = new Map<string, CandidateGroup<I>>();
  readonly #byType = new Map<string, CandidateGroup<I>>();
  readonly #nobody: TargetMatch<I>;
  readonly #onCells = (): void => {
    this.cellsRevision++;
  };

  constructor(private readonly namespace: string) {
    this.#nobody = new TargetMatch([], {}, this, namespace);
  }

  get isEmpty(): boolean {
    return this.#byAgent.size === 0;
  }

  agent(id: string): CandidateGroup<I> | undefined {
    return this.#byAgent.get(id);
  }

  /** Puts a candidate under everything that means it. */
  add(candidate: StandingCandidate<I>, agent: string): void {
    this.#eachEntry(candidate, agent, (index, entry, key) => {
      let group = index.get(entry);
      if (group === undefined) {
        group = new CandidateGroup(this.namespace, this, this.#onCells);
        index.set(entry, group);
      }
      group.add(candidate, key);
    });
  }

  remove(candidate: StandingCandidate<I>, agent: string): void {
    this.#eachEntry(candidate, agent, (index, entry, key) => {
      const group = index.get(entry);
      group?.remove(candidate, key);
      if (group?.isEmpty === true) index.delete(entry);
    });
  }

  /** Something changed that decisions read of the candidate's instance. */
  touch(candidate: StandingCandidate<I>, agent: string): void {
    this.#eachEntry(candidate, agent, (index, entry, key) => index.get(entry)?.touch(key));
  }

  #eachEntry(
    { capability, standing }: StandingCandidate<I>,
    agent: string,
    visit: (index: Map<string, CandidateGroup<I>>, entry: string, cell: string) => void,
  ): void {
    const cell = cellKey(capability, standing);
    for (const name of new Set([capability.name, ...capability.aliases])) visit(this.#byCapability, name, cell);
    visit(this.#byAgent, agent, cell);
    visit(this.#byType, standing.agentType, cell);
  }

  /** Who could be meant, by agent, type, capability (or alias) and tags; all that are given must match. */
  match(target: CallTarget): TargetMatch<I> {
    const { agent, type, capability } = target;
    const group =
      agent !== undefined
        ? this.#byAgent.get(agent)
        : type !== undefined
          ? this.#byType.get(type)
          : capability === undefined
            ? undefined
            : this.#byCapability.get(capability);
    return group === undefined ? this.#nobody : group.match(target);
  }
}

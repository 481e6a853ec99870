import type { CallTarget } from '../protocol/index.js';
import type { Candidate, RouteInstance } from './candidate.js';
import type { Place } from './candidate-cell.js';
import { CandidateGroup } from './candidate-group.js';
import { hash32 } from './strategies/hash.js';
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

  /** Puts an instance under everything that means it; what comes back takes it out again. */
  add(instance: I): Placed<I>[] {
    const placed: Placed<I>[] = [];
    const put = (index: Map<string, CandidateGroup<I>>, key: string, candidate: Candidate<I>) => {
      let group = index.get(key);
      if (group === undefined) {
        group = new CandidateGroup(this.namespace, this, this.#onCells, index === this.#byAgent);
        index.set(key, group);
      }
      placed.push({ index, key, group, place: group.add(candidate) });
    };
    const agent = instance.agent.slice(this.namespace.length + 1);
    const seed = hash32(instance.ref);
    for (const capability of instance.capabilities) {
      const candidate: Candidate<I> = { instance, capability, seed };
      for (const name of new Set([capability.name, ...capability.aliases])) put(this.#byCapability, name, candidate);
      put(this.#byAgent, agent, candidate);
      put(this.#byType, instance.agentType, candidate);
    }
    return placed;
  }

  remove(placed: readonly Placed<I>[]): void {
    for (const { index, key, group, place } of placed) {
      group.remove(place);
      if (group.isEmpty) index.delete(key);
    }
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

/** Where an instance stands in an index. */
export interface Placed<I extends RouteInstance> {
  readonly index: Map<string, CandidateGroup<I>>;
  readonly key: string;
  readonly group: CandidateGroup<I>;
  readonly place: Place<I>;
}

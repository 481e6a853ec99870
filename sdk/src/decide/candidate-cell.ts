import type { Candidate, CandidateList, Domain, RouteCapability, RouteInstance } from './candidate.js';

/** One candidate's place in a cell: known, so that taking it out costs the same however many there are. */
export class Place<I extends RouteInstance> {
  constructor(
    readonly candidate: Candidate<I>,
    readonly cell: CandidateCell<I>,
    public index: number,
  ) {}
}

/**
 * The candidates of one index entry that are alike in everything that a target, a policy or a preference can ask for and
 * that doesn't change from moment to moment. Asking the cell asks for all of them.
 */
export class CandidateCell<I extends RouteInstance> implements CandidateList<I> {
  readonly candidates: Candidate<I>[] = [];
  revision = 0;
  readonly name: string;
  /** The name and the aliases. */
  readonly names: readonly string[];
  readonly tags: readonly string[];
  /** Of the candidates, in their order. */
  readonly #places: Place<I>[] = [];

  constructor(
    readonly key: string,
    capability: RouteCapability,
    /** Empty where the index entry mixes types. */
    readonly agentType: string,
    readonly version: string,
    readonly domain: Domain,
    readonly zone: string,
  ) {
    this.name = capability.name;
    this.names = [capability.name, ...capability.aliases];
    this.tags = capability.tags;
  }

  add(candidate: Candidate<I>): Place<I> {
    const place = new Place(candidate, this, this.candidates.length);
    this.candidates.push(candidate);
    this.#places.push(place);
    this.revision++;
    return place;
  }

  /** The last one takes the place of the one that goes. */
  remove(place: Place<I>): void {
    const candidate = this.candidates.pop();
    const last = this.#places.pop();
    if (candidate !== undefined && last !== undefined && last !== place) {
      this.candidates[place.index] = candidate;
      this.#places[place.index] = last;
      last.index = place.index;
    }
    this.revision++;
  }
}

/** What cells of one index entry differ in, as text. */
export function cellKey(instance: RouteInstance, capability: RouteCapability, agentType: string): string {
  const { version, domain, zone } = instance;
  return `${shapeOf(capability)}\n${agentType}\n${version}\n${domain}\n${zone}`;
}

/** Instances of one version share their capabilities, so most of the key is made once for many of them. */
const shapes = new WeakMap<RouteCapability, string>();

function shapeOf(capability: RouteCapability): string {
  let shape = shapes.get(capability);
  if (shape === undefined) {
    shape = JSON.stringify([capability.name, capability.aliases, capability.tags]);
    shapes.set(capability, shape);
  }
  return shape;
}

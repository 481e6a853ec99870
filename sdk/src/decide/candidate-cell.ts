import type { Candidate, CandidateList, Domain, RouteCapability, RouteInstance } from './candidate.js';

/** Where an instance stands in the table: what it was when it was put there. It may have changed since. */
export interface Standing {
  readonly agentType: string;
  readonly version: string;
  readonly domain: Domain;
  readonly zone: string;
}

/** A candidate as the table makes it. */
export interface StandingCandidate<I extends RouteInstance> extends Candidate<I> {
  readonly seed: number;
  readonly standing: Standing;
}

/**
 * The candidates of one index entry that are alike in everything that a target, a policy or a preference can ask for and
 * that doesn't change from moment to moment. Asking the cell asks for all of them.
 */
export class CandidateCell<I extends RouteInstance> implements CandidateList<I> {
  readonly candidates: Candidate<I>[] = [];
  revision = 0;
  readonly version: string;
  readonly domain: Domain;
  readonly zone: string;

  constructor(
    readonly capability: RouteCapability,
    { version, domain, zone }: Pick<Standing, 'version' | 'domain' | 'zone'>,
  ) {
    this.version = version;
    this.domain = domain;
    this.zone = zone;
  }

  add(candidate: Candidate<I>): void {
    this.candidates.push(candidate);
    this.revision++;
  }

  has(candidate: Candidate<I>): boolean {
    return this.candidates.includes(candidate);
  }
}

/** A cell that candidates come to and go from, at the same cost however many there are. */
export class LastingCell<I extends RouteInstance> extends CandidateCell<I> {
  readonly #places = new Map<Candidate<I>, number>();

  override add(candidate: Candidate<I>): void {
    this.#places.set(candidate, this.candidates.length);
    super.add(candidate);
  }

  override has(candidate: Candidate<I>): boolean {
    return this.#places.has(candidate);
  }

  /** The last one takes the place of the one that goes. */
  remove(candidate: Candidate<I>): void {
    const place = this.#places.get(candidate);
    if (place === undefined) return;
    this.#places.delete(candidate);
    const last = this.candidates.pop();
    if (last !== undefined && last !== candidate) {
      this.candidates[place] = last;
      this.#places.set(last, place);
    }
    this.revision++;
  }
}

/** What the cells of one index entry differ in, as text. */
export function cellKey(
  capability: RouteCapability,
  { version, domain, zone }: Pick<Standing, 'version' | 'domain' | 'zone'>,
): string {
  return `${shapeOf(capability)}\n${version}\n${domain}\n${zone}`;
}

/** Instances of one version share their capabilities, so most of the key is made once for many of them. */
const shapes = new WeakMap<RouteCapability, string>();

function shapeOf(capability: RouteCapability): string {
  let shape = shapes.get(capability);
  if (shape === undefined) {
    shape = JSON.stringify([capability.name, capability.aliases, capability.tags, capability.mode]);
    shapes.set(capability, shape);
  }
  return shape;
}

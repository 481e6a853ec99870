import type { PermissionSet } from '@agent-reach/sdk/decide';
import {
  type AgentRef,
  type CallTarget,
  type FoundCapability,
  ReachError,
  type WireError,
} from '@agent-reach/sdk/protocol';
import type { CapabilityFinder } from '../ports.js';
import { callRights, type MayFind, NOTHING, type Seeker } from './call-rights.js';
import { Catalogue, type Offerer } from './catalogue.js';
import { isClear } from './clear-match.js';
import { byRank, type Ranked } from './ranking.js';

export interface CapabilityLookupDeps {
  readonly permissions: () => PermissionSet;
  /** The type of an agent that is there. */
  readonly typeOf: (agent: AgentRef) => string | undefined;
  /** Wall clock, ms since 1970: rules expire. */
  readonly wall: () => number;
}

/** What else a need's target says: it narrows where the need is looked for. */
export type NeedTarget = Pick<CallTarget, 'agent' | 'type' | 'tags'>;

/** What a need came to: the capability to call, or why none is called. */
export type NeedResolution = { readonly capability: string } | { readonly error: WireError };

/** Candidates that an unclear need is answered with. */
const MAX_CANDIDATES = 5;

/**
 * Finds capabilities by what they are said to do. Only what live instances offer is found, and only what the caller
 * may call: everything else is as if it weren't there.
 */
export class CapabilityLookup implements CapabilityFinder {
  readonly #catalogue = new Catalogue();

  constructor(private readonly deps: CapabilityLookupDeps) {}

  /** An instance came, went, or changed what it offers. */
  follow(instance: Offerer, lives: boolean): void {
    this.#catalogue.follow(instance, lives);
  }

  /** What a caller may call in a namespace and fits a text, best first. */
  find(text: string, seeker: Seeker, namespace: string, limit: number): FoundCapability[] {
    return this.#best(text, [namespace], this.#rights(seeker), limit).map(shown);
  }

  /** What fits a text in any namespace that the reader may see, whether or not he may call it: for people. */
  search(text: string, visible: (namespace: string) => boolean, limit: number): FoundCapability[] {
    const namespaces = [...this.#catalogue.namespaces()].filter(visible);
    return this.#best(text, namespaces, () => true, limit).map(shown);
  }

  /**
   * The capability that clearly fits a need and that the caller may call. Otherwise NEED_UNCLEAR with the nearest, or
   * NO_ROUTE when nothing fits at all.
   */
  resolve(need: string, seeker: Seeker, namespace: string, target: NeedTarget = {}): NeedResolution {
    const rights = narrowed(this.#rights(seeker), namespace, target, this.deps.typeOf);
    const [best, ...others] = this.#best(need, [namespace], rights, MAX_CANDIDATES, target.tags);
    if (best === undefined) return { error: nothingFits(need, seeker, namespace) };
    if (isClear(best, others)) return { capability: best.document.name };
    return { error: unclear(need, [best, ...others]) };
  }

  #rights(seeker: Seeker): MayFind {
    return callRights(this.deps.permissions(), seeker, this.deps.wall());
  }

  /** The best match of each capability. */
  #best(
    text: string,
    namespaces: readonly string[],
    mayFind: MayFind,
    limit: number,
    tags: readonly string[] = [],
  ): Ranked[] {
    if (mayFind === NOTHING) return [];
    const found = namespaces.flatMap((namespace) => this.#bestIn(text, namespace, mayFind, limit, tags));
    return namespaces.length === 1 ? found : found.sort(byRank).slice(0, limit);
  }

  #bestIn(text: string, namespace: string, mayFind: MayFind, limit: number, tags: readonly string[]): Ranked[] {
    const byName = new Map<string, Ranked>();
    for (const ranked of this.#catalogue.index(namespace)?.rank(text).bestFirst() ?? []) {
      if (byName.size >= limit) break;
      const { document } = ranked;
      if (byName.has(document.name) || !tags.every((tag) => document.tags.includes(tag))) continue;
      for (const agent of this.#catalogue.agentsOf(namespace, document)) {
        if (!mayFind(agent, document.name)) continue;
        byName.set(document.name, ranked);
        break;
      }
    }
    return [...byName.values()];
  }
}

function narrowed(
  rights: MayFind,
  namespace: string,
  { agent, type }: NeedTarget,
  typeOf: CapabilityLookupDeps['typeOf'],
): MayFind {
  if (rights === NOTHING || (agent === undefined && type === undefined)) return rights;
  const ref = agent === undefined ? undefined : `${namespace}/${agent}`;
  return (each, capability) =>
    (ref === undefined || each === ref) && (type === undefined || typeOf(each) === type) && rights(each, capability);
}

function shown({ document, score }: Ranked): FoundCapability {
  return { ...document.shown, score: Math.round(score * 1000) / 1000 };
}

function nothingFits(need: string, { caller }: Seeker, namespace: string): WireError {
  return new ReachError(
    'NO_ROUTE',
    `Nothing that ${caller} may call in ${namespace} fits the need ${JSON.stringify(need)}.`,
    { details: { need, stages: [] } },
  ).toWire();
}

function unclear(need: string, nearest: readonly Ranked[]): WireError {
  const candidates = nearest.map(shown).map(({ namespace, capability, description, score }) => ({
    namespace,
    capability,
    description,
    score,
  }));
  const names = candidates.map(({ capability }) => capability).join(', ');
  return new ReachError(
    'NEED_UNCLEAR',
    `No capability clearly fits the need ${JSON.stringify(need)}; ${candidates.length === 1 ? 'the nearest is' : 'the nearest are'} ${names}.`,
    { details: { need, candidates } },
  ).toWire();
}

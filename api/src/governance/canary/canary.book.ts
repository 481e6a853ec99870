import type { RouteTableFeed } from '../../perceive/ports.js';
import { type CanarySettings, USUAL_CANARY } from './canary.settings.js';

/** A namespace's settings; of two states the one with the higher version is the newer. */
export interface NamespaceCanary {
  readonly namespace: string;
  readonly version: number;
  readonly settings: CanarySettings;
}

/**
 * How each namespace tries new versions out, in memory, and which share of the calls that is for the routers: of
 * namespaces that do, and of those that stopped while a version is still on trial, so that it can end.
 */
export class CanaryBook {
  readonly #feed: Pick<RouteTableFeed, 'setCanaryShares'>;
  #namespaces: ReadonlyMap<string, NamespaceCanary> = new Map();
  #trying: ReadonlySet<string> = new Set();
  #shares: ReadonlyMap<string, number> = new Map();
  #changes = 0;

  constructor(feed: Pick<RouteTableFeed, 'setCanaryShares'>) {
    this.#feed = feed;
  }

  /** Grows with each change, so that a reload that was overtaken by one can be told. */
  get changes(): number {
    return this.#changes;
  }

  of(namespace: string): CanarySettings {
    return this.#namespaces.get(namespace)?.settings ?? USUAL_CANARY;
  }

  replace(states: readonly NamespaceCanary[]): void {
    this.#apply(new Map(states.map((state) => [state.namespace, state])));
  }

  put(state: NamespaceCanary): void {
    const known = this.#namespaces.get(state.namespace);
    if (known !== undefined && known.version >= state.version) return;
    this.#apply(new Map(this.#namespaces).set(state.namespace, state));
  }

  remove(namespace: string): void {
    const namespaces = new Map(this.#namespaces);
    namespaces.delete(namespace);
    this.#apply(namespaces);
  }

  /** The namespaces in which a version is on trial. */
  setTrying(namespaces: ReadonlySet<string>): void {
    this.#trying = namespaces;
    this.#share();
  }

  #apply(namespaces: ReadonlyMap<string, NamespaceCanary>): void {
    this.#changes += 1;
    this.#namespaces = namespaces;
    this.#share();
  }

  #share(): void {
    const shares = new Map<string, number>();
    for (const { namespace, settings } of this.#namespaces.values()) {
      if (settings.enabled) shares.set(namespace, settings.sharePercent);
    }
    for (const namespace of this.#trying) shares.set(namespace, this.of(namespace).sharePercent);
    if (isSame(shares, this.#shares)) return;
    this.#shares = shares;
    this.#feed.setCanaryShares(shares);
  }
}

function isSame(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): boolean {
  return one.size === other.size && [...one].every(([namespace, share]) => other.get(namespace) === share);
}

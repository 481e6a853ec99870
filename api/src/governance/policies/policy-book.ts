import type { Policy } from '@agent-reach/sdk/decide';
import type { RouteTableFeed } from '../../perceive/ports.js';

/** A policy as routers take it; of two states the one with the higher revision is the newer. */
export interface PolicyState {
  readonly policy: Policy;
  readonly revision: number;
}

/** Deleted policies that are remembered; ids are never used again. */
const MAX_REMOVED = 10_000;

/**
 * The policies in force, in memory. Each change takes effect in the tick in which it is made, as one new set: no call
 * sees half of it. Commits are confirmed over several connections, so that two changes of one policy can come in the
 * wrong order: a state that is older than the known one, or of a policy that was deleted, is left aside.
 */
export class PolicyBook {
  readonly #feed: Pick<RouteTableFeed, 'setPolicies'>;
  #policies: ReadonlyMap<string, PolicyState> = new Map();
  readonly #removed = new Set<string>();
  #changes = 0;

  constructor(feed: Pick<RouteTableFeed, 'setPolicies'>) {
    this.#feed = feed;
  }

  /** Grows with each change, so that a reload that was overtaken by one can be told. */
  get changes(): number {
    return this.#changes;
  }

  get policies(): readonly Policy[] {
    return Array.from(this.#policies.values(), ({ policy }) => policy);
  }

  /** Takes over what was read anew. What has not changed stays the same object: its strategy remembers turns and ratios. */
  replace(states: readonly PolicyState[]): void {
    const policies = new Map<string, PolicyState>();
    for (const state of states) {
      const id = state.policy.id ?? '';
      const known = this.#policies.get(id);
      policies.set(id, known?.revision === state.revision ? known : state);
    }
    this.#apply(policies);
  }

  put(state: PolicyState): void {
    const id = state.policy.id ?? '';
    const known = this.#policies.get(id);
    if (this.#removed.has(id) || (known !== undefined && known.revision >= state.revision)) return;
    this.#apply(new Map(this.#policies).set(id, state));
  }

  remove(id: string): void {
    this.#removed.add(id);
    for (const oldest of this.#removed) {
      if (this.#removed.size <= MAX_REMOVED) break;
      this.#removed.delete(oldest);
    }
    const policies = new Map(this.#policies);
    policies.delete(id);
    this.#apply(policies);
  }

  #apply(policies: ReadonlyMap<string, PolicyState>): void {
    this.#changes += 1;
    this.#policies = policies;
    this.#feed.setPolicies(this.policies);
  }
}

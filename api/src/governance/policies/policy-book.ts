import type { Policy } from '@agent-reach/sdk/decide';
import type { RouteTableFeed } from '../../perceive/ports.js';

/** The policies in force, in memory. Each change takes effect in the tick in which it is made. */
export class PolicyBook {
  readonly #feed: Pick<RouteTableFeed, 'setPolicies'>;
  #policies: ReadonlyMap<string, Policy> = new Map();
  #changes = 0;

  constructor(feed: Pick<RouteTableFeed, 'setPolicies'>) {
    this.#feed = feed;
  }

  /** Grows with each change, so that a reload that was overtaken by one can be told. */
  get changes(): number {
    return this.#changes;
  }

  replace(policies: readonly Policy[]): void {
    this.#apply(new Map(policies.map((policy) => [policy.id ?? '', policy])));
  }

  put(policy: Policy): void {
    this.#apply(new Map(this.#policies).set(policy.id ?? '', policy));
  }

  remove(id: string): void {
    const policies = new Map(this.#policies);
    policies.delete(id);
    this.#apply(policies);
  }

  #apply(policies: ReadonlyMap<string, Policy>): void {
    this.#changes += 1;
    this.#policies = policies;
    this.#feed.setPolicies([...policies.values()]);
  }
}

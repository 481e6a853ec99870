import { createPermissionSet, type PermissionRule, type PermissionSet } from '@agent-reach/sdk/decide';
import type { RouteTableFeed } from '../../perceive/ports.js';

/**
 * The rules that count now, in memory: what the routers decide by and what `checkPermission` answers from, so that the
 * two cannot disagree. Each change takes effect in the tick in which it is made.
 */
export class RuleBook {
  readonly #feed: Pick<RouteTableFeed, 'setPermissions'>;
  #rules: ReadonlyMap<string, PermissionRule> = new Map();
  #set: PermissionSet = createPermissionSet([]);
  /** Grows with each change, so that a reload that was overtaken by one can be told. */
  #changes = 0;

  constructor(feed: Pick<RouteTableFeed, 'setPermissions'>) {
    this.#feed = feed;
  }

  get changes(): number {
    return this.#changes;
  }

  /** Everything that counts now, ready to be asked. */
  get set(): PermissionSet {
    return this.#set;
  }

  replace(rules: readonly PermissionRule[]): void {
    this.#apply(new Map(rules.map((rule) => [rule.id, rule])));
  }

  put(rule: PermissionRule): void {
    this.#apply(new Map(this.#rules).set(rule.id, rule));
  }

  remove(ids: readonly string[]): void {
    this.#changes += 1;
    if (!ids.some((id) => this.#rules.has(id))) return;
    const rules = new Map(this.#rules);
    for (const id of ids) rules.delete(id);
    this.#apply(rules);
  }

  #apply(rules: ReadonlyMap<string, PermissionRule>): void {
    this.#changes += 1;
    this.#rules = rules;
    const list = [...rules.values()];
    this.#set = createPermissionSet(list);
    this.#feed.setPermissions(list);
  }
}

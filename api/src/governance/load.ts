import type { RegistryView, RouteTableFeed } from '../perceive/ports.js';
import type { AgentStore } from './agents/agent.store.js';
import type { CanaryBook } from './canary/canary.book.js';
import type { NamespaceStore } from './namespaces/namespace.store.js';
import type { PermissionStore } from './permissions/permission.store.js';
import type { RuleBook } from './permissions/rule-book.js';
import type { PolicyStore } from './policies/policy.store.js';
import type { PolicyBook } from './policies/policy-book.js';

export type LoadedKind = 'agents' | 'permissions' | 'policies' | 'canaries';

export interface RouteTableLoaderOptions {
  readonly feed: Pick<RouteTableFeed, 'putAgent' | 'removeAgent' | 'restoreInstance'>;
  /** What the route table holds. */
  readonly registry: Pick<RegistryView, 'agents' | 'agent'>;
  readonly agents: Pick<AgentStore, 'all' | 'allInstances'>;
  readonly permissions: Pick<PermissionStore, 'active'>;
  readonly policies: Pick<PolicyStore, 'all'>;
  readonly namespaces: Pick<NamespaceStore, 'canaries'>;
  readonly rules: RuleBook;
  readonly policyBook: PolicyBook;
  readonly canaryBook: CanaryBook;
}

/** Brings the durable configuration into the route table. */
export class RouteTableLoader {
  readonly #options: RouteTableLoaderOptions;

  constructor(options: RouteTableLoaderOptions) {
    this.#options = options;
  }

  /** Everything, at the start of the server. Throws what the database throws. */
  async loadAll(): Promise<void> {
    const { feed, agents } = this.#options;
    // Rules before agents, so that no agent can be reached before it is known who may.
    await this.reload('permissions');
    await this.reload('policies');
    await this.reload('canaries');
    await this.reload('agents');
    for (const record of await agents.allInstances()) feed.restoreInstance(record);
  }

  /**
   * One kind, after it may have changed behind this process's back: a commit of which the answer was lost. What
   * committed changes put into effect meanwhile is newer than what was read, so that it is read again.
   */
  async reload(kind: LoadedKind): Promise<void> {
    switch (kind) {
      case 'permissions':
        return refresh(this.#options.rules, () => this.#options.permissions.active());
      case 'policies':
        return refresh(this.#options.policyBook, () => this.#options.policies.all());
      case 'canaries':
        return refresh(this.#options.canaryBook, () => this.#options.namespaces.canaries());
      case 'agents':
        return this.#reloadAgents();
    }
  }

  /** Only what was there before the read and is unchanged since can be outdated by it. */
  async #reloadAgents(): Promise<void> {
    const { feed, registry, agents } = this.#options;
    const before = new Map(Array.from(registry.agents(), (record) => [record.ref, record.uid]));
    const found = await agents.all();
    for (const record of found) {
      const known = registry.agent(record.ref);
      const deletedMeanwhile = known === undefined && before.has(record.ref);
      const newer = known !== undefined && known.uid === record.uid && known.version > record.version;
      if (!deletedMeanwhile && !newer) feed.putAgent(record);
      before.delete(record.ref);
    }
    for (const [ref, uid] of before) if (registry.agent(ref)?.uid === uid) feed.removeAgent(ref);
  }
}

async function refresh<T>(
  book: { readonly changes: number; replace(items: readonly T[]): void },
  read: () => Promise<readonly T[]>,
): Promise<void> {
  for (;;) {
    const before = book.changes;
    const items = await read();
    if (book.changes !== before) continue;
    book.replace(items);
    return;
  }
}

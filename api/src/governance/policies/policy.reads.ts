import { DEFAULT_POLICY_CONTENT, type PolicyFieldChange, policyDiff, worstCaseMs } from '@agent-reach/sdk/decide';
import type { FieldFault } from '@agent-reach/sdk/protocol';
import { ReachError } from '@agent-reach/sdk/protocol';
import type { Scope } from '../access/principal.js';
import type { Page, PageRequest } from '../page.js';
import { toReachError } from '../storage-errors.js';
import type { PolicyStore } from './policy.store.js';
import type { PolicyVersionInHistory, PolicyView } from './policy.view.js';
import type { PolicyVersionStore } from './policy-version.store.js';

/** What is there: policies in their newest versions, and the versions of each. Throws STORAGE_UNAVAILABLE. */
export class PolicyReads {
  readonly #store: PolicyStore;
  readonly #versions: PolicyVersionStore;

  constructor(store: PolicyStore, versions: PolicyVersionStore) {
    this.#store = store;
    this.#versions = versions;
  }

  list(scope: Scope, namespace: string | null | undefined, request: PageRequest): Promise<Page<PolicyView>> {
    return read(() => this.#store.page(scope, namespace, request));
  }

  /** The policy, or undefined when there is none within the scope. */
  find(scope: Scope, id: string): Promise<PolicyView | undefined> {
    return read(() => this.#store.find(scope, id));
  }

  /** The same page of each of the policies, newest version first, in the order asked for. Who may is asked before. */
  async versions(ids: readonly string[], request: PageRequest): Promise<readonly Page<PolicyVersionInHistory>[]> {
    const pages = await read(() => this.#versions.pages(ids, request));
    return ids.map((id) => pages.get(id) ?? { items: [], hasNextPage: false, hasPreviousPage: false });
  }

  /** In what two versions of a policy differ. Throws INVALID_INPUT for versions that it doesn't have. Who may is asked before. */
  async diff({ id, version }: PolicyView, from: number, to: number): Promise<readonly PolicyFieldChange[]> {
    const found = await read(() => this.#versions.byNumber(id, [from, to]));
    const [before, after] = [found.get(from), found.get(to)];
    if (before !== undefined && after !== undefined) return policyDiff(before.content, after.content);
    const missing = (path: string, got: number): FieldFault => ({
      path,
      got: String(got),
      allowed: `a version of this policy, 1 to ${version}`,
    });
    throw new ReachError('INVALID_INPUT', 'There are no such versions to compare.', {
      fields: [
        ...(before === undefined ? [missing('from', from)] : []),
        ...(after === undefined ? [missing('to', to)] : []),
      ],
    });
  }
}

/** What a version changed against the one before it; the first against the defaults. */
export function versionChanges({ content, previous }: PolicyVersionInHistory): readonly PolicyFieldChange[] {
  return policyDiff(previous ?? DEFAULT_POLICY_CONTENT, content);
}

/** How long a call under the policy can take at most, in ms. */
export function policyWorstCaseMs(policy: Pick<PolicyView, 'content'>): number {
  return worstCaseMs(policy.content);
}

async function read<T>(query: () => Promise<T>): Promise<T> {
  try {
    return await query();
  } catch (error) {
    throw toReachError(error);
  }
}

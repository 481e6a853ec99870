import { type PolicyContent, validatePolicyContent, worstCaseMs } from '@agent-reach/sdk/decide';
import { idFault, type JsonObject } from '@agent-reach/sdk/protocol';
import type { RegistryView } from '../../perceive/ports.js';
import type { Scope } from '../access/principal.js';
import { inScope } from '../access/principal.js';
import type { Actor, Changes } from '../changes.js';
import { InputCheck, MAX_TEXT, notFound, versionConflict } from '../input.js';
import type { Page, PageRequest } from '../page.js';
import { toReachError } from '../storage-errors.js';
import { mergeJson } from './merge.js';
import { type PolicyStore, type PolicyView, policyOf } from './policy.store.js';
import type { PolicyBook } from './policy-book.js';

export interface PolicySaved {
  readonly policy: PolicyView;
  readonly warnings: readonly string[];
}

export interface PolicyInput {
  readonly namespace: string;
  readonly name: string;
  readonly content: unknown;
  readonly comment?: string | null | undefined;
}

export interface PolicyChange {
  readonly name?: string | null | undefined;
  readonly content?: unknown;
  readonly comment?: string | null | undefined;
}

const MAX_NAME = 100;

const auditOf = (policy: PolicyView): JsonObject & { readonly version: number } => ({
  id: policy.id,
  name: policy.name,
  version: policy.version,
  content: policy.content,
  author: policy.author,
  comment: policy.comment,
});

/** Creates, changes and deletes policies; every save is a new version. Who may is the caller's to ask before. */
export class PolicyService {
  readonly #store: PolicyStore;
  readonly #changes: Changes;
  readonly #book: PolicyBook;
  readonly #registry: Pick<RegistryView, 'agent'>;

  constructor(store: PolicyStore, changes: Changes, book: PolicyBook, registry: Pick<RegistryView, 'agent'>) {
    this.#store = store;
    this.#changes = changes;
    this.#book = book;
    this.#registry = registry;
  }

  async list(scope: Scope, namespace: string | null | undefined, request: PageRequest): Promise<Page<PolicyView>> {
    try {
      return await this.#store.page(scope, namespace, request);
    } catch (error) {
      throw toReachError(error);
    }
  }

  /** The policy, or undefined when there is none within the scope. */
  async find(scope: Scope, id: string): Promise<PolicyView | undefined> {
    try {
      return await this.#store.find(scope, id);
    } catch (error) {
      throw toReachError(error);
    }
  }

  /** Throws INVALID_INPUT, NOT_FOUND for the namespace, CONFLICT when the name is taken. */
  async create(actor: Actor, input: PolicyInput, scope: Scope): Promise<PolicySaved> {
    const check = new InputCheck();
    check.add(idFault('input.namespace', input.namespace));
    checkTexts(check, 'input', input);
    const { content, warnings } = this.#validate(check, 'input', input.content, scope);
    const policy = await this.#changes.run(actor, async (tx) => {
      const after = await this.#store.create(tx, {
        namespace: input.namespace,
        name: input.name.trim(),
        content,
        author: actor.caller,
        comment: input.comment ?? '',
      });
      return {
        action: 'policy.create',
        namespace: after.namespace,
        target: after.name,
        after: auditOf(after),
        result: after,
      };
    });
    this.#book.put(policyOf(policy));
    return { policy, warnings };
  }

  /** Throws INVALID_INPUT, NOT_FOUND, CONFLICT with the current state when `expectedVersion` is an older one. */
  async update(
    actor: Actor,
    id: string,
    patch: PolicyChange,
    expectedVersion: number,
    scope: Scope,
  ): Promise<PolicySaved> {
    const saved = await this.#changes.run(actor, async (tx) => {
      const before = await this.#store.lock(tx, id);
      if (before === undefined) throw notFound('policy', id);
      if (before.version !== expectedVersion) {
        throw versionConflict(`Policy ${before.name}`, expectedVersion, auditOf(before));
      }
      const check = new InputCheck();
      checkTexts(check, 'patch', patch);
      if (patch.name === null) check.add({ path: 'patch.name', got: 'null', allowed: 'a name' });
      const merged = patch.content === undefined ? before.content : mergeContent(before.content, patch.content);
      const { content, warnings } = this.#validate(check, 'patch', merged, scope);
      const policy = await this.#store.addVersion(tx, before, {
        name: patch.name?.trim() ?? before.name,
        content,
        author: actor.caller,
        comment: patch.comment ?? '',
      });
      return {
        action: 'policy.update',
        namespace: before.namespace,
        target: policy.name,
        before: auditOf(before),
        after: auditOf(policy),
        result: { policy, warnings },
      };
    });
    this.#book.put(policyOf(saved.policy));
    return saved;
  }

  /** Throws NOT_FOUND. */
  async delete(actor: Actor, id: string): Promise<PolicyView> {
    const policy = await this.#changes.run(actor, async (tx) => {
      const before = await this.#store.lock(tx, id);
      if (before === undefined) throw notFound('policy', id);
      await tx.policy.delete({ where: { uid: id } });
      return {
        action: 'policy.delete',
        namespace: before.namespace,
        target: before.name,
        before: auditOf(before),
        result: before,
      };
    });
    this.#book.remove(id);
    return policy;
  }

  #validate(
    check: InputCheck,
    path: string,
    input: unknown,
    scope: Scope,
  ): { readonly content: PolicyContent; readonly warnings: readonly string[] } {
    const { content, faults, warnings } = validatePolicyContent(input);
    for (const fault of faults) check.add({ ...fault, path: `${path}.${fault.path}` });
    if (typeof input !== 'object' || input === null) {
      check.add({ path: `${path}.content`, got: input === null ? 'null' : typeof input, allowed: 'an object' });
    }
    check.finish('The policy');
    if (content === undefined) throw new Error('a policy without faults has no content');
    // An agent outside the scope is as unknown as one that doesn't exist.
    const unknown = content.candidates.filter(
      (ref) => !inScope(scope, ref.slice(0, ref.indexOf('/'))) || this.#registry.agent(ref) === undefined,
    );
    return {
      content,
      warnings: [...warnings, ...unknown.map((ref) => `There is no agent ${ref} among the candidates' namespaces.`)],
    };
  }
}

/** How long a call under the policy can take at most, in ms. */
export function policyWorstCaseMs(policy: PolicyView): number {
  return worstCaseMs(policy.content);
}

function checkTexts(check: InputCheck, path: string, input: PolicyChange): void {
  if (input.name != null) check.text(`${path}.name`, input.name.trim(), MAX_NAME, 1);
  check.text(`${path}.comment`, input.comment, MAX_TEXT);
}

/** Another strategy brings its own settings; those of the one before don't carry over. */
function mergeContent(before: PolicyContent, patch: unknown): unknown {
  const strategy = (patch as { readonly strategy?: { readonly name?: unknown } | null } | null)?.strategy;
  const changed = strategy?.name !== undefined && strategy.name !== before.strategy.name;
  return mergeJson(changed ? { ...before, strategy: {} } : before, patch);
}

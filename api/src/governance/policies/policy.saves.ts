import type { PolicyContent } from '@agent-reach/sdk/decide';
import { idFault } from '@agent-reach/sdk/protocol';
import type { Scope } from '../access/principal.js';
import type { Actor } from '../changes.js';
import { InputCheck, MAX_TEXT } from '../input.js';
import { mergeJson } from './merge.js';
import type { PolicyChanges, PolicySaved } from './policy.changes.js';
import type { PolicyStore } from './policy.store.js';
import type { PolicyView } from './policy.view.js';

export interface PolicyInput {
  readonly namespace: string;
  readonly name: string;
  readonly content: unknown;
  readonly comment?: string | null | undefined;
  readonly tests?: unknown;
  readonly rolloutPercent?: number | null | undefined;
}

/** What is absent stays as the newest version has it, but for the comment; null gives back the default. */
export interface PolicyPatch extends Partial<Omit<PolicyInput, 'namespace' | 'name'>> {
  readonly name?: string | null | undefined;
}

const ALL = 100;

/** Creates, changes and deletes policies; every save is a new version, and its tests must pass. Who may is asked before. */
export class PolicySaves {
  readonly #store: PolicyStore;
  readonly #changes: PolicyChanges;

  constructor(store: PolicyStore, changes: PolicyChanges) {
    this.#store = store;
    this.#changes = changes;
  }

  /** Throws INVALID_INPUT (tests that fail included), NOT_FOUND for the namespace, CONFLICT when the name is taken. */
  async create(actor: Actor, input: PolicyInput, scope: Scope): Promise<PolicySaved> {
    const { namespace } = input;
    const name = input.name.trim();
    const check = new InputCheck();
    check.add(idFault('input.namespace', namespace));
    checkFields(check, 'input', input);
    const draft = { namespace, id: undefined, name, content: input.content, tests: input.tests };
    const { content, tests, warnings, results } = this.#changes.demandGood(check, 'input', draft, scope);
    const policy = await this.#changes.create(actor, (tx) =>
      this.#store.create(tx, namespace, {
        name,
        content,
        tests,
        author: actor.caller,
        comment: input.comment ?? '',
        rolloutPercent: input.rolloutPercent ?? ALL,
        restoredFrom: null,
      }),
    );
    return { policy, warnings, tests: results };
  }

  /**
   * Throws INVALID_INPUT (tests that fail included), NOT_FOUND, CONFLICT with the current state when `expectedVersion`
   * is an older one. The new version has the share of the one before unless the patch says otherwise: while a policy is
   * tried on a few calls, a correction must not reach all of them unasked.
   */
  update(actor: Actor, id: string, patch: PolicyPatch, expectedVersion: number, scope: Scope): Promise<PolicySaved> {
    return this.#changes.change({ actor, id, expectedVersion, action: 'policy.update' }, async (tx, before) => {
      const { rolloutPercent } = patch;
      const name = patch.name?.trim() ?? before.name;
      const check = new InputCheck();
      checkFields(check, 'patch', patch);
      if (patch.name === null) check.add({ path: 'patch.name', got: 'null', allowed: 'a name' });
      const draft = {
        namespace: before.namespace,
        id,
        name,
        content: patch.content === undefined ? before.content : mergeContent(before.content, patch.content),
        tests: patch.tests === undefined ? before.tests : patch.tests,
      };
      const { content, tests, warnings, results } = this.#changes.demandGood(check, 'patch', draft, scope);
      const policy = await this.#store.addVersion(tx, before, {
        name,
        content,
        tests,
        author: actor.caller,
        comment: patch.comment ?? '',
        rolloutPercent: rolloutPercent === undefined ? before.rolloutPercent : (rolloutPercent ?? ALL),
        restoredFrom: null,
      });
      return { policy, warnings, tests: results };
    });
  }

  /** Throws NOT_FOUND. */
  delete(actor: Actor, id: string): Promise<PolicyView> {
    return this.#changes.delete(actor, id);
  }
}

function checkFields(check: InputCheck, path: string, input: PolicyPatch): void {
  check.text(`${path}.comment`, input.comment, MAX_TEXT);
  check.whole(`${path}.rolloutPercent`, input.rolloutPercent, 1, ALL);
}

/** Another strategy brings its own settings; those of the one before don't carry over. */
function mergeContent(before: PolicyContent, patch: unknown): unknown {
  const strategy = (patch as { readonly strategy?: { readonly name?: unknown } | null } | null)?.strategy;
  const changed = strategy?.name !== undefined && strategy.name !== before.strategy.name;
  return mergeJson(changed ? { ...before, strategy: {} } : before, patch);
}

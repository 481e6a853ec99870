import type { PolicyContent, PolicyTestResult } from '@agent-reach/sdk/decide';
import type { Prisma } from '../../storage/generated/client.js';
import type { Scope } from '../access/principal.js';
import type { Actor, Change, Changes } from '../changes.js';
import { type InputCheck, notFound, versionConflict } from '../input.js';
import { failedTestFaults, type Judgement, type PolicyDraft, type PolicyJudge } from './policy.judge.js';
import type { PolicyStore } from './policy.store.js';
import { auditOf, type PolicyView, policyOf } from './policy.view.js';
import type { PolicyBook } from './policy-book.js';

export interface PolicySaved {
  readonly policy: PolicyView;
  readonly warnings: readonly string[];
  /** How the saved tests ended. */
  readonly tests: readonly PolicyTestResult[];
}

/** A change of one policy. */
export interface PolicyChangeOptions {
  readonly actor: Actor;
  readonly id: string;
  /** The version that the change was based on. */
  readonly expectedVersion: number;
  /** As audit names it, such as `policy.update`. */
  readonly action: string;
}

type Tx = Prisma.TransactionClient;

/** How every change of a policy is made: locked, checked against the version it was based on, audited, put in force. */
export class PolicyChanges {
  readonly #store: PolicyStore;
  readonly #changes: Changes;
  readonly #book: PolicyBook;
  readonly #judge: PolicyJudge;

  constructor(store: PolicyStore, changes: Changes, book: PolicyBook, judge: PolicyJudge) {
    this.#store = store;
    this.#changes = changes;
    this.#book = book;
    this.#judge = judge;
  }

  /** Makes something new. The policy is in force in the tick in which its commit was confirmed. */
  async create(actor: Actor, work: (tx: Tx) => Promise<PolicyView>): Promise<PolicyView> {
    const policy = await this.#changes.run(actor, async (tx): Promise<Change<PolicyView>> => {
      const after = await work(tx);
      const { namespace, name } = after;
      return { action: 'policy.create', namespace, target: name, after: auditOf(after), result: after };
    });
    this.#publish(policy);
    return policy;
  }

  /**
   * Changes a policy while others wait. Throws what the work throws, NOT_FOUND, and CONFLICT with the current state when
   * `expectedVersion` is an older one: of two who save at once the second sees what the first saved.
   */
  async change(
    { actor, id, expectedVersion, action }: PolicyChangeOptions,
    work: (tx: Tx, before: PolicyView) => Promise<PolicySaved>,
  ): Promise<PolicySaved> {
    const saved = await this.#changes.run(actor, async (tx): Promise<Change<PolicySaved>> => {
      const before = await this.#lock(tx, id);
      if (before.version !== expectedVersion) {
        throw versionConflict(`Policy ${before.name}`, expectedVersion, auditOf(before));
      }
      const result = await work(tx, before);
      const { namespace, name } = result.policy;
      return { action, namespace, target: name, before: auditOf(before), after: auditOf(result.policy), result };
    });
    this.#publish(saved.policy);
    return saved;
  }

  /** Throws NOT_FOUND. */
  async delete(actor: Actor, id: string): Promise<PolicyView> {
    const policy = await this.#changes.run(actor, async (tx): Promise<Change<PolicyView>> => {
      const before = await this.#lock(tx, id);
      await this.#store.delete(tx, id);
      const { namespace, name } = before;
      return { action: 'policy.delete', namespace, target: name, before: auditOf(before), result: before };
    });
    this.#book.remove(id);
    return policy;
  }

  /** The judgement, if it finds nothing that keeps the draft from being saved. `path` names the draft's argument. */
  demandGood(
    check: InputCheck,
    path: string,
    draft: PolicyDraft,
    scope: Scope,
  ): Judgement & { readonly content: PolicyContent } {
    const { content, ...rest } = this.#judge.judge(draft, scope);
    for (const fault of [...rest.faults, ...failedTestFaults(rest.results)]) {
      check.add({ ...fault, path: `${path}.${fault.path}` });
    }
    check.finish('The policy');
    if (content === undefined) throw new Error('a policy without faults has no content');
    return { content, ...rest };
  }

  async #lock(tx: Tx, id: string): Promise<PolicyView> {
    const policy = await this.#store.lock(tx, id);
    if (policy === undefined) throw notFound('policy', id);
    return policy;
  }

  #publish(policy: PolicyView): void {
    this.#book.put({ policy: policyOf(policy), revision: policy.revision });
  }
}

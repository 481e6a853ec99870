import type { Actor, Changes } from '../changes.js';
import { InputCheck, MAX_TEXT, notFound, versionConflict } from '../input.js';
import type { Page, PageRequest } from '../page.js';
import { toReachError } from '../storage-errors.js';
import { callerFault, capabilityFault, namespaceOfTarget, targetFault } from './permission.pattern.js';
import { type PermissionRow, type PermissionSelection, type PermissionStore, ruleOf } from './permission.store.js';
import {
  auditOf,
  type PermissionChange,
  type PermissionInput,
  type PermissionView,
  statusOf,
  viewOf,
} from './permission.view.js';
import type { RuleBook } from './rule-book.js';

/** Creates, changes and deletes permission rules. Who may is the caller's to ask before. */
export class PermissionService {
  readonly #store: PermissionStore;
  readonly #changes: Changes;
  readonly #rules: RuleBook;
  readonly #now: () => number;

  constructor(store: PermissionStore, changes: Changes, rules: RuleBook, now: () => number = Date.now) {
    this.#store = store;
    this.#changes = changes;
    this.#rules = rules;
    this.#now = now;
  }

  async list(selection: PermissionSelection, request: PageRequest): Promise<Page<PermissionView>> {
    try {
      const page = await this.#store.page(selection, request);
      return { ...page, items: page.items.map(viewOf) };
    } catch (error) {
      throw toReachError(error);
    }
  }

  /** The rules by id, in the order asked for; undefined where there is none. */
  async byIds(ids: readonly string[]): Promise<readonly (PermissionView | undefined)[]> {
    try {
      const found = new Map((await this.#store.byIds(ids)).map((row) => [row.uid, viewOf(row)]));
      return ids.map((id) => found.get(id));
    } catch (error) {
      throw toReachError(error);
    }
  }

  /**
   * Checks the form of a new rule and tells its namespace, so that the caller can ask who may. Throws INVALID_INPUT.
   */
  namespaceOf(input: PermissionInput): string {
    const check = new InputCheck();
    check.add(callerFault('input.caller', input.caller));
    check.add(targetFault('input.target', input.target));
    check.add(capabilityFault('input.capability', input.capability));
    check.text('input.comment', input.comment, MAX_TEXT);
    check.future('input.expiresAt', input.expiresAt, this.#now());
    const named = input.target === '*' ? undefined : namespaceOfTarget(input.target);
    const namespace = input.namespace ?? named;
    if (input.target !== '*' && named === undefined) {
      check.add({
        path: 'input.target',
        got: 'several namespaces',
        allowed: 'agents of one namespace, such as shop/*',
      });
    } else if (namespace === undefined) {
      check.add({ path: 'input.namespace', got: 'nothing', allowed: 'the namespace that the rule is for' });
    } else if (named !== undefined && named !== namespace) {
      check.add({ path: 'input.namespace', got: namespace, allowed: `the namespace of the target, ${named}` });
    }
    check.finish('The rule');
    return namespace ?? '';
  }

  /** Throws INVALID_INPUT, NOT_FOUND for the namespace, CONFLICT when there is the same rule. */
  async create(actor: Actor, input: PermissionInput): Promise<PermissionView> {
    const namespace = this.namespaceOf(input);
    const row = await this.#changes.run(actor, async (tx) => {
      const created = await tx.permission.create({
        data: {
          namespaceId: namespace,
          caller: input.caller,
          target: input.target === '*' ? `${namespace}/*` : input.target,
          capability: input.capability,
          effect: input.effect,
          status: statusOf(input.effect, input.caller, namespace),
          comment: input.comment ?? '',
          createdBy: actor.caller,
          expiresAt: input.expiresAt ?? null,
        },
      });
      const after = auditOf(viewOf(created));
      return { action: 'permission.create', namespace, target: created.uid, after, result: created };
    });
    this.#publish(row);
    return viewOf(row);
  }

  /** The namespace of a rule, so that the caller can ask who may; undefined when there is no such rule. */
  async namespaceOfRule(id: string): Promise<string | undefined> {
    return (await this.byIds([id]))[0]?.namespace;
  }

  /** Throws INVALID_INPUT, NOT_FOUND, CONFLICT with the current state when `expectedVersion` is an older one. */
  async update(actor: Actor, id: string, patch: PermissionChange, expectedVersion: number): Promise<PermissionView> {
    const check = new InputCheck();
    check.text('patch.comment', patch.comment, MAX_TEXT);
    check.future('patch.expiresAt', patch.expiresAt, this.#now());
    if (patch.effect === null) check.add({ path: 'patch.effect', got: 'null', allowed: 'ALLOW or DENY' });
    check.finish('The change');
    const row = await this.#changes.run(actor, async (tx) => {
      const before = await this.#store.lock(tx, id);
      if (before === null) throw notFound('permission rule', id);
      if (before.version !== expectedVersion) {
        throw versionConflict('The permission rule', expectedVersion, auditOf(viewOf(before)));
      }
      const effect = patch.effect ?? before.effect;
      const updated = await tx.permission.update({
        where: { uid: id },
        data: {
          ...(patch.comment === undefined ? {} : { comment: patch.comment ?? '' }),
          ...(patch.expiresAt === undefined ? {} : { expiresAt: patch.expiresAt }),
          // an approval was given for the effect that it saw
          ...(effect === before.effect
            ? {}
            : { effect, status: statusOf(effect, before.caller, before.namespaceId), decidedBy: null }),
          version: { increment: 1 },
        },
      });
      return {
        action: 'permission.update',
        namespace: before.namespaceId,
        target: id,
        before: auditOf(viewOf(before)),
        after: auditOf(viewOf(updated)),
        result: updated,
      };
    });
    this.#publish(row);
    return viewOf(row);
  }

  /** Throws NOT_FOUND. */
  async delete(actor: Actor, id: string): Promise<PermissionView> {
    const row = await this.#changes.run(actor, async (tx) => {
      const before = await this.#store.lock(tx, id);
      if (before === null) throw notFound('permission rule', id);
      await tx.permission.delete({ where: { uid: id } });
      return {
        action: 'permission.delete',
        namespace: before.namespaceId,
        target: id,
        before: auditOf(viewOf(before)),
        result: before,
      };
    });
    this.#rules.remove([id]);
    return viewOf(row);
  }

  #publish(row: PermissionRow): void {
    if (row.status === 'ACTIVE') this.#rules.put(ruleOf(row));
    else this.#rules.remove([row.uid]);
  }
}

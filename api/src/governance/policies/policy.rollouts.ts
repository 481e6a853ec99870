import type { Prisma } from '../../storage/generated/client.js';
import type { Scope } from '../access/principal.js';
import type { Actor } from '../changes.js';
import { InputCheck, MAX_TEXT } from '../input.js';
import type { PolicyChanges, PolicySaved } from './policy.changes.js';
import type { Judgement, PolicyJudge } from './policy.judge.js';
import type { PolicyStore } from './policy.store.js';
import type { PolicyVersionView, PolicyView } from './policy.view.js';
import type { PolicyVersionStore } from './policy-version.store.js';

const ALL = 100;

/** Says which version of a policy is for which calls: goes back to an earlier one, or changes the newest one's share. */
export class PolicyRollouts {
  readonly #store: PolicyStore;
  readonly #versions: PolicyVersionStore;
  readonly #changes: PolicyChanges;
  readonly #judge: PolicyJudge;

  constructor(store: PolicyStore, versions: PolicyVersionStore, changes: PolicyChanges, judge: PolicyJudge) {
    this.#store = store;
    this.#versions = versions;
    this.#changes = changes;
    this.#judge = judge;
  }

  /**
   * Makes content and tests of an earlier version a new one, for all calls. Tests that fail by now are a warning and
   * don't keep it back: this is how a mistake is undone, and that version was in use before. Throws INVALID_INPUT when
   * there is no such earlier version, NOT_FOUND, CONFLICT with the current state when `expectedVersion` is an older one.
   */
  rollback(
    actor: Actor,
    id: string,
    { toVersion, comment }: { readonly toVersion: number; readonly comment?: string | null | undefined },
    expectedVersion: number,
    scope: Scope,
  ): Promise<PolicySaved> {
    return this.#changes.change({ actor, id, expectedVersion, action: 'policy.rollback' }, async (tx, before) => {
      const { content, tests } = await this.#earlier(tx, before, toVersion, comment);
      const draft = { namespace: before.namespace, id, name: before.name, content, tests };
      const judgement = this.#judge.judge(draft, scope);
      const policy = await this.#store.addVersion(tx, before, {
        name: before.name,
        content,
        tests,
        author: actor.caller,
        comment: comment ?? '',
        rolloutPercent: ALL,
        restoredFrom: toVersion,
      });
      return { policy, warnings: warningsOf(judgement), tests: judgement.results };
    });
  }

  /** Makes no new version. Throws INVALID_INPUT, NOT_FOUND, CONFLICT like `rollback`. */
  setShare(actor: Actor, id: string, percent: number, expectedVersion: number, scope: Scope): Promise<PolicySaved> {
    return this.#changes.change({ actor, id, expectedVersion, action: 'policy.rollout' }, async (tx, before) => {
      const check = new InputCheck();
      check.whole('percent', percent, 1, ALL);
      check.finish('The share');
      const { warnings, results } = this.#judge.judge(before, scope);
      return { policy: await this.#store.setRollout(tx, before, percent), warnings, tests: results };
    });
  }

  async #earlier(
    tx: Prisma.TransactionClient,
    { id, version }: PolicyView,
    toVersion: number,
    comment: string | null | undefined,
  ): Promise<PolicyVersionView> {
    const check = new InputCheck();
    check.text('comment', comment, MAX_TEXT);
    const found = toVersion < version ? await this.#versions.byNumber(id, [toVersion], tx) : undefined;
    const old = found?.get(toVersion);
    if (old === undefined) {
      const allowed =
        version === 1 ? 'nothing: there is no earlier version' : `an earlier version, 1 to ${version - 1}`;
      check.add({ path: 'toVersion', got: String(toVersion), allowed });
    }
    check.finish('The way back');
    if (old === undefined) throw new Error('a version that is missing was no fault');
    return old;
  }
}

/** What would keep the version from being saved today is told, and keeps nobody from going back to it. */
function warningsOf({ warnings, faults, results }: Judgement): string[] {
  const names = results.filter(({ passed }) => !passed).map(({ name }) => name);
  return [
    ...warnings,
    ...faults.map(({ path, got, allowed }) => `That version has ${path} ${got}, where ${allowed} is allowed by now.`),
    ...(names.length === 0 ? [] : [`Saved tests of that version fail by now: ${names.join(', ')}.`]),
  ];
}

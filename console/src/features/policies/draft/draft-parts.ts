import { type PolicyFieldChange, policyDiff } from '@agent-reach/sdk/decide';
import { sameJson } from '@/ui/diff';
import { draftOf, type PolicyDraft } from './policy-draft';
import { rebase } from './rebase';
import { testName } from './test-name';

/** What is edited of a policy. */
export interface DraftParts {
  readonly name: string;
  readonly content: PolicyDraft;
  readonly tests: readonly unknown[];
}

/** The parts of a stored policy, with every default filled in. */
export function partsOf(policy: {
  readonly name: string;
  readonly content: unknown;
  readonly tests: unknown;
}): DraftParts {
  return {
    name: policy.name,
    content: draftOf(policy.content),
    tests: Array.isArray(policy.tests) ? policy.tests : [],
  };
}

/** What was edited of `base`, put on top of `theirs`. */
export function rebaseParts(base: DraftParts, mine: DraftParts, theirs: DraftParts): DraftParts {
  return {
    name: rebase(base.name, mine.name, theirs.name) as string,
    content: rebase(base.content, mine.content, theirs.content) as PolicyDraft,
    tests: rebaseTests(base.tests, mine.tests, theirs.tests),
  };
}

/** Test by test: one that only they changed, added or removed is theirs. */
function rebaseTests(
  base: readonly unknown[],
  mine: readonly unknown[],
  theirs: readonly unknown[],
): readonly unknown[] {
  const named = (tests: readonly unknown[], name: string) => tests.find((test) => testName(test) === name);
  const names = [...new Set([...theirs, ...mine].map(testName))];
  return names
    .map((name) => {
      const [before, own, other] = [named(base, name), named(mine, name), named(theirs, name)];
      return sameJson(before, own) ? other : own;
    })
    .filter((test) => test !== undefined);
}

/** Where two states of a policy differ. */
export function partChanges(before: DraftParts, after: DraftParts): readonly PolicyFieldChange[] {
  return [
    ...(before.name === after.name ? [] : [{ path: 'name', before: before.name, after: after.name }]),
    ...policyDiff(before.content, after.content),
    ...testChanges(before.tests, after.tests),
  ];
}

/** Each test that differs, by its name. */
function testChanges(before: readonly unknown[], after: readonly unknown[]): readonly PolicyFieldChange[] {
  const names = [...new Set([...before, ...after].map(testName))];
  const named = (tests: readonly unknown[], name: string) => tests.find((test) => testName(test) === name);
  return names
    .map((name) => ({ path: `tests: ${name}`, before: named(before, name), after: named(after, name) }))
    .filter((change) => !sameJson(change.before, change.after));
}

'use client';

import {
  type PolicyContent,
  type PolicyTest,
  type PolicyTestResult,
  runPolicyTests,
  validatePolicyTests,
} from '@agent-reach/sdk/decide';
import { useDeferredValue, useMemo } from 'react';

/** What tests are run against; the name is what their expectations and the reasons call it. */
export interface PolicyUnderTest {
  readonly namespace: string;
  readonly name: string;
  /** Undefined while it is not valid. */
  readonly content: PolicyContent | undefined;
}

/** As which the server judges a policy that has no name yet. */
const UNNAMED = 'draft';

/** The test's result under a policy, by the code that decides; undefined while the policy is not valid. */
export function runTest({ namespace, name, content }: PolicyUnderTest, tests: readonly PolicyTest[]) {
  return content === undefined ? undefined : runPolicyTests(namespace, content, tests, name.trim() || UNNAMED)[0];
}

export type TestState =
  /** The test can't be run as it is written; by its path, what is wrong. */
  | { readonly is: 'FAULTY'; readonly faults: readonly string[] }
  | { readonly is: 'RUN'; readonly result: PolicyTestResult }
  /** The policy itself is not valid yet. */
  | { readonly is: 'WAITING' };

/** How each test ends under a policy, by the code that decides. Each stands alone: a faulty one doesn't stop the others. */
export function testStates(policy: PolicyUnderTest, tests: readonly unknown[]): readonly TestState[] {
  return tests.map((test) => {
    const { tests: valid, faults } = validatePolicyTests([test]);
    if (faults.length > 0) {
      return {
        is: 'FAULTY',
        faults: faults.map(
          ({ path, got, allowed }) => `${path.replace(/^tests\.0\.?/, '') || 'test'}: got ${got}, allowed: ${allowed}`,
        ),
      };
    }
    const result = runTest(policy, valid ?? []);
    return result === undefined ? { is: 'WAITING' } : { is: 'RUN', result };
  });
}

/** The same as a hook that lets typing go first. */
export function useTestStates(policy: PolicyUnderTest, tests: readonly unknown[]): readonly TestState[] {
  const { namespace, name } = policy;
  const content = useDeferredValue(policy.content);
  return useMemo(() => testStates({ namespace, name, content }, tests), [namespace, name, content, tests]);
}

/** How many of them keep a policy from being saved. */
export function failingTests(states: readonly TestState[]): number {
  return states.filter((state) => state.is === 'FAULTY' || (state.is === 'RUN' && !state.result.passed)).length;
}

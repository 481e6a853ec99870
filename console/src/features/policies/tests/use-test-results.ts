'use client';

import {
  type PolicyContent,
  type PolicyTestResult,
  runPolicyTests,
  validatePolicyTests,
} from '@agent-reach/sdk/decide';
import { useDeferredValue, useMemo } from 'react';

export type TestState =
  /** The test can't be run as it is written; by its path, what is wrong. */
  | { readonly is: 'FAULTY'; readonly faults: readonly string[] }
  | { readonly is: 'RUN'; readonly result: PolicyTestResult }
  /** The policy itself is not valid yet. */
  | { readonly is: 'WAITING' };

/** How each test ends under a policy, by the code that decides. Each stands alone: a faulty one doesn't stop the others. */
export function testStates(
  namespace: string,
  content: PolicyContent | undefined,
  tests: readonly unknown[],
): readonly TestState[] {
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
    const result = content === undefined ? undefined : runPolicyTests(namespace, content, valid ?? [])[0];
    return result === undefined ? { is: 'WAITING' } : { is: 'RUN', result };
  });
}

/** The same as a hook that lets typing go first. */
export function useTestStates(
  namespace: string,
  content: PolicyContent | undefined,
  tests: readonly unknown[],
): readonly TestState[] {
  const later = useDeferredValue(content);
  return useMemo(() => testStates(namespace, later, tests), [namespace, later, tests]);
}

/** How many of them keep a policy from being saved. */
export function failingTests(states: readonly TestState[]): number {
  return states.filter((state) => state.is === 'FAULTY' || (state.is === 'RUN' && !state.result.passed)).length;
}

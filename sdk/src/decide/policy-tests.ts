import type { FieldFault } from '../protocol/index.js';
import { caseFaults, runCase } from './case-file.js';
import type { CaseFault, CasePermission, CaseRequest, CaseTable, DecisionCase } from './case-format.js';
import { readCase } from './case-validation.js';
import type { PolicyContent } from './policy.js';
import { FieldReader, shown } from './policy-fields.js';

/**
 * A test that is saved with a policy: a case of the format of `cases/*.yaml`, in which the policy is the only one
 * besides the built-in default. Without `table.permissions` everybody may call everything, since the test is of the
 * policy; without `request.namespace` the call is of the policy's namespace.
 */
export interface PolicyTest extends Omit<DecisionCase, 'table' | 'request'> {
  readonly table: Omit<CaseTable, 'policies'>;
  readonly request: Omit<CaseRequest, 'namespace'> & { readonly namespace?: string };
}

/** How a saved test ended. */
export interface PolicyTestResult {
  readonly name: string;
  readonly passed: boolean;
  /** In what the decision was not what the test expects; empty when it passed. */
  readonly faults: readonly CaseFault[];
}

/** Tests that a policy may have. */
export const MAX_TESTS = 50;

/**
 * Checks what somebody wants to save as a policy's tests: a list, or nothing. `tests` is there when there are no
 * faults; it holds what was given without what was null.
 */
export function validatePolicyTests(input: unknown): {
  readonly tests?: readonly PolicyTest[];
  readonly faults: readonly FieldFault[];
} {
  if (input == null) return { tests: [], faults: [] };
  if (!Array.isArray(input)) return { faults: [{ path: 'tests', got: shown(input), allowed: 'a list' }] };
  const faults: FieldFault[] = [];
  if (input.length > MAX_TESTS) {
    faults.push({ path: 'tests', got: `${input.length} entries`, allowed: `at most ${MAX_TESTS}` });
  }
  const names = new Set<string>();
  const tests = input.slice(0, MAX_TESTS).map((each, index) => {
    const reader = new FieldReader(`tests.${index}`, each, faults);
    if (each == null) reader.fault('', shown(each), 'an object');
    const test = readCase(reader);
    if (test.name !== '' && names.has(test.name)) {
      reader.fault('name', JSON.stringify(test.name), 'a name that no other test of the policy has');
    }
    names.add(test.name);
    return test;
  });
  // Through JSON, because what is stored and read again is to be the same as what was checked.
  return faults.length > 0 ? { faults } : { tests: JSON.parse(JSON.stringify(tests)) as PolicyTest[], faults };
}

/**
 * Runs a policy's saved tests, as `validatePolicyTests` gave them, through the router's own code.
 *
 * @param name what the policy is called, as a test may expect it in `expect.policy`
 */
export function runPolicyTests(
  namespace: string,
  content: PolicyContent,
  tests: readonly PolicyTest[],
  name = 'policy',
): readonly PolicyTestResult[] {
  return tests.map((test) => {
    const request: CaseRequest = { ...test.request, namespace: test.request.namespace ?? namespace };
    const table: CaseTable = {
      ...test.table,
      permissions: test.table.permissions ?? everything(test, request.namespace),
      // Checked, and thus copied, once more: a strategy's memory belongs to its settings, and no test sees another's.
      policies: [{ name, namespace, content }],
    };
    const faults = caseFaults(test.expect, runCase({ table, request }));
    return { name: test.name, passed: faults.length === 0, faults };
  });
}

function everything(test: PolicyTest, namespace: string): readonly CasePermission[] {
  const namespaces = new Set([namespace, ...test.table.instances.map(({ ref }) => ref.slice(0, ref.indexOf('/')))]);
  return [...namespaces].map((each) => ({
    namespace: each,
    caller: '*',
    target: '*',
    capability: '*',
    effect: 'ALLOW',
  }));
}

import type { PolicyFieldChange, PolicyTestResult } from '@agent-reach/sdk/decide';
import { policyWorstCaseMs, versionChanges } from '../../../governance/policies/policy.reads.js';
import {
  type PolicyVersionInHistory,
  type PolicyView,
  stableVersionOf,
} from '../../../governance/policies/policy.view.js';
import type { PolicyType } from '../types/policies.types.js';
import type { PolicyTestResultType } from '../types/policy-tests.types.js';
import type { PolicyFieldChangeType, PolicyVersionType } from '../types/policy-versions.types.js';

export function policyNode(policy: PolicyView): PolicyType {
  return { ...policy, worstCaseMs: policyWorstCaseMs(policy), stableVersion: stableVersionOf(policy) };
}

export function versionNode(version: PolicyVersionInHistory): PolicyVersionType {
  return { ...version, changes: changeNodes(versionChanges(version)) };
}

export function changeNodes(changes: readonly PolicyFieldChange[]): readonly PolicyFieldChangeType[] {
  return changes.map(({ path, before, after }) => ({ path, before: before ?? null, after: after ?? null }));
}

export function testNodes(results: readonly PolicyTestResult[]): readonly PolicyTestResultType[] {
  return results.map(({ faults, ...result }) => ({
    ...result,
    faults: faults.map(({ path, expected, got }) => ({ path, expected: expected ?? null, got: got ?? null })),
  }));
}

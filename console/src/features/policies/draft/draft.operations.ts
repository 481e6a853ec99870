import type { FieldFault } from '@agent-reach/sdk/protocol';
import { operation } from '@/graphql/operation';
import type { FieldChange } from '../versions/versions.operations';

/** A policy that is not saved yet; `id` names the one that it would replace. */
export interface PolicyDraftInput {
  readonly namespace: string;
  readonly id?: string;
  readonly name?: string;
  readonly content: unknown;
  readonly tests?: unknown;
}

export interface TestOutcome {
  readonly name: string;
  readonly passed: boolean;
  readonly faults: readonly {
    readonly path: string;
    readonly expected: string | null;
    readonly got: string | null;
  }[];
}

export interface PolicyCheck {
  readonly faults: readonly FieldFault[];
  readonly warnings: readonly string[];
  readonly worstCaseMs: number | null;
  readonly tests: readonly TestOutcome[];
  /** Against the version that is in force. */
  readonly changes: readonly FieldChange[];
}

export const CHECK_POLICY = operation<{ checkPolicy: PolicyCheck }, { draft: PolicyDraftInput }>(`
  query CheckPolicy($draft: PolicyDraftInput!) {
    checkPolicy(draft: $draft) {
      faults { path got allowed }
      warnings worstCaseMs
      tests { name passed faults { path expected got } }
      changes { path before after }
    }
  }
`);

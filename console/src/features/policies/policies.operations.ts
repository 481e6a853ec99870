import { operation } from '@/graphql/operation';
import { type Connection, PAGE_INFO, type PageVariables } from '@/graphql/types';

export interface PolicyDetail {
  readonly id: string;
  readonly namespace: string;
  readonly name: string;
  readonly version: number;
  readonly content: unknown;
  /** Saved tests, in the format of a decision case. */
  readonly tests: unknown;
  /** Share of the calls that `version` is for, in percent. */
  readonly rolloutPercent: number;
  /** The version that the rest of the calls use. */
  readonly stableVersion: number;
  readonly author: string;
  readonly comment: string;
  readonly updatedAt: string;
  readonly worstCaseMs: number;
}

const FIELDS =
  'id namespace name version content tests rolloutPercent stableVersion author comment updatedAt worstCaseMs';

export const POLICIES = operation<
  { policies: Connection<PolicyDetail> },
  { namespace: string | null } & PageVariables
>(`
  query Policies($namespace: String, $first: Int, $after: String, $last: Int, $before: String) {
    policies(namespace: $namespace, first: $first, after: $after, last: $last, before: $before) {
      nodes { ${FIELDS} }
      ${PAGE_INFO}
    }
  }
`);

export const POLICY = operation<{ policy: PolicyDetail | null }, { id: string }>(`
  query Policy($id: ID!) { policy(id: $id) { ${FIELDS} } }
`);

export interface PolicySaved {
  readonly policy: PolicyDetail;
  readonly warnings: readonly string[];
}

const SAVED = `{ policy { ${FIELDS} } warnings }`;

/** What a save writes. The content is complete and valid. */
export interface PolicyToSave {
  readonly name: string;
  readonly content: unknown;
  readonly tests: unknown;
  readonly comment: string;
  readonly rolloutPercent: number;
}

export const CREATE_POLICY = operation<
  { createPolicy: PolicySaved },
  { input: PolicyToSave & { readonly namespace: string } }
>(`
  mutation CreatePolicy($input: CreatePolicyInput!) { createPolicy(input: $input) ${SAVED} }
`);

export const UPDATE_POLICY = operation<
  { updatePolicy: PolicySaved },
  { id: string; patch: PolicyToSave; expectedVersion: number }
>(`
  mutation UpdatePolicy($id: ID!, $patch: PolicyPatch!, $expectedVersion: Int!) {
    updatePolicy(id: $id, patch: $patch, expectedVersion: $expectedVersion) ${SAVED}
  }
`);

export const DELETE_POLICY = operation<{ deletePolicy: { id: string } }, { id: string }>(`
  mutation DeletePolicy($id: ID!) { deletePolicy(id: $id) { id } }
`);

export const RESTORE_VERSION = operation<
  { rollbackPolicy: PolicySaved },
  { id: string; toVersion: number; expectedVersion: number; comment: string }
>(`
  mutation RollbackPolicy($id: ID!, $toVersion: Int!, $expectedVersion: Int!, $comment: String) {
    rollbackPolicy(id: $id, toVersion: $toVersion, expectedVersion: $expectedVersion, comment: $comment) ${SAVED}
  }
`);

export const SET_ROLLOUT = operation<
  { setPolicyRollout: PolicySaved },
  { id: string; percent: number; expectedVersion: number }
>(`
  mutation SetPolicyRollout($id: ID!, $percent: Int!, $expectedVersion: Int!) {
    setPolicyRollout(id: $id, percent: $percent, expectedVersion: $expectedVersion) ${SAVED}
  }
`);

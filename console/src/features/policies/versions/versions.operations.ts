import { operation } from '@/graphql/operation';
import { type Connection, PAGE_INFO, type PageVariables } from '@/graphql/types';

/** One leaf of a policy that two versions hold differently. null: it is not set there. */
export interface FieldChange {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

export interface PolicyVersion {
  readonly version: number;
  readonly author: string;
  readonly comment: string;
  readonly rolloutPercent: number;
  readonly createdAt: string;
  readonly restoredFrom: number | null;
  /** Against the version before. */
  readonly changes: readonly FieldChange[];
}

export const POLICY_VERSIONS = operation<
  { policyVersions: Connection<PolicyVersion> },
  { id: string } & PageVariables
>(`
  query PolicyVersions($id: ID!, $first: Int, $after: String, $last: Int, $before: String) {
    policyVersions(id: $id, first: $first, after: $after, last: $last, before: $before) {
      nodes {
        version author comment rolloutPercent createdAt restoredFrom
        changes { path before after }
      }
      ${PAGE_INFO}
    }
  }
`);

export const POLICY_DIFF = operation<{ policyDiff: readonly FieldChange[] }, { id: string; from: number; to: number }>(`
  query PolicyDiff($id: ID!, $from: Int!, $to: Int!) {
    policyDiff(id: $id, from: $from, to: $to) { path before after }
  }
`);

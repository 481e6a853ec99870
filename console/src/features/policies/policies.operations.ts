import { operation } from '@/graphql/operation';
import { type Connection, PAGE_INFO, type PageVariables } from '@/graphql/types';

export interface PolicyDetail {
  readonly id: string;
  readonly namespace: string;
  readonly name: string;
  readonly version: number;
  readonly content: unknown;
  readonly author: string;
  readonly comment: string;
  readonly updatedAt: string;
  readonly worstCaseMs: number;
}

const FIELDS = 'id namespace name version content author comment updatedAt worstCaseMs';

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

export const CREATE_POLICY = operation<
  { createPolicy: PolicySaved },
  { input: { namespace: string; name: string; content: unknown; comment: string } }
>(`
  mutation CreatePolicy($input: CreatePolicyInput!) { createPolicy(input: $input) { policy { ${FIELDS} } warnings } }
`);

export const UPDATE_POLICY = operation<
  { updatePolicy: PolicySaved },
  { id: string; patch: { name: string; content: unknown; comment: string }; expectedVersion: number }
>(`
  mutation UpdatePolicy($id: ID!, $patch: PolicyPatch!, $expectedVersion: Int!) {
    updatePolicy(id: $id, patch: $patch, expectedVersion: $expectedVersion) { policy { ${FIELDS} } warnings }
  }
`);

export const DELETE_POLICY = operation<{ deletePolicy: { id: string } }, { id: string }>(`
  mutation DeletePolicy($id: ID!) { deletePolicy(id: $id) { id } }
`);

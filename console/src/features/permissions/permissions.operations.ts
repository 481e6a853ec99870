import { operation } from '@/graphql/operation';
import { type Connection, PAGE_INFO, type PageVariables } from '@/graphql/types';

export interface PermissionRule {
  readonly id: string;
  readonly namespace: string;
  readonly caller: string;
  readonly target: string;
  readonly capability: string;
  readonly effect: 'ALLOW' | 'DENY';
  readonly status: 'ACTIVE' | 'PENDING' | 'REJECTED';
  readonly comment: string;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly expiresAt: string | null;
}

const FIELDS = 'id namespace caller target capability effect status comment createdBy createdAt expiresAt';

export interface PermissionFilter {
  readonly search?: string;
  readonly effect?: 'ALLOW' | 'DENY';
}

export const PERMISSIONS = operation<
  { permissions: Connection<PermissionRule> },
  { namespace: string | null; filter: PermissionFilter } & PageVariables
>(`
  query Permissions($namespace: String, $filter: PermissionFilter, $first: Int, $after: String, $last: Int, $before: String) {
    permissions(namespace: $namespace, filter: $filter, first: $first, after: $after, last: $last, before: $before) {
      nodes { ${FIELDS} }
      ${PAGE_INFO}
    }
  }
`);

/** What a rule or a question is about. */
export interface Triple {
  readonly caller: string;
  readonly target: string;
  readonly capability: string;
}

export const CHECK_PERMISSION = operation<
  { checkPermission: { allowed: boolean; reason: string; rule: PermissionRule | null } },
  Triple
>(`
  query CheckPermission($caller: String!, $target: String!, $capability: String!) {
    checkPermission(caller: $caller, target: $target, capability: $capability) { allowed reason rule { ${FIELDS} } }
  }
`);

export interface CreatePermissionInput extends Triple {
  readonly namespace?: string;
  readonly effect: 'ALLOW' | 'DENY';
  readonly comment: string;
  readonly expiresAt?: string;
}

export const CREATE_PERMISSION = operation<{ createPermission: PermissionRule }, { input: CreatePermissionInput }>(`
  mutation CreatePermission($input: CreatePermissionInput!) { createPermission(input: $input) { ${FIELDS} } }
`);

export const DELETE_PERMISSION = operation<{ deletePermission: { id: string } }, { id: string }>(`
  mutation DeletePermission($id: ID!) { deletePermission(id: $id) { id } }
`);

export const SUGGESTIONS = operation<
  { agents: { nodes: readonly { ref: string }[] }; capabilities: { nodes: readonly { name: string }[] } },
  { namespace: string | null }
>(`
  query Suggestions($namespace: String) {
    agents(namespace: $namespace, first: 200) { nodes { ref } }
    capabilities(namespace: $namespace, first: 200) { nodes { name } }
  }
`);

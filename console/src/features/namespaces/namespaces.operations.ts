import { operation } from '@/graphql/operation';
import { type Connection, PAGE_INFO, type PageVariables } from '@/graphql/types';

/** How a namespace tries new versions of its agents out. */
export interface CanarySettings {
  readonly enabled: boolean;
  readonly sharePercent: number;
  readonly promoteAfterMs: number;
  readonly promoteMinCalls: number;
  readonly maxErrorPercent: number;
}

export interface NamespaceDetail {
  readonly id: string;
  readonly description: string;
  readonly canary: CanarySettings;
  readonly version: number;
}

const FIELDS = 'id description version canary { enabled sharePercent promoteAfterMs promoteMinCalls maxErrorPercent }';

export const NAMESPACES = operation<{ namespaces: Connection<NamespaceDetail> }, PageVariables>(`
  query Namespaces($first: Int, $after: String, $last: Int, $before: String) {
    namespaces(first: $first, after: $after, last: $last, before: $before) { nodes { ${FIELDS} } ${PAGE_INFO} }
  }
`);

export const NAMESPACE = operation<{ namespace: NamespaceDetail | null }, { id: string }>(`
  query Namespace($id: ID!) { namespace(id: $id) { ${FIELDS} } }
`);

/** An empty field is sent as null, which gives back the usual. */
export type CanaryPatch = { readonly [K in keyof CanarySettings]: CanarySettings[K] | null };

export const UPDATE_CANARY = operation<
  { updateNamespace: NamespaceDetail },
  { id: string; canary: CanaryPatch; expectedVersion: number }
>(`
  mutation UpdateCanary($id: ID!, $canary: NamespaceCanaryPatch!, $expectedVersion: Int!) {
    updateNamespace(id: $id, patch: { canary: $canary }, expectedVersion: $expectedVersion) { ${FIELDS} }
  }
`);

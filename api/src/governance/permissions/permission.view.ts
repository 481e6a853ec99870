import type { JsonObject } from '@agent-reach/sdk/protocol';
import { reachesOtherNamespace } from './permission.pattern.js';
import type { PermissionRow } from './permission.store.js';

/** A rule as people see it. */
export interface PermissionView {
  readonly id: string;
  readonly namespace: string;
  readonly caller: string;
  readonly target: string;
  readonly capability: string;
  readonly effect: 'ALLOW' | 'DENY';
  readonly status: 'ACTIVE' | 'PENDING' | 'REJECTED';
  readonly comment: string;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly version: number;
}

/** A new rule. */
export interface PermissionInput {
  readonly namespace?: string | null | undefined;
  readonly caller: string;
  readonly target: string;
  readonly capability: string;
  readonly effect: 'ALLOW' | 'DENY';
  readonly comment?: string | null | undefined;
  readonly expiresAt?: Date | null | undefined;
}

/** Changes of a rule: absent leaves, null clears. */
export interface PermissionChange {
  readonly comment?: string | null | undefined;
  readonly expiresAt?: Date | null | undefined;
  readonly effect?: 'ALLOW' | 'DENY' | null | undefined;
}

export const viewOf = (row: PermissionRow): PermissionView => {
  const { uid, namespaceId, decidedBy: _, ...rest } = row;
  return { id: uid, namespace: namespaceId, ...rest };
};

/** What audit and conflicts show of a rule. */
export const auditOf = (view: PermissionView): JsonObject & { readonly version: number } => ({
  ...view,
  createdAt: view.createdAt.toISOString(),
  expiresAt: view.expiresAt?.toISOString() ?? null,
});

/** Whether a rule counts at once: an ALLOW for callers of another namespace waits for approval. */
export const statusOf = (effect: 'ALLOW' | 'DENY', caller: string, namespace: string): 'ACTIVE' | 'PENDING' =>
  effect === 'ALLOW' && reachesOtherNamespace(caller, namespace) ? 'PENDING' : 'ACTIVE';

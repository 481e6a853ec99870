import type { AgentRef, CallerRef } from '@agent-reach/sdk/protocol';

export type Role = 'VIEWER' | 'OPERATOR' | 'ADMIN';

/** A role in one namespace, or in all (null). */
export interface RoleBinding {
  readonly namespace: string | null;
  readonly role: Role;
}

/** The namespaces that a credential may see; what is outside answers like what doesn't exist. */
export type Scope = { readonly all: true } | { readonly all: false; readonly namespaces: ReadonlySet<string> };

/** Who is at the other end, once authenticated. */
export interface Principal {
  readonly caller: CallerRef;
  readonly kind: 'AGENT' | 'APP' | 'USER';
  readonly name: string;
  /** Agents and programs belong to one namespace; people and the preset admin token to none. */
  readonly namespace: string | undefined;
  readonly roles: readonly RoleBinding[];
  readonly scope: Scope;
  /** For an agent token: its agent. */
  readonly agent: { readonly uid: string; readonly ref: AgentRef } | undefined;
  readonly credential: {
    readonly kind: 'AGENT_TOKEN' | 'APP_TOKEN' | 'ADMIN_TOKEN' | 'ENROLMENT_KEY' | 'SESSION';
    /** Id of the token, key or session; names it in audit and when it is revoked. */
    readonly id: string;
    readonly expiresAt: Date | undefined;
  };
}

export function inScope(scope: Scope, namespace: string): boolean {
  return scope.all || scope.namespaces.has(namespace);
}

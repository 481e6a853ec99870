import { ReachError } from '@agent-reach/sdk/protocol';
import { inScope, type Principal, type Role } from './principal.js';

/** Everything that a person or program can do through the API, and the least role that may. The one declaration. */
export const ACTIONS = {
  'agents.read': 'VIEWER',
  'policies.read': 'VIEWER',
  'permissions.read': 'VIEWER',
  'audit.read': 'VIEWER',
  'routes.explain': 'VIEWER',
  'tasks.read': 'VIEWER',
  'agents.write': 'OPERATOR',
  'agents.drain': 'OPERATOR',
  'policies.write': 'OPERATOR',
  'calls.dispatch': 'OPERATOR',
  /** Seeing what a task reported and answered, which is between its caller and its agent. */
  'tasks.contents': 'OPERATOR',
  'tasks.cancel': 'OPERATOR',
  'tokens.read': 'OPERATOR',
  'permissions.write': 'ADMIN',
  'tokens.issue': 'ADMIN',
  'namespaces.write': 'ADMIN',
  /** Sending a call as somebody else; audit names both. */
  'calls.impersonate': 'ADMIN',
} as const satisfies Record<string, Role>;

export type Action = keyof typeof ACTIONS;
export const ACTION_NAMES = Object.keys(ACTIONS) as Action[];

const RANK: Readonly<Record<Role, number>> = { VIEWER: 1, OPERATOR: 2, ADMIN: 3 };

/** The highest role of a principal in a namespace; null as namespace asks for a role in all of them. */
export function roleIn(principal: Principal, namespace: string | null): Role | undefined {
  let best: Role | undefined;
  for (const binding of principal.roles) {
    if (binding.namespace !== null && binding.namespace !== namespace) continue;
    if (best === undefined || RANK[binding.role] > RANK[best]) best = binding.role;
  }
  return best;
}

export type ActionAnswer = { readonly allowed: true } | { readonly allowed: false; readonly reason: string };

/** Whether the principal may do this in the namespace (null: in all), and if not, what is missing. */
export function mayDo(principal: Principal, action: Action, namespace: string | null): ActionAnswer {
  const needed = ACTIONS[action];
  const role = roleIn(principal, namespace);
  if (role !== undefined && RANK[role] >= RANK[needed]) return { allowed: true };
  const where = namespace === null ? 'in all namespaces' : `in namespace ${namespace}`;
  const has = role === undefined ? 'no role' : `the role ${role}`;
  return {
    allowed: false,
    reason: `${action} needs the role ${needed} ${where}; ${principal.caller} has ${has} there`,
  };
}

/**
 * Throws NOT_FOUND when the namespace is outside the principal's scope (as if it didn't exist),
 * DENIED with the missing role when it is inside.
 */
export function demand(principal: Principal, action: Action, namespace: string | null): void {
  if (namespace !== null && !inScope(principal.scope, namespace)) {
    throw new ReachError(
      'NOT_FOUND',
      `There is no namespace ${JSON.stringify(namespace)} that this credential may see.`,
    );
  }
  const answer = mayDo(principal, action, namespace);
  if (!answer.allowed) throw new ReachError('DENIED', `${answer.reason}.`, { details: { action, namespace } });
}

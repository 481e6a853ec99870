import { ReachError } from '@agent-reach/sdk/protocol';
import { type Action, demand, mayDo } from '../../governance/access/actions.js';
import { inScope, type Principal, type Scope } from '../../governance/access/principal.js';
import type { Actor } from '../../governance/changes.js';
import { notFound } from '../../governance/input.js';

/** The namespaces in which the principal may do this: what a list over all of them shows. */
export function scopeFor(principal: Principal, action: Action): Scope {
  const { scope } = principal;
  if (mayDo(principal, action, null).allowed) return scope;
  const bound = principal.roles.flatMap(({ namespace }) => (namespace === null ? [] : [namespace]));
  const candidates = scope.all ? bound : [...scope.namespaces];
  return { all: false, namespaces: new Set(candidates.filter((each) => mayDo(principal, action, each).allowed)) };
}

/**
 * The scope of a list: of one namespace, in which the principal must be allowed to do this, or of all in which it is.
 * Throws NOT_FOUND and DENIED like `demand`.
 */
export function demandList(principal: Principal, action: Action, namespace: string | null | undefined): Scope {
  if (namespace == null) return scopeFor(principal, action);
  demand(principal, action, namespace);
  return { all: false, namespaces: new Set([namespace]) };
}

/** The namespace of `namespace/id`. Throws NOT_FOUND, as for what doesn't exist, when it has another form. */
export function namespaceOfRef(ref: string, what: string): string {
  const slash = ref.indexOf('/');
  if (slash < 1) throw notFound(what, ref);
  return ref.slice(0, slash);
}

/**
 * Like `demand` for a thing that is named by `namespace/id`: outside the scope the answer is the one for a thing that
 * doesn't exist.
 */
export function demandRef(principal: Principal, action: Action, ref: string, what: string): void {
  const namespace = namespaceOfRef(ref, what);
  if (!inScope(principal.scope, namespace)) throw notFound(what, ref);
  demand(principal, action, namespace);
}

/** Like `demand` for a thing of which only the id is known; `namespace` is undefined when there is none. */
export function demandThing(
  principal: Principal,
  action: Action,
  namespace: string | undefined,
  what: string,
  id: string,
): void {
  if (namespace === undefined || !inScope(principal.scope, namespace)) throw notFound(what, id);
  demand(principal, action, namespace);
}

export function actorOf(principal: Principal): Actor {
  return { caller: principal.caller };
}

/** Throws INVALID_INPUT for one field. */
export function invalid(path: string, got: string, allowed: string): never {
  throw new ReachError('INVALID_INPUT', `${path} is not possible so.`, { fields: [{ path, got, allowed }] });
}

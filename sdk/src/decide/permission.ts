import { type AgentRef, type CallerRef, namespaceOfCaller } from '../protocol/index.js';
import { matches } from './pattern.js';

/** One rule: who may call what. Patterns are exact, `*`, or a prefix ending in `*` after `.`, `_`, `-` or `/`. */
export interface PermissionRule {
  readonly id: string;
  /** The target's namespace. */
  readonly namespace: string;
  /** A caller such as `agent:shop/orders`, a pattern of one, or `role:name`. */
  readonly caller: string;
  /** An agent `namespace/id`, or a pattern of one. */
  readonly target: string;
  /** A capability's name, or a pattern of one. */
  readonly capability: string;
  readonly effect: 'ALLOW' | 'DENY';
  /** Wall clock in ms since 1970 from which on the rule counts no more. */
  readonly expiresAt?: number;
}

/** What the rules say of one question. */
export interface PermissionDecision {
  readonly allowed: boolean;
  /** The rule that decided; undefined: no rule matched, so it is denied. */
  readonly rule: PermissionRule | undefined;
}

/** What the rules say of a namespace as a whole, without asking for each of its agents. */
export type PermissionScope =
  /** Every agent, present and future, is allowed. */
  | { readonly kind: 'ALL' }
  /** No rule concerns the question, so every agent is denied. */
  | { readonly kind: 'NONE' }
  /** At most these agents are allowed; each still has to be asked for. */
  | { readonly kind: 'SOME'; readonly agents: readonly AgentRef[] }
  /** Only asking for each agent tells. */
  | { readonly kind: 'EACH' };

/** The rules as they concern one caller and one capability: what a decision asks for many agents at once. */
export interface PermissionView {
  check(target: AgentRef, now: number): PermissionDecision;
  scope(namespace: string): PermissionScope;
}

/** All rules, ready to be asked. Immutable: a change of rules makes a new set, so nothing stale survives it. */
export interface PermissionSet {
  /** The part that concerns a caller and a capability; its answers are remembered. */
  view(caller: CallerRef, roles: readonly string[], capability: string): PermissionView;
  /** A matching DENY wins over every ALLOW; without a matching ALLOW it is denied. `now`: wall clock in ms. */
  check(
    caller: CallerRef,
    roles: readonly string[],
    target: AgentRef,
    capability: string,
    now: number,
  ): PermissionDecision;
  readonly rules: readonly PermissionRule[];
}

const NO_RULE: PermissionDecision = { allowed: false, rule: undefined };

/** Views kept at most; when full, all are dropped, because rebuilding them is cheap and a bound is not negotiable. */
const MAX_VIEWS = 10_000;

/** The views of one caller while it has these roles. */
interface CallerViews {
  readonly roles: readonly string[];
  readonly byCapability: Map<string, PermissionView>;
}

export function createPermissionSet(rules: readonly PermissionRule[]): PermissionSet {
  const byNamespace = new Map<string, PermissionRule[]>();
  for (const rule of rules) {
    const list = byNamespace.get(rule.namespace);
    if (list === undefined) byNamespace.set(rule.namespace, [rule]);
    else list.push(rule);
  }
  const views = new Map<CallerRef, CallerViews>();
  let count = 0;
  const view = (caller: CallerRef, roles: readonly string[], capability: string): PermissionView => {
    let known = views.get(caller);
    if (known === undefined || !sameRoles(known.roles, roles)) {
      count -= known?.byCapability.size ?? 0;
      known = { roles, byCapability: new Map() };
      views.set(caller, known);
    }
    let found = known.byCapability.get(capability);
    if (found === undefined) {
      if (count >= MAX_VIEWS) {
        views.clear();
        count = 0;
        return view(caller, roles, capability);
      }
      found = createView(byNamespace, caller, roles, capability);
      known.byCapability.set(capability, found);
      count++;
    }
    return found;
  };
  return {
    rules,
    view,
    check: (caller, roles, target, capability, now) => view(caller, roles, capability).check(target, now),
  };
}

function sameRoles(left: readonly string[], right: readonly string[]): boolean {
  return left === right || (left.length === right.length && left.every((role, index) => role === right[index]));
}

interface Remembered {
  readonly decision: PermissionDecision;
  /** Wall clock in ms from which on it has to be asked again. */
  readonly until: number;
}

/** Agents, and namespaces, that one view remembers. */
const MAX_AGENTS = 20_000;
const MAX_SCOPES = 1_000;

function createView(
  byNamespace: ReadonlyMap<string, readonly PermissionRule[]>,
  caller: CallerRef,
  roles: readonly string[],
  capability: string,
): PermissionView {
  const remembered = new Map<AgentRef, Remembered>();
  const scopes = new Map<string, PermissionScope>();
  // Nearly always the same one is asked for.
  let lastNamespace: string | undefined;
  let lastScope: PermissionScope = { kind: 'NONE' };
  return {
    scope(namespace) {
      if (namespace === lastNamespace) return lastScope;
      let scope = scopes.get(namespace);
      if (scope === undefined) {
        scope = scopeOf(byNamespace.get(namespace) ?? [], namespace, caller, roles, capability);
        if (scopes.size >= MAX_SCOPES) scopes.clear();
        scopes.set(namespace, scope);
      }
      lastNamespace = namespace;
      lastScope = scope;
      return scope;
    },
    check(target, now) {
      const known = remembered.get(target);
      if (known !== undefined && now < known.until) return known.decision;
      const inForce = byNamespace.get(target.slice(0, target.indexOf('/'))) ?? [];
      const answer = judge(inForce, caller, roles, target, capability, now);
      if (remembered.size >= MAX_AGENTS) remembered.clear();
      remembered.set(target, answer);
      return answer.decision;
    },
  };
}

/** Expiry only ever narrows what a scope says, except for ALL, which only lasting rules give. */
function scopeOf(
  rules: readonly PermissionRule[],
  namespace: string,
  caller: CallerRef,
  roles: readonly string[],
  capability: string,
): PermissionScope {
  const concerning = rules.filter(
    (rule) => concernsCaller(rule, caller, roles) && matches(rule.capability, capability),
  );
  if (concerning.length === 0) return { kind: 'NONE' };
  const allowing = concerning.filter((rule) => rule.effect === 'ALLOW');
  const whole = (rule: PermissionRule) =>
    rule.expiresAt === undefined && (rule.target === '*' || rule.target === `${namespace}/*`);
  if (allowing.length === concerning.length && allowing.some(whole)) return { kind: 'ALL' };
  if (allowing.some((rule) => rule.target.endsWith('*'))) return { kind: 'EACH' };
  return { kind: 'SOME', agents: allowing.map((rule) => rule.target as AgentRef) };
}

function judge(
  rules: readonly PermissionRule[],
  caller: CallerRef,
  roles: readonly string[],
  target: AgentRef,
  capability: string,
  now: number,
): Remembered {
  let decision = NO_RULE;
  let until = Number.POSITIVE_INFINITY;
  for (const rule of rules) {
    if (!concerns(rule, caller, roles, target, capability)) continue;
    if (rule.expiresAt !== undefined) {
      if (rule.expiresAt <= now) continue;
      until = Math.min(until, rule.expiresAt);
    }
    if (rule.effect === 'DENY') return { decision: { allowed: false, rule }, until };
    if (decision.rule === undefined) decision = { allowed: true, rule };
  }
  return { decision, until };
}

function concerns(
  rule: PermissionRule,
  caller: CallerRef,
  roles: readonly string[],
  target: AgentRef,
  capability: string,
): boolean {
  return concernsCaller(rule, caller, roles) && matches(rule.target, target) && matches(rule.capability, capability);
}

/** Roles are given by operators of the caller's namespace, so they mean something only there. */
function concernsCaller(rule: PermissionRule, caller: CallerRef, roles: readonly string[]): boolean {
  if (!rule.caller.startsWith('role:')) return matches(rule.caller, caller);
  return namespaceOfCaller(caller) === rule.namespace && roles.includes(rule.caller.slice('role:'.length));
}

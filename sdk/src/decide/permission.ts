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

/** The rules as they concern one caller and one capability: what a decision asks for many agents at once. */
export interface PermissionView {
  check(target: AgentRef, now: number): PermissionDecision;
  /** Whether every agent of the namespace, present and future, is allowed alike, so that none has to be asked for. */
  allowsAllOf(namespace: string): boolean;
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

export function createPermissionSet(rules: readonly PermissionRule[]): PermissionSet {
  const byNamespace = new Map<string, PermissionRule[]>();
  for (const rule of rules) {
    const list = byNamespace.get(rule.namespace);
    if (list === undefined) byNamespace.set(rule.namespace, [rule]);
    else list.push(rule);
  }
  const views = new Map<string, PermissionView>();
  const view = (caller: CallerRef, roles: readonly string[], capability: string): PermissionView => {
    const key = roles.length === 0 ? `${caller} ${capability}` : `${caller} ${capability} ${roles}`;
    let known = views.get(key);
    if (known === undefined) {
      if (views.size >= MAX_VIEWS) views.clear();
      known = createView(byNamespace, caller, roles, capability);
      views.set(key, known);
    }
    return known;
  };
  return {
    rules,
    view,
    check: (caller, roles, target, capability, now) => view(caller, roles, capability).check(target, now),
  };
}

interface Remembered {
  readonly decision: PermissionDecision;
  /** Wall clock in ms from which on it has to be asked again. */
  readonly until: number;
}

/** Agents that one view remembers. */
const MAX_AGENTS = 20_000;

function createView(
  byNamespace: ReadonlyMap<string, readonly PermissionRule[]>,
  caller: CallerRef,
  roles: readonly string[],
  capability: string,
): PermissionView {
  const remembered = new Map<AgentRef, Remembered>();
  const wholeNamespaces = new Map<string, boolean>();
  return {
    allowsAllOf(namespace) {
      let answer = wholeNamespaces.get(namespace);
      if (answer === undefined) {
        answer = allowsAll(byNamespace.get(namespace) ?? [], namespace, caller, roles, capability);
        wholeNamespaces.set(namespace, answer);
      }
      return answer;
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

/** One lasting rule allows every target, and no rule denies this caller this capability on any. */
function allowsAll(
  rules: readonly PermissionRule[],
  namespace: string,
  caller: CallerRef,
  roles: readonly string[],
  capability: string,
): boolean {
  const concerning = rules.filter(
    (rule) => concernsCaller(rule, caller, roles) && matches(rule.capability, capability),
  );
  const whole = (rule: PermissionRule) =>
    rule.expiresAt === undefined && (rule.target === '*' || rule.target === `${namespace}/*`);
  return concerning.some(whole) && concerning.every((rule) => rule.effect === 'ALLOW');
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

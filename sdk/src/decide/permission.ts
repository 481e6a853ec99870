import type { AgentRef, CallerRef } from '../protocol/index.js';
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

/** All rules, ready to be asked. Immutable: a change of rules makes a new set, so nothing stale survives it. */
export interface PermissionSet {
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

/** Answers kept at most; when full, all are dropped, because rebuilding them is cheap and a bound is not negotiable. */
const MAX_REMEMBERED = 50_000;

export function createPermissionSet(rules: readonly PermissionRule[]): PermissionSet {
  const byNamespace = new Map<string, PermissionRule[]>();
  for (const rule of rules) {
    const list = byNamespace.get(rule.namespace);
    if (list === undefined) byNamespace.set(rule.namespace, [rule]);
    else list.push(rule);
  }
  const remembered = new Map<string, { decision: PermissionDecision; until: number }>();

  return {
    rules,
    check(caller, roles, target, capability, now) {
      const key =
        roles.length === 0 ? `${caller} ${target} ${capability}` : `${caller} ${target} ${capability} ${roles}`;
      const known = remembered.get(key);
      if (known !== undefined && now < known.until) return known.decision;

      const inForce = byNamespace.get(target.slice(0, target.indexOf('/'))) ?? [];
      let decision = NO_RULE;
      let until = Number.POSITIVE_INFINITY;
      for (const rule of inForce) {
        if (!concerns(rule, caller, roles, target, capability)) continue;
        if (rule.expiresAt !== undefined) {
          if (rule.expiresAt <= now) continue;
          until = Math.min(until, rule.expiresAt);
        }
        if (rule.effect === 'DENY') {
          decision = { allowed: false, rule };
          break;
        }
        if (decision.rule === undefined) decision = { allowed: true, rule };
      }
      if (remembered.size >= MAX_REMEMBERED) remembered.clear();
      remembered.set(key, { decision, until });
      return decision;
    },
  };
}

function concerns(
  rule: PermissionRule,
  caller: CallerRef,
  roles: readonly string[],
  target: AgentRef,
  capability: string,
): boolean {
  const byRole = rule.caller.startsWith('role:');
  const callerMatches = byRole ? roles.includes(rule.caller.slice('role:'.length)) : matches(rule.caller, caller);
  return callerMatches && matches(rule.target, target) && matches(rule.capability, capability);
}

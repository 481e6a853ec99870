import { createPermissionSet, matches, type PermissionRule, type PermissionSet } from '@agent-reach/sdk/decide';
import type { AgentRef, CallerRef } from '@agent-reach/sdk/protocol';

/** Who looks for something to call. */
export interface Seeker {
  readonly caller: CallerRef;
  readonly roles: readonly string[];
}

/** Whether something that an agent offers may be shown. */
export type MayFind = (agent: AgentRef, capability: string) => boolean;

/** The right of those whom no rule allows anything: it need not be asked. */
export const NOTHING: MayFind = () => false;

/**
 * What a caller may call, judged by the very check that decides calls. Asked for many capabilities at once, it judges
 * by the few rules that can concern the caller, in a set of its own, so that a search doesn't push what calls remember
 * out of the router's; and what no ALLOW rule can reach is out before that. `now`: wall clock in ms.
 */
export function callRights(permissions: PermissionSet, seeker: Seeker, now: number): MayFind {
  const { caller, roles } = seeker;
  const rules = rulesConcerning(permissions, seeker);
  const allowing = rules.filter(({ effect }) => effect === 'ALLOW');
  if (allowing.length === 0) return NOTHING;
  const targets = anyOf(allowing.map(({ target }) => target));
  const capabilities = anyOf(allowing.map(({ capability }) => capability));
  const own = setsByCapability(rules);
  return (agent, capability) =>
    capabilities(capability) && targets(agent) && own(capability).check(caller, roles, agent, capability, now).allowed;
}

/** The rules that can concern a caller at all. */
export function rulesConcerning(permissions: PermissionSet, { caller, roles }: Seeker): readonly PermissionRule[] {
  return permissions.rules.filter((rule) => canConcern(rule, caller, roles));
}

/**
 * The rules that may concern a capability: those that name it, and those with a pattern. A search asks for hundreds of
 * capabilities, and going over all rules for each of them took a second with 2,000 rules.
 */
function setsByCapability(rules: readonly PermissionRule[]): (capability: string) => PermissionSet {
  const patterns: PermissionRule[] = [];
  const exact = new Map<string, PermissionRule[]>();
  for (const rule of rules) {
    const named = exact.get(rule.capability);
    if (rule.capability.endsWith('*')) patterns.push(rule);
    else if (named === undefined) exact.set(rule.capability, [rule]);
    else named.push(rule);
  }
  const ofPatterns = createPermissionSet(patterns);
  const sets = new Map<string, PermissionSet>();
  return (capability) => {
    const named = exact.get(capability);
    if (named === undefined) return ofPatterns;
    let set = sets.get(capability);
    if (set === undefined) {
      set = createPermissionSet([...patterns, ...named]);
      sets.set(capability, set);
    }
    return set;
  };
}

/** Rather too many: which of them do concern the caller, the check itself says. */
function canConcern(rule: PermissionRule, caller: CallerRef, roles: readonly string[]): boolean {
  return rule.caller.startsWith('role:')
    ? roles.includes(rule.caller.slice('role:'.length))
    : matches(rule.caller, caller);
}

/** Whether one of many patterns matches; the exact ones cost nothing. */
function anyOf(patterns: readonly string[]): (text: string) => boolean {
  const exact = new Set(patterns);
  const prefixes = [...exact].filter((pattern) => pattern.endsWith('*'));
  return (text) => exact.has(text) || prefixes.some((pattern) => matches(pattern, text));
}

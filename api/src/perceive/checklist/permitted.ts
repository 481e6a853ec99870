import { matches, type PermissionRule } from '@agent-reach/sdk/decide';
import type { AgentRef } from '@agent-reach/sdk/protocol';

/** Whom the rules let call an agent, if anybody. */
export type Permitted =
  | { readonly is: 'SOMEBODY'; readonly caller: string; readonly capability: string }
  /** Rules allow it, and others that deny it win over each of them. */
  | { readonly is: 'OUTWEIGHED'; readonly by: PermissionRule }
  | { readonly is: 'NOBODY' };

/**
 * Looks for one caller, or pattern of callers, that may call one of an agent's capabilities. A DENY wins, as everywhere,
 * when it concerns all whom the ALLOW is for. `now`: wall clock in ms.
 */
export function permittedCaller(
  rules: readonly PermissionRule[],
  agent: AgentRef,
  capabilities: readonly string[],
  now: number,
): Permitted {
  const namespace = agent.slice(0, agent.indexOf('/'));
  const concerning = rules.filter(
    (rule) =>
      rule.namespace === namespace && (rule.expiresAt ?? Number.POSITIVE_INFINITY) > now && matches(rule.target, agent),
  );
  const denying = concerning.filter(({ effect }) => effect === 'DENY');
  let by: PermissionRule | undefined;
  for (const { effect, caller, capability: pattern } of concerning) {
    if (effect === 'DENY') continue;
    for (const capability of capabilities) {
      if (!matches(pattern, capability)) continue;
      const denied = denying.find((rule) => matches(rule.caller, caller) && matches(rule.capability, capability));
      if (denied === undefined) return { is: 'SOMEBODY', caller, capability };
      by ??= denied;
    }
  }
  return by === undefined ? { is: 'NOBODY' } : { is: 'OUTWEIGHED', by };
}

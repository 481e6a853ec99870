import type { CallerContext } from '../../../execute/ports.js';
import { demand } from '../../../governance/access/actions.js';
import type { Principal } from '../../../governance/access/principal.js';
import type { RegistryView } from '../../../perceive/ports.js';
import { invalid } from '../access.js';
import { callerContext, callerOf } from '../callers.js';

/** What a call, or a broadcast, says of where it goes and in whose name. */
interface Sending {
  readonly target: { readonly namespace?: string | null };
  readonly onBehalfOf?: string | null;
}

/**
 * In which namespace the principal sends, and as whom. Throws INVALID_INPUT when there is no namespace, NOT_FOUND and
 * DENIED when it may not send there, or not as somebody else.
 */
export function senderOf(
  principal: Principal,
  input: Sending,
  registry: Pick<RegistryView, 'agent' | 'instances'>,
): { readonly namespace: string; readonly caller: CallerContext } {
  const namespace = input.target.namespace ?? principal.namespace;
  if (namespace === undefined) {
    invalid('input.target.namespace', 'nothing', `a namespace: ${principal.caller} belongs to none`);
  }
  demand(principal, 'calls.dispatch', namespace);
  if (input.onBehalfOf == null) {
    return { namespace, caller: callerContext(principal, principal.caller, namespace, registry) };
  }
  const other = callerOf(input.onBehalfOf, 'input.onBehalfOf');
  demand(principal, 'calls.impersonate', namespace);
  return { namespace, caller: callerContext(principal, other, namespace, registry) };
}

import type { CallerRef, InstanceRef } from '@agent-reach/sdk/protocol';
import type { CallerContext } from '../execute/ports.js';
import { inScope, type Principal } from '../governance/access/principal.js';
import type { Instance, Link } from '../perceive/instance.js';
import type { Registry } from '../perceive/registry.js';

/**
 * Who calls, for execution. An agent's zone and domain are those of its instance on this connection; people and
 * programs have no zone and call in PRODUCTION. What joined with an enrolment key calls as the agent that it became.
 */
export function callerContext(
  principal: Principal,
  registry: Pick<Registry, 'table' | 'agent'>,
  link?: Link,
  instances?: ReadonlySet<InstanceRef>,
): CallerContext {
  const [ref] = instances ?? [];
  const named = ref === undefined ? undefined : registry.table.instance(ref);
  // The name may be another connection's by now.
  const instance = named?.link === link ? named : undefined;
  const agent = instance?.agent ?? principal.agent?.ref;
  return {
    caller: callerOf(principal, instance),
    namespace: principal.namespace,
    roles: (agent === undefined ? undefined : registry.agent(agent))?.settings.roles ?? [],
    zone: instance?.zone,
    domain: instance?.domain ?? 'PRODUCTION',
    visible: (namespace) => inScope(principal.scope, namespace),
    sentBy: undefined,
    link,
    serves: instances,
  };
}

function callerOf(principal: Principal, instance: Instance | undefined): CallerRef {
  const enrolled = principal.credential.kind === 'ENROLMENT_KEY' && instance !== undefined;
  return enrolled ? `agent:${instance.agent}` : principal.caller;
}

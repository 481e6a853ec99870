import { type AgentRef, type CallerRef, idFault, namespaceOfCaller } from '@agent-reach/sdk/protocol';
import type { CallerContext } from '../../execute/ports.js';
import { inScope, type Principal } from '../../governance/access/principal.js';
import type { Domain } from '../../perceive/model.js';
import type { RegistryView } from '../../perceive/ports.js';
import { invalid } from './access.js';

const FORMS = 'agent:namespace/id, app:namespace/name or user:name';
const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._@+-]{0,126}[A-Za-z0-9])?$/;

/** Reads a caller. Throws INVALID_INPUT. */
export function callerOf(text: string, path: string): CallerRef {
  const [, kind, name] = /^(agent|app|user):(.+)$/.exec(text) ?? [];
  if (kind === undefined || name === undefined) invalid(path, JSON.stringify(text.slice(0, 100)), FORMS);
  if (kind === 'user') {
    if (!NAME.test(name)) invalid(path, JSON.stringify(text.slice(0, 100)), FORMS);
    return text as CallerRef;
  }
  const [namespace, id, ...rest] = name.split('/');
  const idIsGood = kind === 'agent' ? idFault('', id) === undefined : NAME.test(id ?? '');
  if (rest.length > 0 || idFault('', namespace) !== undefined || !idIsGood) {
    invalid(path, JSON.stringify(text.slice(0, 100)), FORMS);
  }
  return text as CallerRef;
}

/** The roles that a caller holds, as far as the principal may see: only agents hold some. */
export function rolesOfCaller(
  principal: Principal,
  caller: CallerRef,
  registry: Pick<RegistryView, 'agent'>,
): readonly string[] {
  if (!caller.startsWith('agent:')) return [];
  const namespace = namespaceOfCaller(caller);
  if (namespace === undefined || !inScope(principal.scope, namespace)) return [];
  return registry.agent(caller.slice('agent:'.length) as AgentRef)?.settings.roles ?? [];
}

/** The caller as execution takes it, for the principal itself or for somebody else on whose behalf it acts. */
export function callerContext(
  principal: Principal,
  caller: CallerRef,
  namespace: string,
  registry: Pick<RegistryView, 'agent' | 'instances'>,
): CallerContext {
  return {
    caller,
    // The preset token and people belong to no namespace; the target's stands in.
    namespace: (caller === principal.caller ? principal.namespace : namespaceOfCaller(caller)) ?? namespace,
    roles: rolesOfCaller(principal, caller, registry),
    zone: undefined,
    domain: domainOfCaller(principal, caller, registry),
    link: undefined,
    serves: undefined,
    visible: (each) => inScope(principal.scope, each),
    sentBy: caller === principal.caller ? undefined : principal.caller,
  };
}

/** An agent calls from the domain of its instances, PRODUCTION where it has some there; people and programs always. */
function domainOfCaller({ scope }: Principal, caller: CallerRef, registry: Pick<RegistryView, 'instances'>): Domain {
  const namespace = namespaceOfCaller(caller);
  // An agent outside the scope answers like one that doesn't exist.
  if (!caller.startsWith('agent:') || namespace === undefined || !inScope(scope, namespace)) return 'PRODUCTION';
  const domains = registry.instances(caller.slice('agent:'.length) as AgentRef).map(({ domain }) => domain);
  return domains.includes('PRODUCTION') ? 'PRODUCTION' : (domains[0] ?? 'PRODUCTION');
}

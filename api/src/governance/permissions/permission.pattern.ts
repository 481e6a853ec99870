import { isPattern, PREFIX_ENDS } from '@agent-reach/sdk/decide';
import { capabilityNameFault, type FieldFault, idFault } from '@agent-reach/sdk/protocol';

const STAR = `\`*\` only at the end, alone or after one of ${PREFIX_ENDS.join(' ')}`;
const CALLER_FORMS = `agent:namespace/id, app:namespace/name, user:name, role:name or *, with ${STAR}`;
/** Names of people and programs. */
const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._@+-]{0,126}[A-Za-z0-9])?$/;
const NAME_PREFIX = /^[A-Za-z0-9][A-Za-z0-9._@+-]{0,126}$/;

/** A pattern's fixed part, and whether anything may follow. */
function split(pattern: string): { readonly text: string; readonly open: boolean } {
  return pattern.endsWith('*') ? { text: pattern.slice(0, -1), open: true } : { text: pattern, open: false };
}

/** Checks who a rule is about. */
export function callerFault(path: string, pattern: string): FieldFault | undefined {
  const fault = (why?: string): FieldFault => ({
    path,
    got: why ?? JSON.stringify(pattern.slice(0, 200)),
    allowed: CALLER_FORMS,
  });
  if (pattern === '*') return undefined;
  const colon = pattern.indexOf(':');
  const [kind, name] = [pattern.slice(0, colon), pattern.slice(colon + 1)];
  if (!isPattern(pattern)) return fault();
  switch (kind) {
    case 'agent':
      return agentPatternFault(name) === undefined ? undefined : fault(agentPatternFault(name));
    case 'app': {
      const { text, open } = split(name);
      const slash = text.indexOf('/');
      if (slash === -1) return open && idPrefix(text) ? undefined : fault();
      const rest = text.slice(slash + 1);
      if (idFault('', text.slice(0, slash)) !== undefined) return fault();
      return (open && rest === '') || (open ? NAME_PREFIX : NAME).test(rest) ? undefined : fault();
    }
    case 'user': {
      const { text, open } = split(name);
      return (open ? NAME_PREFIX : NAME).test(text) ? undefined : fault();
    }
    case 'role':
      return idFault('', name) === undefined ? undefined : fault();
    default:
      return fault();
  }
}

/** Checks what a rule is about; `*` stands for every agent of the rule's namespace. */
export function targetFault(path: string, pattern: string): FieldFault | undefined {
  if (pattern === '*') return undefined;
  const got = isPattern(pattern) ? agentPatternFault(pattern) : JSON.stringify(pattern.slice(0, 200));
  return got === undefined ? undefined : { path, got, allowed: `an agent namespace/id or *, with ${STAR}` };
}

export function capabilityFault(path: string, pattern: string): FieldFault | undefined {
  if (pattern === '*') return undefined;
  const { text, open } = split(pattern);
  if (!open) return capabilityNameFault(path, pattern);
  const body = text.slice(0, -1);
  if (isPattern(pattern) && !text.endsWith('/') && capabilityNameFault(path, body) === undefined) return undefined;
  return { path, got: JSON.stringify(pattern.slice(0, 200)), allowed: `a capability's name or *, with ${STAR}` };
}

/** Why a text is no `namespace/id` and no prefix of one. */
function agentPatternFault(pattern: string): string | undefined {
  const { text, open } = split(pattern);
  const slash = text.indexOf('/');
  if (slash === -1) return open && idPrefix(text) ? undefined : JSON.stringify(pattern.slice(0, 200));
  const [namespace, id] = [text.slice(0, slash), text.slice(slash + 1)];
  const fault = idFault('', namespace) ?? (open && (id === '' || idPrefix(id)) ? undefined : idFault('', id));
  return fault?.got;
}

/** Whether an id can begin so. */
function idPrefix(text: string): boolean {
  return idFault('', `${text}0`) === undefined;
}

/** The namespace that a target pattern lies in; undefined when it reaches over several. */
export function namespaceOfTarget(pattern: string): string | undefined {
  const slash = pattern.indexOf('/');
  return slash === -1 ? undefined : pattern.slice(0, slash);
}

/**
 * Whether a rule's caller names agents or programs of another namespace than the rule's. `*`, people and roles belong
 * to no namespace and name none.
 */
export function reachesOtherNamespace(caller: string, namespace: string): boolean {
  if (!caller.startsWith('agent:') && !caller.startsWith('app:')) return false;
  return !caller.slice(caller.indexOf(':') + 1).startsWith(`${namespace}/`);
}

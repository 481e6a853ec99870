import type { FieldFault } from './errors.js';

/** Longest id of a namespace, agent or instance, in characters. */
export const MAX_ID_LENGTH = 64;

const ID = /^[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?$/;
const CAPABILITY = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;

/**
 * Checks an id of a namespace, agent or instance: lower-case ASCII letters and digits, with inner `.`, `_` and `-`.
 * Returns the fault, naming the offending character, or undefined.
 */
export function idFault(path: string, value: unknown): FieldFault | undefined {
  return nameFault(path, value, ID, /[^a-z0-9._-]/u, 'lower-case letters a-z, digits, and inner . _ -');
}

/** Checks a capability's name or alias: ASCII letters and digits, with inner `.`, `_` and `-`. */
export function capabilityNameFault(path: string, value: unknown): FieldFault | undefined {
  return nameFault(path, value, CAPABILITY, /[^A-Za-z0-9._-]/u, 'letters, digits, and inner . _ -');
}

function nameFault(
  path: string,
  value: unknown,
  pattern: RegExp,
  foreign: RegExp,
  allowed: string,
): FieldFault | undefined {
  const range = `${allowed}; 1 to ${MAX_ID_LENGTH} characters`;
  if (typeof value !== 'string') return { path, got: value === undefined ? 'nothing' : typeof value, allowed: range };
  if (value.length === 0 || value.length > MAX_ID_LENGTH)
    return { path, got: `${value.length} characters`, allowed: range };
  if (pattern.test(value)) return undefined;
  const offending = foreign.exec(value)?.[0] ?? value[0] ?? '';
  const code = offending.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
  return { path, got: `${JSON.stringify(value)} with ${JSON.stringify(offending)} (U+${code})`, allowed: range };
}

/** Who calls: an agent (`agent:ns/id`), a program with an API token (`app:ns/name`) or a person (`user:name`). */
export type CallerRef = `agent:${string}/${string}` | `app:${string}/${string}` | `user:${string}`;

/** `namespace/agent` */
export type AgentRef = `${string}/${string}`;

/** `namespace/agent/instance` */
export type InstanceRef = `${string}/${string}/${string}`;

export const agentRef = (namespace: string, id: string): AgentRef => `${namespace}/${id}`;
export const instanceRef = (agent: AgentRef, instance: string): InstanceRef => `${agent}/${instance}`;

/** The namespace of a caller, or undefined for a person, who belongs to none. */
export function namespaceOfCaller(caller: CallerRef): string | undefined {
  if (caller.startsWith('user:')) return undefined;
  return caller.slice(caller.indexOf(':') + 1, caller.indexOf('/'));
}

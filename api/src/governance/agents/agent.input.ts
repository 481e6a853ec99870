import { type AgentKind, idFault } from '@agent-reach/sdk/protocol';
import { type InputCheck, MAX_TEXT } from '../input.js';

export interface AgentInput {
  readonly namespace: string;
  readonly id: string;
  readonly type: string;
  readonly kind?: AgentKind | null | undefined;
  readonly description?: string | null | undefined;
  readonly owner?: string | null | undefined;
  readonly labels?: unknown;
}

export interface AgentChange {
  readonly weight?: number | null | undefined;
  readonly labelOverrides?: unknown;
  readonly roles?: readonly string[] | null | undefined;
  readonly description?: string | null | undefined;
  readonly owner?: string | null | undefined;
}

const MAX_WEIGHT = 10_000;
const MAX_LABELS = 64;
const MAX_LABEL = 256;
const MAX_ROLES = 32;
const MAX_OWNER = 200;

export function checkAgentInput(check: InputCheck, input: AgentInput): void {
  check.add(idFault('input.namespace', input.namespace));
  check.add(idFault('input.id', input.id));
  check.text('input.type', input.type, 128, 1);
  check.text('input.description', input.description, MAX_TEXT);
  check.text('input.owner', input.owner, MAX_OWNER);
  checkLabels(check, 'input.labels', input.labels, false);
}

export function checkAgentChange(check: InputCheck, patch: AgentChange): void {
  check.whole('patch.weight', patch.weight, 0, MAX_WEIGHT);
  check.text('patch.description', patch.description, MAX_TEXT);
  check.text('patch.owner', patch.owner, MAX_OWNER);
  checkLabels(check, 'patch.labelOverrides', patch.labelOverrides, true);
  const roles = patch.roles ?? [];
  if (roles.length > MAX_ROLES) {
    check.add({ path: 'patch.roles', got: `${roles.length} roles`, allowed: `at most ${MAX_ROLES}` });
  }
  for (const [index, role] of roles.entries()) check.add(idFault(`patch.roles.${index}`, role));
}

function checkLabels(check: InputCheck, path: string, labels: unknown, nullable: boolean): void {
  if (labels == null) return;
  if (typeof labels !== 'object' || Array.isArray(labels)) {
    check.add({ path, got: Array.isArray(labels) ? 'a list' : typeof labels, allowed: 'an object of texts' });
    return;
  }
  const entries = Object.entries(labels);
  if (entries.length > MAX_LABELS) {
    check.add({ path, got: `${entries.length} labels`, allowed: `at most ${MAX_LABELS}` });
    return;
  }
  for (const [name, value] of entries) {
    const at = `${path}.${name.slice(0, 80)}`;
    if (name.length < 1 || name.length > MAX_LABEL) {
      check.add({ path: at, got: `a name of ${name.length} characters`, allowed: `1 to ${MAX_LABEL} characters` });
    }
    if (nullable && value === null) continue;
    if (typeof value !== 'string') {
      check.add({
        path: at,
        got: value === null ? 'null' : typeof value,
        allowed: nullable ? 'a text or null' : 'a text',
      });
    } else check.text(at, value, MAX_LABEL);
  }
}

/** Labels as checked above, or none. */
export function labelsOf(value: unknown): Readonly<Record<string, string>> {
  return (value ?? {}) as Readonly<Record<string, string>>;
}

/** Merges overrides: a label with null is taken away, null alone takes all away. */
export function mergeLabels(
  before: Readonly<Record<string, string>>,
  patch: unknown,
): Readonly<Record<string, string>> {
  if (patch === undefined) return before;
  if (patch === null) return {};
  const merged = new Map<string, string>(Object.entries(before));
  for (const [name, value] of Object.entries(patch as Readonly<Record<string, string | null>>)) {
    if (value === null) merged.delete(name);
    else merged.set(name, value);
  }
  return Object.fromEntries(merged);
}

import {
  DEFAULT_POLICY_CONTENT,
  type PolicyContent,
  validatePolicyContent,
  worstCaseMs,
} from '@agent-reach/sdk/decide';
import type { FieldFault } from '@agent-reach/sdk/protocol';
import { faultText } from '@/ui/form-faults';

/**
 * A policy's content while it is being typed: the shape of PolicyContent, with whatever a half-filled field holds. What
 * it lacks takes the server's default.
 */
export type PolicyDraft = Readonly<Record<string, unknown>>;

const DEFAULTS: PolicyDraft = { ...DEFAULT_POLICY_CONTENT };

/** A draft to start from: the stored content with every default filled in, so that each field has something to show. */
export function draftOf(content: unknown): PolicyDraft {
  return { ...(validatePolicyContent(content).content ?? DEFAULT_POLICY_CONTENT) };
}

/** The value at a dotted path. */
export function valueAt(draft: PolicyDraft, path: string): unknown {
  return path.split('.').reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), draft);
}

/** What a field shows: the value at its path, else the default that the server would take for it. */
export function shownAt(draft: PolicyDraft, path: string): unknown {
  return valueAt(draft, path) ?? valueAt(DEFAULTS, path);
}

/** The draft with another value at a dotted path. */
export function withValue(draft: PolicyDraft, path: string, value: unknown): PolicyDraft {
  const [key = '', ...rest] = path.split('.');
  if (rest.length === 0) return { ...draft, [key]: value };
  const inner = draft[key];
  return { ...draft, [key]: withValue(isObject(inner) ? inner : {}, rest.join('.'), value) };
}

export interface DraftCheck {
  /** Complete and valid content, ready to be saved. */
  readonly content: PolicyContent | undefined;
  /** Paths without the leading `content.`. */
  readonly faults: readonly FieldFault[];
  /** The same as sentences, by path. */
  readonly faultTexts: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
  readonly worstCaseMs: number | undefined;
}

/** Checks a draft by the server's own rules. */
export function checkDraft(draft: PolicyDraft): DraftCheck {
  const { content, faults: found, warnings } = validatePolicyContent(draft);
  const faults = found.map((fault) => ({ ...fault, path: fault.path.replace(/^content\./, '') }));
  return {
    content,
    faults,
    faultTexts: Object.fromEntries(faults.map((fault) => [fault.path, faultText(fault)])),
    warnings,
    worstCaseMs: content === undefined ? undefined : worstCaseMs(content),
  };
}

function isObject(value: unknown): value is PolicyDraft {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

import {
  DEFAULT_POLICY_CONTENT,
  type PolicyContent,
  validatePolicyContent,
  worstCaseMs,
} from '@agent-reach/sdk/decide';

/**
 * A policy's content while it is being typed: the shape of PolicyContent, with whatever a half-filled field holds. What
 * it lacks takes the server's default.
 */
export type PolicyDraft = Readonly<Record<string, unknown>>;

/** A draft to start from: the stored content with every default filled in, so that each field has something to show. */
export function draftOf(content: unknown): PolicyDraft {
  return plain(validatePolicyContent(content).content ?? DEFAULT_POLICY_CONTENT);
}

function plain(content: PolicyContent): PolicyDraft {
  return { ...content };
}

/** The value at a dotted path. */
export function valueAt(draft: PolicyDraft, path: string): unknown {
  return path.split('.').reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), draft);
}

/** The draft with another value at a dotted path. */
export function withValue(draft: PolicyDraft, path: string, value: unknown): PolicyDraft {
  const [key = '', ...rest] = path.split('.');
  if (rest.length === 0) return { ...draft, [key]: value };
  const inner = draft[key];
  return { ...draft, [key]: withValue(isObject(inner) ? inner : {}, rest.join('.'), value) };
}

/** The draft with another strategy, which brings settings of its own. */
export function withStrategy(draft: PolicyDraft, name: string): PolicyDraft {
  const { strategy } = DEFAULT_POLICY_CONTENT;
  return { ...draft, strategy: name === strategy.name ? strategy : { name } };
}

export interface DraftCheck {
  /** Complete and valid content, ready to be saved. */
  readonly content: PolicyContent | undefined;
  /** Faults by path, without the leading `content.`. */
  readonly faults: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
  readonly worstCaseMs: number | undefined;
}

/** Checks a draft by the server's own rules. */
export function checkDraft(draft: PolicyDraft): DraftCheck {
  const { content, faults, warnings } = validatePolicyContent(draft);
  return {
    content,
    faults: Object.fromEntries(
      faults.map(({ path, got, allowed }) => [path.replace(/^content\./, ''), `Got ${got}; allowed: ${allowed}`]),
    ),
    warnings,
    worstCaseMs: content === undefined ? undefined : worstCaseMs(content),
  };
}

function isObject(value: unknown): value is PolicyDraft {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

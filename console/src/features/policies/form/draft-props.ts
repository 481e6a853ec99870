import { type PolicyDraft, shownAt } from '../draft/policy-draft';

/** What every field of the policy's form gets: the draft, its faults by path, and whom to tell of a change. */
export interface DraftProps {
  readonly draft: PolicyDraft;
  readonly faults: Readonly<Record<string, string>>;
  readonly onChange: (draft: PolicyDraft) => void;
}

/** The texts of a list at a path. */
export function textsAt(draft: PolicyDraft, path: string): string[] {
  const value = shownAt(draft, path);
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}

/** The fault of a list: its own, or the first of an entry. */
export function faultUnder(faults: Readonly<Record<string, string>>, path: string): string | undefined {
  return faults[path] ?? Object.entries(faults).find(([at]) => at.startsWith(`${path}.`))?.[1];
}

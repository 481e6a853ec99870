import { FALLBACK_KINDS, type FallbackStep } from '@agent-reach/sdk/decide';
import { sameJson } from '@/ui/diff';
import { readJson, writeJson } from './json-text';
import { type PolicyDraft, valueAt } from './policy-draft';

/** A step of the fallback while it is typed: its kind, and whatever its half-filled fields hold. */
export type StepDraft = Readonly<Record<string, unknown>>;

/** Steps that a policy may have. */
export const MAX_STEPS = 5;

const TEXTS: Readonly<Record<FallbackStep['kind'], string>> = {
  AGENT: 'Another agent',
  STALE: 'The last good answer',
  ANSWER: 'A fixed answer',
};

/** The kinds of steps to choose from. */
export const STEP_KINDS = FALLBACK_KINDS.map((value) => ({ value, label: TEXTS[value] }));

/** The steps that a draft holds; what is no step at all is left to the JSON side. */
export function fallbackSteps(draft: PolicyDraft): readonly StepDraft[] {
  const steps = valueAt(draft, 'fallback');
  if (!Array.isArray(steps)) return [];
  return steps.map((step: unknown) =>
    typeof step === 'object' && step !== null && !Array.isArray(step) ? (step as StepDraft) : {},
  );
}

/** A step of this kind to start from. */
export function initialStep(kind: FallbackStep['kind']): StepDraft {
  switch (kind) {
    case 'AGENT':
      return { kind, agent: '' };
    case 'STALE':
      return { kind, maxAgeMs: 3_600_000 };
    case 'ANSWER':
      return { kind, result: {} };
    default:
      return kind satisfies never;
  }
}

/**
 * What a fixed answer is while somebody types it as JSON. A text that can't be read stays a text, which no policy may
 * have as an answer: so it can't be saved, and nothing that was typed is lost.
 */
export function typedResult(text: string): unknown {
  return readJson(text).value ?? text;
}

/** What the field of a fixed answer shows: what was typed, as long as the draft says the same. */
export function shownResult(typed: string, result: unknown): string {
  if (typeof result === 'string') return result;
  return sameJson(typedResult(typed), result) ? typed : writeJson(result);
}

/** Why the text of a fixed answer can't be read; undefined when it can. */
export function resultFault(result: unknown): string | undefined {
  return typeof result === 'string' ? readJson(result).fault : undefined;
}

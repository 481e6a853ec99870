import type { RouteExplanation } from '@/features/explain/explain.operations';

export type Verdict = 'SAME' | 'ELSEWHERE' | 'BY_LOT' | 'SOMEBODY' | 'NOBODY';

/**
 * What a draft would change for a call. Both sides draw lots of their own, so that another choice says nothing where the
 * draft would as well have chosen whom the call goes to now.
 */
export function verdict(draft: RouteExplanation, saved: RouteExplanation): Verdict {
  if (draft.outcome !== saved.outcome && (draft.outcome === 'OK' || saved.outcome === 'OK')) {
    return draft.outcome === 'OK' ? 'SOMEBODY' : 'NOBODY';
  }
  if (draft.chosen === saved.chosen) return 'SAME';
  const find = (instance: string | null) => draft.candidates.find((candidate) => candidate.instance === instance);
  const [chosen, other] = [find(draft.chosen), find(saved.chosen)];
  if (other?.stage !== 'STRATEGY') return 'ELSEWHERE';
  const isEqual = other.kept && other.score === chosen?.score;
  return isEqual || draft.policy.strategy === 'RANDOM' ? 'BY_LOT' : 'ELSEWHERE';
}

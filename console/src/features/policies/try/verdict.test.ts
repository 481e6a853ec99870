import { expect, test } from 'vitest';
import type { RouteExplanation } from '@/features/explain/explain.operations';
import { verdict } from './verdict';

const decided = (
  chosen: string | null,
  scores: Record<string, number>,
  strategy = 'LEAST_IN_FLIGHT',
): RouteExplanation => ({
  outcome: chosen === null ? 'NO_ROUTE' : 'OK',
  chosen,
  message: '',
  policy: { id: null, name: 'default', version: 1, strategy },
  rollout: null,
  canaryPercent: null,
  binding: null,
  unknown: [],
  stages: [],
  candidates: Object.entries(scores).map(([instance, score]) => ({
    instance,
    kept: true,
    stage: 'STRATEGY',
    reason: '',
    score,
    parts: null,
  })),
});

test('the same choice, another one, and one by lot', () => {
  const scores = { 's/a/1': 2, 's/b/1': 1 };
  const saved = decided('s/a/1', scores);
  expect(verdict(decided('s/a/1', scores), saved)).toBe('SAME');
  expect(verdict(decided('s/b/1', { 's/a/1': 1, 's/b/1': 2 }), saved)).toBe('ELSEWHERE');
  expect(verdict(decided('s/b/1', { 's/a/1': 2, 's/b/1': 2 }), saved)).toBe('BY_LOT');
  expect(verdict(decided('s/b/1', { 's/a/1': 0, 's/b/1': 0 }, 'RANDOM'), saved)).toBe('BY_LOT');
  // Whom the draft doesn't even look at, no lot can bring back.
  expect(verdict(decided('s/b/1', { 's/b/1': 0 }, 'RANDOM'), saved)).toBe('ELSEWHERE');
});

test('somebody or nobody', () => {
  const nobody = decided(null, {});
  const somebody = decided('s/a/1', { 's/a/1': 1 });
  expect(verdict(nobody, somebody)).toBe('NOBODY');
  expect(verdict(somebody, nobody)).toBe('SOMEBODY');
  expect(verdict(nobody, nobody)).toBe('SAME');
});

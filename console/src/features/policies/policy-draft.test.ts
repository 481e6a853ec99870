import { expect, test } from 'vitest';
import { checkDraft, draftOf, valueAt, withStrategy, withValue } from './policy-draft';

test('a draft starts from the stored content with defaults filled in', () => {
  const draft = draftOf({ match: { capability: 'reserve_*' } });
  expect(valueAt(draft, 'match.capability')).toBe('reserve_*');
  expect(valueAt(draft, 'retry.maxRetries')).toBe(2);
});

test('a fault stands at the path of its field', () => {
  const draft = withValue(draftOf({}), 'retry.maxRetries', -1);
  expect(checkDraft(draft)).toMatchObject({
    content: undefined,
    faults: { 'retry.maxRetries': 'Got -1; allowed: a whole number from 0 to 10' },
    worstCaseMs: undefined,
  });
});

test('the worst case counts every attempt and every wait', () => {
  const draft = withValue(draftOf({}), 'timeoutMs', 1_000);
  // three attempts of 1 s, waits of 300 and 900 ms between them
  expect(checkDraft(draft).worstCaseMs).toBe(4_200);
});

test('another strategy drops the weights and brings its own settings', () => {
  const draft = withStrategy(draftOf({}), 'LEAST_IN_FLIGHT');
  expect(draft.strategy).toEqual({ name: 'LEAST_IN_FLIGHT' });
  expect(withStrategy(draft, 'WEIGHTED_SCORE').strategy).toEqual({
    name: 'WEIGHTED_SCORE',
    weights: { load: 0.4, latency: 0.3, affinity: 0.3 },
  });
});

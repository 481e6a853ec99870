import { expect, test } from 'vitest';
import { checkDraft, draftOf, shownAt, valueAt, withValue } from './policy-draft';
import { withStrategy } from './strategies';

test('a draft starts from the stored content with defaults filled in', () => {
  const draft = draftOf({ match: { capability: 'reserve_*' } });
  expect(valueAt(draft, 'match.capability')).toBe('reserve_*');
  expect(valueAt(draft, 'retry.maxRetries')).toBe(2);
});

test('a field that the JSON leaves out shows its default', () => {
  expect(shownAt({ match: { capability: 'echo' } }, 'match.capability')).toBe('echo');
  expect(shownAt({ match: { capability: 'echo' } }, 'match.caller')).toBe('*');
  expect(shownAt({}, 'retry.capMs')).toBe(3000);
});

test('a fault stands at the path of its field', () => {
  const draft = withValue(draftOf({}), 'retry.maxRetries', -1);
  expect(checkDraft(draft)).toMatchObject({
    content: undefined,
    faults: [{ path: 'retry.maxRetries', got: '-1', allowed: 'a whole number from 0 to 10' }],
    faultTexts: { 'retry.maxRetries': 'Got -1; allowed: a whole number from 0 to 10' },
    worstCaseMs: undefined,
  });
});

test('the worst case counts every attempt and every wait', () => {
  const draft = withValue(draftOf({}), 'timeoutMs', 1_000);
  // three attempts of 1 s, waits of 300 and 900 ms between them
  expect(checkDraft(draft).worstCaseMs).toBe(4_200);
});

test('another strategy drops the settings of the one before and brings its own', () => {
  const draft = withStrategy(draftOf({}), 'CONSISTENT_HASH');
  expect(draft.strategy).toEqual({ name: 'CONSISTENT_HASH', spillPercent: 20 });
  expect(checkDraft(draft).faults).toEqual([]);
  expect(withStrategy(draft, 'WEIGHTED_SCORE').strategy).toEqual({
    name: 'WEIGHTED_SCORE',
    weights: { load: 0.4, latency: 0.3, affinity: 0.3 },
  });
});

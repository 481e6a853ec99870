import { expect, test } from 'vitest';
import { canarySummary } from './canary-summary';

const usual = { enabled: true, sharePercent: 5, promoteAfterMs: 120_000, promoteMinCalls: 0, maxErrorPercent: 10 };

test.each([
  [{ ...usual, enabled: false }, 'New versions start in production'],
  [usual, 'New versions get 5 % of the calls for 2 min; 10 % may fail'],
  [{ ...usual, promoteMinCalls: 50 }, 'New versions get 5 % of the calls for 2 min and 50 calls; 10 % may fail'],
])('%j: %s', (canary, sentence) => {
  expect(canarySummary(canary)).toBe(sentence);
});

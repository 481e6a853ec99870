import { describe, expect, it } from 'vitest';
import { USUAL_CANARY } from './canary.settings.js';
import { judge, type TrialInstances } from './judgement.js';
import type { TrialFacts } from './trials.js';

const WELL: TrialInstances = { ready: 2, broken: 0, breakerReason: '' };
const facts = (calls: number, failures: number, watchedMs = 120_000): TrialFacts => ({ calls, failures, watchedMs });

describe('a version on trial', () => {
  it('is promoted by time alone, as long as nothing asks for calls', () => {
    expect(judge(USUAL_CANARY, facts(0, 0, 119_999), WELL)).toEqual({
      verdict: 'GOES_ON',
      reason: '0 of 0 calls failed, at most 10 % may',
      promoteInMs: 1,
    });
    expect(judge(USUAL_CANARY, facts(0, 0), WELL)).toEqual({
      verdict: 'PROMOTED',
      reason: '0 of 0 calls failed in 120 s, at most 10 % may',
    });
  });

  it('waits for the calls that are asked for', () => {
    const settings = { ...USUAL_CANARY, promoteMinCalls: 50 };
    expect(judge(settings, facts(49, 1), WELL)).toEqual({
      verdict: 'GOES_ON',
      reason: 'waits for 1 more calls; 1 of 49 calls failed',
      promoteInMs: undefined,
    });
    expect(judge(settings, facts(50, 1), WELL).verdict).toBe('PROMOTED');
  });

  it('is returned at the end of its time when more failed than may', () => {
    expect(judge(USUAL_CANARY, facts(10, 1), WELL).verdict).toBe('PROMOTED');
    expect(judge(USUAL_CANARY, facts(10, 2), WELL)).toEqual({
      verdict: 'RETURNED',
      reason: '2 of 10 calls failed, at most 10 % may',
    });
  });

  it.each([
    // Below 20 calls one failure more or less is chance.
    [10, 19, 19, 'GOES_ON'],
    [10, 20, 4, 'GOES_ON'],
    [10, 20, 5, 'RETURNED'],
    [0, 20, 1, 'RETURNED'],
    [60, 100, 80, 'GOES_ON'],
    [60, 100, 81, 'RETURNED'],
    [100, 100, 100, 'GOES_ON'],
  ])(
    'of which %i %% may fail, after %i calls with %i failures before its time is over: %s',
    (max, calls, failed, verdict) => {
      const settings = { ...USUAL_CANARY, maxErrorPercent: max };
      expect(judge(settings, facts(calls, failed, 1_000), WELL).verdict).toBe(verdict);
    },
  );

  it('is returned at once when its breakers leave nobody to call', () => {
    const broken = { ready: 1, broken: 1, breakerReason: '5 failures in a row' };
    expect(judge(USUAL_CANARY, facts(5, 5, 1_000), broken)).toEqual({
      verdict: 'RETURNED',
      reason: 'the breaker of its instance is open: 5 failures in a row; 5 of 5 calls failed',
    });
    expect(judge(USUAL_CANARY, facts(5, 5, 1_000), { ...broken, ready: 2 }).verdict).toBe('GOES_ON');
  });

  it('is not promoted while nobody could be called', () => {
    expect(judge(USUAL_CANARY, facts(100, 0, 999_999), { ...WELL, ready: 0 })).toEqual({
      verdict: 'GOES_ON',
      reason: 'waits for an instance that can take calls',
      promoteInMs: undefined,
    });
  });
});

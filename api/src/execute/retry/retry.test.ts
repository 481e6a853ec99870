import { describe, expect, it } from 'vitest';
import { type FailedAttempt, planRetry } from './retry.js';

const SETTINGS = { maxRetries: 2, baseMs: 300, factor: 3, capMs: 3000 };

function failed(overrides: Partial<FailedAttempt>): FailedAttempt {
  return {
    code: 'REFUSED',
    marked: false,
    idempotent: true,
    attempts: 1,
    repeatedUnanswered: false,
    nestedExhausted: false,
    ...overrides,
  };
}
const plan = (overrides: Partial<FailedAttempt>, random = 1) => planRetry(failed(overrides), SETTINGS, () => random);

describe('what is repeated', () => {
  it.each(['CONNECT_FAILED', 'REFUSED'] as const)('%s goes to another instance at once, idempotent or not', (code) => {
    expect(plan({ code, idempotent: false })).toEqual({ retry: true, afterMs: 0, budgeted: false });
  });

  it.each(['CONNECTION_LOST', 'RESPONSE_TIMEOUT', 'ACK_TIMEOUT'] as const)(
    '%s once, and only if idempotent',
    (code) => {
      expect(plan({ code }).retry).toBe(true);
      expect(plan({ code, idempotent: false }).retry).toBe(false);
      expect(plan({ code, attempts: 2, repeatedUnanswered: true }).retry).toBe(false);
    },
  );

  it.each(['AGENT_ERROR', 'INVALID_RESULT'] as const)('%s only if idempotent and marked retryable', (code) => {
    expect(plan({ code }).retry).toBe(false);
    expect(plan({ code, marked: true }).retry).toBe(true);
    expect(plan({ code, marked: true, idempotent: false }).retry).toBe(false);
    expect(plan({ code, marked: true, nestedExhausted: true }).retry).toBe(false);
  });

  it.each([
    'BUSINESS_ERROR',
    'INVALID_PARAMS',
    'DENIED',
    'RATE_LIMITED',
    'CONFLICT',
    'CANCELLED',
    'NO_ROUTE',
    'OUTCOME_UNKNOWN',
  ] as const)('%s never', (code) => {
    expect(plan({ code, marked: true }).retry).toBe(false);
  });

  it('at most twice', () => {
    expect(plan({ attempts: 2 }).retry).toBe(true);
    expect(plan({ attempts: 3 }).retry).toBe(false);
  });
});

describe('the wait', () => {
  it('is full jitter over 300 ms × 3, capped at 3 s', () => {
    const wait = (attempts: number, random: number) =>
      planRetry(failed({ code: 'AGENT_ERROR', marked: true, attempts }), { ...SETTINGS, maxRetries: 10 }, () => random);
    expect(wait(1, 1)).toEqual({ retry: true, afterMs: 300, budgeted: true });
    expect(wait(2, 1)).toEqual({ retry: true, afterMs: 900, budgeted: true });
    expect(wait(3, 1)).toEqual({ retry: true, afterMs: 2700, budgeted: true });
    expect(wait(4, 1)).toEqual({ retry: true, afterMs: 3000, budgeted: true });
    expect(wait(2, 0.5)).toEqual({ retry: true, afterMs: 450, budgeted: true });
    expect(wait(2, 0)).toEqual({ retry: true, afterMs: 0, budgeted: true });
  });
});

import type { FallbackStep } from '@agent-reach/sdk/decide';
import { ERRORS, type ErrorCode, ReachError } from '@agent-reach/sdk/protocol';
import { describe, expect, it } from 'vitest';
import { type FailedCall, mayFallBack, nextStep } from './fallback.js';

const may = (code: ErrorCode, call: Partial<FailedCall> = {}) =>
  mayFallBack({
    error: new ReachError(code, 'it failed').toWire(),
    idempotent: true,
    sentUnanswered: false,
    byBackup: false,
    ...call,
  });

/** Which failures let the fallback answer: of an idempotent call, of another, and of a backup agent. */
const TABLE: Readonly<Record<ErrorCode, readonly [idempotent: boolean, other: boolean, byBackup: boolean]>> = {
  // Not delivered.
  CONNECT_FAILED: [true, true, true],
  REFUSED: [true, true, true],
  // No answer.
  ACK_TIMEOUT: [true, false, true],
  RESPONSE_TIMEOUT: [true, false, true],
  CONNECTION_LOST: [true, false, true],
  // The agent failed.
  AGENT_ERROR: [true, false, true],
  INVALID_RESULT: [true, false, true],
  // A business answer.
  BUSINESS_ERROR: [false, false, false],
  // The caller's fault.
  INVALID_PARAMS: [false, false, true],
  DENIED: [false, false, true],
  SENSITIVE_PARAM: [false, false, true],
  LOOP_DETECTED: [false, false, true],
  NEED_UNCLEAR: [false, false, false],
  RATE_LIMITED: [false, false, false],
  CONFLICT: [false, false, false],
  CANCELLED: [false, false, false],
  DEADLINE_EXCEEDED: [true, true, true],
  // No way.
  NO_ROUTE: [true, true, true],
  OVERLOADED: [true, true, true],
  CIRCUIT_OPEN: [true, true, true],
  // Whether an earlier call of the same requestId was executed is not known.
  STORAGE_UNAVAILABLE: [false, false, false],
  // End unknown.
  OUTCOME_UNKNOWN: [false, false, false],
  // Nothing about the agents.
  RESULT_NOT_KEPT: [false, false, false],
  UNAUTHENTICATED: [false, false, false],
  NOT_FOUND: [false, false, false],
  INVALID_INPUT: [false, false, false],
  INVALID_FRAME: [false, false, false],
  INVALID_REGISTRATION: [false, false, false],
  NOT_REGISTERED: [false, false, false],
  PAYLOAD_TOO_LARGE: [false, false, false],
  SHUTTING_DOWN: [false, false, false],
  INTERNAL: [false, false, false],
};

describe('which failures the fallback answers', () => {
  const codes = Object.keys(ERRORS) as ErrorCode[];

  it.each(codes)('%s', (code) => {
    expect([may(code), may(code, { idempotent: false }), may(code, { byBackup: true })]).toEqual(TABLE[code]);
  });

  it('none where something was sent, never answered, and must not be executed twice', () => {
    const answered = codes.filter((code) => may(code, { idempotent: false, sentUnanswered: true, byBackup: true }));
    expect(answered).toEqual([]);
    expect(may('DEADLINE_EXCEEDED', { sentUnanswered: true })).toBe(true);
  });
});

describe('the next step', () => {
  const STEPS: readonly FallbackStep[] = [
    { kind: 'AGENT', agent: 'shop/backup' },
    { kind: 'STALE', maxAgeMs: 60_000 },
    { kind: 'AGENT', agent: 'shop/second' },
    { kind: 'ANSWER', result: { status: 'unknown' } },
  ];
  const next = (from: number, context: Partial<Parameters<typeof nextStep>[2]> = {}) =>
    nextStep(STEPS, from, { leftMs: 1_000, mayTry: () => true, hasAnswer: () => true, ...context });

  it("is the policy's order", () => {
    expect([next(0), next(1), next(2), next(3), next(4)]).toEqual([0, 1, 2, 3, undefined]);
  });

  it('passes over agents when no time is left, or when they may not be tried', () => {
    expect([next(0, { leftMs: 0 }), next(2, { leftMs: -5 })]).toEqual([1, 3]);
    expect(next(0, { mayTry: (agent) => agent !== 'shop/backup', hasAnswer: () => false })).toBe(2);
  });

  it('passes over a stale answer that nobody has, or that is too old', () => {
    expect(next(1, { hasAnswer: (maxAgeMs) => maxAgeMs > 60_000 })).toBe(2);
    expect(next(1, { hasAnswer: (maxAgeMs) => maxAgeMs >= 60_000 })).toBe(1);
  });

  it('is nothing for a policy without steps', () => {
    expect(nextStep([], 0, { leftMs: 1_000, mayTry: () => true, hasAnswer: () => true })).toBeUndefined();
  });
});

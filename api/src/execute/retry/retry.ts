import type { RetrySettings } from '@agent-reach/sdk/decide';
import { ERRORS, type ErrorCode } from '@agent-reach/sdk/protocol';

/** What is known when an attempt failed. */
export interface FailedAttempt {
  readonly code: ErrorCode;
  /** Whether the agent itself marked the failure retryable. */
  readonly marked: boolean;
  readonly idempotent: boolean;
  /** Attempts so far, this one included. */
  readonly attempts: number;
  /** Whether a retry after "no answer" was already made for this call. */
  readonly repeatedUnanswered: boolean;
  /** The agent failed because a call that it made in turn had used up its own retries. */
  readonly nestedExhausted: boolean;
}

export type RetryPlan =
  | { readonly retry: false }
  /** `budgeted`: draws on the capability's retry budget. */
  | { readonly retry: true; readonly afterMs: number; readonly budgeted: boolean };

const NO: RetryPlan = { retry: false };
const NOW: RetryPlan = { retry: true, afterMs: 0, budgeted: false };

/** Whether a failed attempt is followed by another, and when. `random` returns a number in [0, 1). */
export function planRetry(failed: FailedAttempt, settings: RetrySettings, random: () => number): RetryPlan {
  if (failed.attempts > settings.maxRetries || !mayRetry(failed)) return NO;
  // The first failover after "not delivered" or an instance's death goes at once: waiting would help nobody.
  if (failed.attempts === 1 && isFailover(failed.code)) return NOW;
  return { retry: true, afterMs: backoff(failed.attempts, settings, random), budgeted: true };
}

/** Full jitter: evenly between 0 and min(capMs, baseMs · factor^(retry − 1)). `retry`: 1 for the first. */
export function backoff(retry: number, settings: RetrySettings, random: () => number): number {
  return random() * Math.min(settings.capMs, settings.baseMs * settings.factor ** (retry - 1));
}

function mayRetry(failed: FailedAttempt): boolean {
  const { retry } = ERRORS[failed.code];
  switch (retry) {
    case 'ANOTHER':
      return true;
    case 'IF_IDEMPOTENT':
      return failed.idempotent && !failed.repeatedUnanswered;
    case 'IF_MARKED':
      return failed.idempotent && failed.marked && !failed.nestedExhausted;
    case 'NEVER':
      return false;
    default:
      return retry satisfies never;
  }
}

function isFailover(code: ErrorCode): boolean {
  return ERRORS[code].retry === 'ANOTHER' || code === 'CONNECTION_LOST';
}

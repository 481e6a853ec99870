import type { Policy } from '@agent-reach/sdk/decide';
import type { CallerRef, WireError } from '@agent-reach/sdk/protocol';
import type { CallRun } from '../calls/call-run.js';
import { rateLimited } from '../calls/failures.js';
import type { RateLimits } from './rate-limits.js';

/** Repetitions of one requestId cost nothing, but not without bound. */
const REPLAYS = { calls: 100, windowMs: 60_000 };

/** Counts calls against what their policy allows their caller. */
export class RateLimiter {
  constructor(private readonly limits: RateLimits) {}

  /** Charges a call, once whatever its retries; RATE_LIMITED when it is one too many. */
  chargeOnce(run: CallRun, policy: Policy): WireError | undefined {
    if (run.charged) return undefined;
    run.charged = true;
    return this.charge(run.caller.caller, policy);
  }

  charge(caller: CallerRef, { namespace, name, content: { rateLimit } }: Policy): WireError | undefined {
    if (rateLimit === null) return undefined;
    const retryAfterMs = this.limits.charge(`${namespace} ${name} ${caller}`, rateLimit);
    if (retryAfterMs === undefined) return undefined;
    return rateLimited(caller, rateLimit.calls, rateLimit.windowMs, retryAfterMs);
  }

  /** Charges a repetition. */
  replay(run: CallRun): WireError | undefined {
    const retryAfterMs = this.limits.charge(`replay ${run.key}`, REPLAYS);
    if (retryAfterMs === undefined) return undefined;
    return rateLimited(run.caller.caller, REPLAYS.calls, REPLAYS.windowMs, retryAfterMs);
  }

  expire(): void {
    this.limits.expire();
  }
}

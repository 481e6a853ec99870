import type { ClaimedAttempt, ClaimKey } from './claims.port.js';

const MAX_CLAIMS = 10_000;
/** As long as a claim is kept. */
const KEPT_MS = 24 * 3_600_000;

interface UnknownClaim {
  readonly key: ClaimKey;
  readonly attempt: ClaimedAttempt;
  readonly since: number;
}

/** Claims that ended as OUTCOME_UNKNOWN, while their instance may still answer. Bounded; the oldest go first. */
export class UnknownClaims {
  readonly #byDispatch = new Map<string, UnknownClaim>();

  add(key: ClaimKey, attempt: ClaimedAttempt, now: number): void {
    this.#byDispatch.set(attempt.dispatchId, { key, attempt, since: now });
    if (this.#byDispatch.size <= MAX_CLAIMS) return;
    for (const oldest of this.#byDispatch.keys()) {
      this.#byDispatch.delete(oldest);
      return;
    }
  }

  get(dispatchId: string): UnknownClaim | undefined {
    return this.#byDispatch.get(dispatchId);
  }

  delete(dispatchId: string): void {
    this.#byDispatch.delete(dispatchId);
  }

  expire(now: number): void {
    for (const [dispatchId, { since }] of this.#byDispatch) {
      if (now - since < KEPT_MS) return;
      this.#byDispatch.delete(dispatchId);
    }
  }
}

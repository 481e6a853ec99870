import type { InstanceRef } from '@agent-reach/sdk/protocol';
import type { ClaimedAttempt, ClaimKey } from './claims.port.js';

const MAX_CLAIMS = 10_000;
/** As long as a claim is kept. */
const KEPT_MS = 24 * 3_600_000;

export interface UnknownClaim {
  readonly key: ClaimKey;
  readonly attempt: ClaimedAttempt;
  readonly since: number;
}

/** Claims that ended as OUTCOME_UNKNOWN, while their instance may still answer. Bounded; the oldest go first. */
export class UnknownClaims {
  readonly #byDispatch = new Map<string, UnknownClaim>();
  readonly #byInstance = new Map<InstanceRef, Set<UnknownClaim>>();

  add(key: ClaimKey, attempt: ClaimedAttempt, now: number): void {
    this.delete(attempt.dispatchId);
    const claim = { key, attempt, since: now };
    this.#byDispatch.set(attempt.dispatchId, claim);
    const there = this.#byInstance.get(attempt.instance) ?? new Set();
    this.#byInstance.set(attempt.instance, there.add(claim));
    if (this.#byDispatch.size <= MAX_CLAIMS) return;
    for (const oldest of this.#byDispatch.keys()) {
      this.delete(oldest);
      return;
    }
  }

  /** Those that an instance may still say something about, oldest first. */
  on(instance: InstanceRef): Iterable<UnknownClaim> {
    return this.#byInstance.get(instance) ?? [];
  }

  get(dispatchId: string): UnknownClaim | undefined {
    return this.#byDispatch.get(dispatchId);
  }

  delete(dispatchId: string): void {
    const claim = this.#byDispatch.get(dispatchId);
    if (claim === undefined) return;
    this.#byDispatch.delete(dispatchId);
    const { instance } = claim.attempt;
    const there = this.#byInstance.get(instance);
    there?.delete(claim);
    if (there?.size === 0) this.#byInstance.delete(instance);
  }

  expire(now: number): void {
    for (const [dispatchId, { since }] of this.#byDispatch) {
      if (now - since < KEPT_MS) return;
      this.delete(dispatchId);
    }
  }
}

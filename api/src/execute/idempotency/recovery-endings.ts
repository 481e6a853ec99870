import type { InstanceRef } from '@agent-reach/sdk/protocol';
import type { Clock } from '../../perceive/clock.js';
import type { ClaimedAttempt, ClaimedOutcome, ClaimKey, ClaimStore } from './claims.port.js';
import type { RecoveredClaim, RecoveredClaims, Resolution } from './recovery-claim.js';
import { isUnknown } from './recovery-outcomes.js';
import { type UnknownClaim, UnknownClaims } from './unknown-claims.js';

export interface RecoveryEndingsDeps {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly store: Pick<ClaimStore, 'finish' | 'release'>;
  /** A listener failed. */
  readonly onFault: (error: unknown) => void;
}

/** Stores what became of claims under recovery, and tells those who wait. */
export class RecoveryEndings {
  readonly #unknown = new UnknownClaims();

  constructor(
    private readonly claims: RecoveredClaims,
    private readonly deps: RecoveryEndingsDeps,
  ) {}

  /** Nobody hears of an outcome before it is stored: a repetition after the next restart must get the same one. */
  end(recovered: RecoveredClaim, outcome: ClaimedOutcome): void {
    const { claim } = recovered;
    this.claims.end(recovered);
    if (isUnknown(outcome)) this.unknown(claim, claim);
    this.deps.store.finish(claim, claim.dispatchId, outcome, () => {
      this.claims.remove(recovered);
      this.#tell(recovered, { kind: 'RESOLVED', outcome });
    });
  }

  /** Nothing was executed. */
  free(recovered: RecoveredClaim): void {
    const { claim } = recovered;
    this.claims.remove(recovered);
    this.deps.store.release(claim, claim.dispatchId);
    this.#tell(recovered, { kind: 'FREE' });
  }

  /** A claim ended as OUTCOME_UNKNOWN, and its instance may still answer. */
  unknown(key: ClaimKey, { instance, incarnation, dispatchId }: ClaimedAttempt): void {
    this.#unknown.add(key, { instance, incarnation, dispatchId }, this.deps.clock.monotonic());
  }

  /** The attempt of a claim that ended as OUTCOME_UNKNOWN. */
  unknownAttempt(dispatchId: string): ClaimedAttempt | undefined {
    return this.#unknown.get(dispatchId)?.attempt;
  }

  /** Claims that ended as OUTCOME_UNKNOWN and that an instance may still say something about. */
  unknownOn(instance: InstanceRef): Iterable<UnknownClaim> {
    return this.#unknown.on(instance);
  }

  /** What it came to after all; one answer counts. */
  replace(dispatchId: string, outcome: ClaimedOutcome): void {
    const unknown = this.#unknown.get(dispatchId);
    if (unknown === undefined) return;
    if (!isUnknown(outcome)) this.#unknown.delete(dispatchId);
    this.deps.store.finish(unknown.key, dispatchId, outcome, () => {});
  }

  expire(): void {
    this.#unknown.expire(this.deps.clock.monotonic());
  }

  #tell({ waiters }: RecoveredClaim, resolution: Resolution): void {
    for (const resolved of waiters) {
      try {
        resolved(resolution);
      } catch (error) {
        this.deps.onFault(error);
      }
    }
    waiters.clear();
  }
}

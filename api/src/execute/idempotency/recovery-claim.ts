import type { InstanceRef } from '@agent-reach/sdk/protocol';
import type { Instance } from '../../perceive/instance.js';
import type { ClaimedOutcome, ClaimKey, KnownClaim } from './claims.port.js';

/** What a repetition that waited hears. FREE: nothing was executed, so that it may claim the key itself. */
export type Resolution = { readonly kind: 'RESOLVED'; readonly outcome: ClaimedOutcome } | { readonly kind: 'FREE' };

export type Resolved = (resolution: Resolution) => void;

/** What is known of a claim that an earlier server left. Times in monotonic ms. */
export type RecoveryPhase =
  /** Its instance is not here. */
  | { readonly name: 'ABSENT' }
  /** Its instance was asked, and has not answered. */
  | { readonly name: 'ASKED'; readonly instance: Instance; readonly askedAt: number }
  /** Its instance executes it. */
  | { readonly name: 'RUNNING'; readonly instance: Instance; readonly until: number }
  /** Its outcome is known and is being stored. */
  | { readonly name: 'ENDING' };

/** A claim that an earlier server left, until it has an outcome or is free. */
export interface RecoveredClaim {
  readonly claim: KnownClaim;
  /** When it is given up, unless its instance said that it runs. */
  readonly waitUntil: number;
  readonly waiters: Set<Resolved>;
  phase: RecoveryPhase;
}

/** The claims under recovery, found by whatever names them. */
export class RecoveredClaims {
  readonly #byKey = new Map<string, RecoveredClaim>();
  /** Those that have no outcome yet. */
  readonly #byDispatch = new Map<string, RecoveredClaim>();
  readonly #byInstance = new Map<InstanceRef, Set<RecoveredClaim>>();

  get size(): number {
    return this.#byKey.size;
  }

  add(recovered: RecoveredClaim): void {
    const { claim } = recovered;
    this.#byKey.set(textOf(claim), recovered);
    this.#byDispatch.set(claim.dispatchId, recovered);
    const others = this.#byInstance.get(claim.instance);
    if (others === undefined) this.#byInstance.set(claim.instance, new Set([recovered]));
    else others.add(recovered);
  }

  /** It has an outcome: nothing that is still said of it counts here. */
  end(recovered: RecoveredClaim): void {
    const { dispatchId, instance } = recovered.claim;
    recovered.phase = { name: 'ENDING' };
    this.#byDispatch.delete(dispatchId);
    const others = this.#byInstance.get(instance);
    others?.delete(recovered);
    if (others?.size === 0) this.#byInstance.delete(instance);
  }

  remove(recovered: RecoveredClaim): void {
    this.end(recovered);
    // A newer claim may have taken the key since.
    const key = textOf(recovered.claim);
    if (this.#byKey.get(key) === recovered) this.#byKey.delete(key);
  }

  get(key: ClaimKey): RecoveredClaim | undefined {
    return this.#byKey.get(textOf(key));
  }

  of(dispatchId: string): RecoveredClaim | undefined {
    return this.#byDispatch.get(dispatchId);
  }

  /** Those of an instance that have no outcome; a copy, so that they may end meanwhile. */
  on(instance: InstanceRef): RecoveredClaim[] {
    return [...(this.#byInstance.get(instance) ?? [])];
  }

  /** All that have no outcome; a copy. */
  open(): RecoveredClaim[] {
    return [...this.#byDispatch.values()];
  }
}

function textOf({ caller, requestId }: ClaimKey): string {
  return `${caller}\n${requestId}`;
}

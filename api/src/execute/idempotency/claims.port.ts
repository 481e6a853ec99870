import type { AgentRef, CallerRef, CallTarget, InstanceRef, WireError } from '@agent-reach/sdk/protocol';

/** What names a claim: one execution for it, ever. */
export interface ClaimKey {
  readonly caller: CallerRef;
  readonly requestId: string;
}

/** The attempt that a claim allows: no other may be sent. */
export interface ClaimedAttempt {
  readonly instance: InstanceRef;
  readonly incarnation: string;
  readonly dispatchId: string;
}

/** A claim as it is made before the first attempt of a call to a non-idempotent capability. */
export interface NewClaim extends ClaimKey, ClaimedAttempt {
  readonly namespace: string;
  /** Whom the call asked for; a repetition must ask for the same. */
  readonly target: CallTarget;
  readonly capability: string;
  readonly paramsHash: string;
}

/** What an execution came to, as it is kept for repetitions. */
export type ClaimedOutcome = {
  readonly instance: InstanceRef | undefined;
  readonly attempts: number;
} & (
  | { readonly ok: true; readonly result: unknown }
  /** OUTCOME_UNKNOWN: a later result of the claim's dispatch replaces it. */
  | { readonly ok: false; readonly error: WireError }
);

/** A claim that an earlier call made. */
export interface KnownClaim extends NewClaim {
  /** The server that made it, by its number; a smaller one than now means that the server was restarted since. */
  readonly nodeEpoch: bigint;
  /** Undefined while it runs. */
  readonly outcome: ClaimedOutcome | undefined;
  /** The capability's agent, for the permission that a repetition needs. */
  readonly agent: AgentRef;
}

export type ClaimAnswer =
  /** Durable, and this call's own. */
  | { readonly kind: 'CLAIMED' }
  | { readonly kind: 'KNOWN'; readonly claim: KnownClaim }
  /** Another server took over this database: this one may write nothing more. */
  | { readonly kind: 'FENCED' };

/**
 * Where claims are durable. Claims of the same few milliseconds share one write. While the database is away everything
 * waits and is tried again; callers that can't wait `release`. Each callback is called at most once.
 */
export interface ClaimStore {
  /** Makes a claim durable. */
  claim(claim: NewClaim, answered: (answer: ClaimAnswer) => void): void;
  /** What is known of an earlier call of the key, nothing if there was none; claims nothing. Returns how to stop waiting. */
  find(key: ClaimKey, found: (claim: KnownClaim | undefined) => void): () => void;
  /** The claim allows another attempt from now on, and the one before no longer. */
  move(key: ClaimKey, to: ClaimedAttempt, done: () => void): void;
  /** Makes the outcome durable; `done` when it is. Kept for 24 h. */
  finish(key: ClaimKey, dispatchId: string, outcome: ClaimedOutcome, done: () => void): void;
  /**
   * Nothing was executed: the next call of this key may claim it. Also for a claim that was not answered yet, whose
   * callback is then never called. A claim after it, by the same server, comes after it in the database too.
   */
  release(key: ClaimKey, dispatchId: string): void;
  /** Claims of earlier servers that never came to an end. */
  unfinished(): Promise<readonly KnownClaim[]>;
}

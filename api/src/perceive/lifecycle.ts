import type { Lifecycle } from '@agent-reach/sdk/protocol';

/**
 * Where an instance is in its life, with what only that state knows. Times are monotonic, ms.
 * PENDING waits for verification; STARTING for its grace; DRAINING for its running calls; SUSPECT for its return.
 * What an operator paused or drained before it was verified is PENDING again when the operator resumes it.
 */
export type LifecycleState =
  | { readonly name: 'PENDING' }
  | { readonly name: 'STARTING'; readonly readyAt: number }
  | { readonly name: 'READY' }
  | DrainingState
  | { readonly name: 'PAUSED' }
  | SuspectState
  | { readonly name: 'GONE' };

/** Its lease is lost. Kept for a while, since the same process may come back. */
export interface SuspectState {
  readonly name: 'SUSPECT';
  /** By the clock of leases; infinite: kept for as long as it takes. */
  readonly goneAt: number;
  /** The same for people; null: not known. */
  readonly observedUntil: Date | null;
  /** It was DRAINING when it was lost, and is so again when the same process comes back. */
  readonly drained: DrainingState | undefined;
}

export interface DrainingState {
  readonly name: 'DRAINING';
  readonly until: number;
  readonly byOperator: boolean;
}

/** Every allowed step; anything else is a fault of the program. */
export const TRANSITIONS: Readonly<Record<Lifecycle, readonly Lifecycle[]>> = {
  PENDING: ['STARTING', 'DRAINING', 'PAUSED', 'SUSPECT', 'GONE'],
  STARTING: ['READY', 'DRAINING', 'PAUSED', 'SUSPECT', 'GONE'],
  READY: ['DRAINING', 'PAUSED', 'SUSPECT', 'GONE'],
  DRAINING: ['PENDING', 'READY', 'PAUSED', 'SUSPECT', 'GONE'],
  PAUSED: ['PENDING', 'READY', 'DRAINING', 'SUSPECT', 'GONE'],
  SUSPECT: ['STARTING', 'READY', 'DRAINING', 'PAUSED', 'GONE'],
  GONE: [],
};

export function mayBecome(from: Lifecycle, to: Lifecycle): boolean {
  return TRANSITIONS[from].includes(to);
}

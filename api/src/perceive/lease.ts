import { LEASE_PROFILES, type LeaseChoice, type LeaseProfile, type LeaseTimes } from '@agent-reach/sdk/protocol';

/** The times that an instance asked for. */
export function timesOf(lease: LeaseChoice): LeaseTimes {
  return typeof lease === 'string' ? LEASE_PROFILES[lease] : lease;
}

export function profileOf(lease: LeaseChoice): LeaseProfile | 'CUSTOM' {
  return typeof lease === 'string' ? lease : 'CUSTOM';
}

/** How long an instance whose lease was lost is kept, in case that it comes back, ms. */
export function observationMs(lease: LeaseTimes): number {
  return 3 * lease.ttlMs;
}

/**
 * The clock that leases are judged by: monotonic time less every moment in which this process itself stood still.
 * A sweep that runs late by x thereby extends all leases by x, at no cost per lease.
 */
export class LeaseClock {
  #stalledMs = 0;
  #lastSweep: number;

  constructor(
    private readonly sweepMs: number,
    monotonic: number,
  ) {
    this.#lastSweep = monotonic;
  }

  now(monotonic: number): number {
    return monotonic - this.#stalledMs;
  }

  /** Called by each sweep, before it judges. */
  swept(monotonic: number): void {
    this.#stalledMs += Math.max(0, monotonic - this.#lastSweep - this.sweepMs);
    this.#lastSweep = monotonic;
  }
}

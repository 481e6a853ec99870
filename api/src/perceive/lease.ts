import type { LeaseProfile } from '@agent-reach/sdk/protocol';

export interface LeaseTimes {
  readonly intervalMs: number;
  /** At least three intervals, so that two lost beats cost nothing. */
  readonly ttlMs: number;
}

export const LEASE_PROFILES: Readonly<Record<LeaseProfile, LeaseTimes>> = {
  REALTIME: { intervalMs: 5_000, ttlMs: 15_000 },
  STANDARD: { intervalMs: 30_000, ttlMs: 120_000 },
  BATCH: { intervalMs: 60_000, ttlMs: 300_000 },
};

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

  /** Called by each sweep, before it judges. A delay of less than one sweep is the ordinary jitter of timers. */
  swept(monotonic: number): void {
    const late = monotonic - this.#lastSweep - this.sweepMs;
    if (late > this.sweepMs) this.#stalledMs += late;
    this.#lastSweep = monotonic;
  }
}

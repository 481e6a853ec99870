import type { FieldFault } from './errors.js';
import { isObject, shown } from './shape.js';

export type LeaseProfile = 'REALTIME' | 'STANDARD' | 'BATCH';

/** How often an instance reports, and how long it is believed without a report. */
export interface LeaseTimes {
  readonly intervalMs: number;
  /** At least three intervals, so that two lost reports cost nothing. */
  readonly ttlMs: number;
}

/** What an instance asks for: a profile, or times of its own. */
export type LeaseChoice = LeaseProfile | LeaseTimes;

export const LEASE_PROFILES: Readonly<Record<LeaseProfile, LeaseTimes>> = {
  REALTIME: { intervalMs: 5_000, ttlMs: 15_000 },
  STANDARD: { intervalMs: 30_000, ttlMs: 120_000 },
  BATCH: { intervalMs: 60_000, ttlMs: 300_000 },
};

/** The range of times of one's own. The TTL also covers three intervals, and the network's recovery twice. */
export const LEASE_LIMITS = { minIntervalMs: 1_000, maxIntervalMs: 600_000, maxTtlMs: 3_600_000 } as const;

const INTERVALS_A_TTL = 3;
const RECOVERIES_A_TTL = 2;

/**
 * What is wrong with a lease that somebody asks for.
 *
 * @param networkRecoveryMs how long the network may take to recover, as the server is set up; 0 where that is not known
 */
export function leaseFaults(lease: unknown, networkRecoveryMs = 0): FieldFault[] {
  if (typeof lease === 'string' && Object.hasOwn(LEASE_PROFILES, lease)) return [];
  if (!isObject(lease)) {
    const allowed = `${Object.keys(LEASE_PROFILES).join(', ')}, or { intervalMs, ttlMs }`;
    return [{ path: 'lease', got: shown(lease), allowed }];
  }
  const { intervalMs, ttlMs } = lease;
  const { minIntervalMs, maxIntervalMs, maxTtlMs } = LEASE_LIMITS;
  const faults: FieldFault[] = [];
  const goodInterval = isWhole(intervalMs, minIntervalMs, maxIntervalMs);
  if (!goodInterval) {
    const allowed = `a whole number from ${minIntervalMs} to ${maxIntervalMs}`;
    faults.push({ path: 'lease.intervalMs', got: shown(intervalMs), allowed });
  }
  const forInterval = INTERVALS_A_TTL * (goodInterval ? intervalMs : minIntervalMs);
  const forNetwork = RECOVERIES_A_TTL * networkRecoveryMs;
  if (!isWhole(ttlMs, Math.max(forInterval, forNetwork), maxTtlMs)) {
    const least =
      forNetwork > forInterval
        ? `${forNetwork} (twice the network's recovery time)`
        : `${forInterval} (three times intervalMs)`;
    faults.push({ path: 'lease.ttlMs', got: shown(ttlMs), allowed: `a whole number from ${least} to ${maxTtlMs}` });
  }
  for (const field of Object.keys(lease)) {
    if (field !== 'intervalMs' && field !== 'ttlMs') {
      faults.push({ path: `lease.${field.slice(0, 64)}`, got: 'an unknown field', allowed: 'intervalMs, ttlMs' });
    }
  }
  return faults;
}

function isWhole(value: unknown, least: number, most: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;
}

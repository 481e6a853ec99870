import type { Instant } from '@agent-reach/sdk/decide';

/** The clocks of the core, given as an argument so that tests can move time. */
export interface Clock {
  /** Monotonic, ms. Leases, timeouts and breakers use only this one. */
  monotonic(): number;
  /** Since 1970, ms. For people, audit and the expiry of rules. */
  wall(): number;
}

export const systemClock: Clock = {
  monotonic: () => performance.now(),
  wall: () => Date.now(),
};

export function instant(clock: Clock): Instant {
  return { monotonic: clock.monotonic(), wall: clock.wall() };
}

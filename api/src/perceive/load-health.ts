import { SATURATED } from '@agent-reach/sdk/decide';
import type { Health } from '@agent-reach/sdk/protocol';

/** Over this an instance becomes DEGRADED. */
export const DEGRADED_OVER = 0.7;
/** Under this it becomes HEALTHY again. */
export const HEALTHY_UNDER = 0.6;
/** How long a reading must hold before the state follows, ms; a flapping reading makes a bounded number of events. */
export const DWELL_MS = 2_000;

export type LoadState = Extract<Health, 'HEALTHY' | 'DEGRADED'>;

/** The states in order of load. A saturated instance is DEGRADED too; that it gets calls only as the last is its reason. */
const HEALTHY = 0;
const DEGRADED = 1;
const SATURATION = 2;
type Level = typeof HEALTHY | typeof DEGRADED | typeof SATURATION;

/** Health from utilisation, with hysteresis and a dwell time. */
export class LoadHealth {
  #level: Level = HEALTHY;
  #reason = '';
  /** Since when readings have asked for another level, and which one all of them would agree to. */
  #leaving: { readonly since: number; readonly to: Level } | undefined;

  get state(): LoadState {
    return this.#level === HEALTHY ? 'HEALTHY' : 'DEGRADED';
  }

  /** Why it is not HEALTHY; empty while it is. */
  get reason(): string {
    return this.#level === HEALTHY ? '' : this.#reason;
  }

  /**
   * Takes the newest utilisation (0 to 1) and the time. Returns the new state and why when it changed.
   * Called again with the same reading as time passes, so that a held reading changes the state without a new report.
   */
  observe(utilisation: number, monotonic: number): { readonly state: LoadState; readonly reason: string } | undefined {
    const wanted = this.#wanted(utilisation);
    if (wanted === this.#level) {
      this.#leaving = undefined;
      return undefined;
    }
    this.#leaving = this.#towards(wanted, monotonic);
    if (monotonic - this.#leaving.since < DWELL_MS) return undefined;
    this.#level = this.#leaving.to;
    this.#leaving = undefined;
    this.#reason = reasonOf(this.#level, utilisation);
    return { state: this.state, reason: this.#reason };
  }

  /** Nobody reports for a while: what was read last has not held meanwhile, as far as anybody knows. */
  interrupt(): void {
    this.#leaving = undefined;
  }

  /** Readings that go the same way add up to one dwell; the level that it ends in is the nearest that any of them asked for. */
  #towards(wanted: Level, monotonic: number): { readonly since: number; readonly to: Level } {
    const leaving = this.#leaving;
    const up = wanted > this.#level;
    if (leaving === undefined || leaving.to > this.#level !== up) return { since: monotonic, to: wanted };
    const isNearer = up ? wanted < leaving.to : wanted > leaving.to;
    return isNearer ? { since: leaving.since, to: wanted } : leaving;
  }

  #wanted(utilisation: number): Level {
    if (utilisation > SATURATED) return SATURATION;
    if (utilisation > DEGRADED_OVER) return DEGRADED;
    if (utilisation < HEALTHY_UNDER) return HEALTHY;
    return this.#level === HEALTHY ? HEALTHY : DEGRADED;
  }
}

function reasonOf(level: Level, utilisation: number): string {
  const value = utilisation.toFixed(2);
  switch (level) {
    case HEALTHY:
      return `utilisation ${value} back under ${HEALTHY_UNDER}`;
    case SATURATION:
      return `utilisation ${value} over ${SATURATED}: saturated, gets calls only when nobody else has room`;
    case DEGRADED:
      return utilisation > DEGRADED_OVER
        ? `utilisation ${value} over ${DEGRADED_OVER}`
        : `utilisation ${value}, not under ${HEALTHY_UNDER} yet`;
    default:
      return level satisfies never;
  }
}

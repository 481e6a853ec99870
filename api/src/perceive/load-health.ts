import type { Health } from '@agent-reach/sdk/protocol';

/** Over this an instance becomes DEGRADED. */
export const DEGRADED_OVER = 0.7;
/** Under this it becomes HEALTHY again. */
export const HEALTHY_UNDER = 0.6;
/** How long a reading must hold before the state follows, ms; a flapping reading makes a bounded number of events. */
export const DWELL_MS = 2_000;

type LoadState = Extract<Health, 'HEALTHY' | 'DEGRADED'>;

/** Health from utilisation, with hysteresis and a dwell time. */
export class LoadHealth {
  #state: LoadState = 'HEALTHY';
  #other: { since: number } | undefined;

  get state(): LoadState {
    return this.#state;
  }

  /**
   * Takes the newest utilisation (0 to 1) and the time. Returns the new state when it changed.
   * Called again with the same reading as time passes, so that a held reading changes the state without a new report.
   */
  observe(utilisation: number, monotonic: number): LoadState | undefined {
    const wanted = this.#wanted(utilisation);
    if (wanted === this.#state) {
      this.#other = undefined;
      return undefined;
    }
    this.#other ??= { since: monotonic };
    if (monotonic - this.#other.since < DWELL_MS) return undefined;
    this.#state = wanted;
    this.#other = undefined;
    return wanted;
  }

  #wanted(utilisation: number): LoadState {
    if (utilisation > DEGRADED_OVER) return 'DEGRADED';
    if (utilisation < HEALTHY_UNDER) return 'HEALTHY';
    return this.#state;
  }
}

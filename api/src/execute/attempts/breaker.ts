import type { BreakerSettings, BreakerState } from '@agent-reach/sdk/decide';

/** How an attempt ended, as far as a breaker cares. */
export type BreakerCharge = 'FAILURE' | 'SUCCESS' | 'NEITHER';

interface Tally {
  /** Start of the window, monotonic ms. */
  since: number;
  calls: number;
  failures: number;
}

/**
 * The breaker of one incarnation. Charged once per attempt, when the attempt ends. The state itself is a value that
 * decide reads; this holds what leads from one to the next.
 */
export class Breaker {
  #state: BreakerState = { state: 'CLOSED' };
  #consecutive: { count: number; since: number } = { count: 0, since: 0 };
  #tally: Tally = { since: 0, calls: 0, failures: 0 };

  get state(): BreakerState {
    return this.#state;
  }

  /** A call goes to an instance whose breaker is not closed: it is the probe. */
  beginProbe(): void {
    const { state } = this;
    if (state.state === 'CLOSED') return;
    const successes = state.state === 'HALF_OPEN' ? state.successes : 0;
    this.#state = { state: 'HALF_OPEN', probing: true, successes, reason: state.reason };
  }

  /**
   * An attempt ended. `probe`: it was the one that beginProbe announced; whatever its end, its slot is free again.
   * An attempt that was under way when the breaker opened changes nothing any more.
   */
  charge(charge: BreakerCharge, probe: boolean, settings: BreakerSettings, monotonic: number): void {
    if (probe) this.#endProbe(charge, settings, monotonic);
    else if (this.#state.state === 'CLOSED' && charge !== 'NEITHER') this.#count(charge, settings, monotonic);
  }

  #endProbe(charge: BreakerCharge, settings: BreakerSettings, monotonic: number): void {
    const { state } = this;
    if (state.state !== 'HALF_OPEN') return;
    if (charge === 'FAILURE') {
      this.#open('its probe call failed', settings, monotonic);
      return;
    }
    const successes = state.successes + (charge === 'SUCCESS' ? 1 : 0);
    if (successes >= settings.closeAfter) this.#close(monotonic);
    else this.#state = { state: 'HALF_OPEN', probing: false, successes, reason: state.reason };
  }

  #count(charge: 'FAILURE' | 'SUCCESS', settings: BreakerSettings, monotonic: number): void {
    if (monotonic - this.#tally.since > settings.rateWindowMs)
      this.#tally = { since: monotonic, calls: 0, failures: 0 };
    this.#tally.calls++;
    if (charge === 'SUCCESS') {
      this.#consecutive.count = 0;
      return;
    }
    this.#tally.failures++;
    if (this.#consecutive.count === 0 || monotonic - this.#consecutive.since > settings.consecutiveWindowMs) {
      this.#consecutive = { count: 0, since: monotonic };
    }
    this.#consecutive.count++;
    if (this.#consecutive.count >= settings.consecutiveFailures) {
      this.#open(`${this.#consecutive.count} failures in a row`, settings, monotonic);
    } else if (
      this.#tally.calls >= settings.minimumCalls &&
      this.#tally.failures / this.#tally.calls > settings.errorRate
    ) {
      this.#open(`${this.#tally.failures} of ${this.#tally.calls} recent calls failed`, settings, monotonic);
    }
  }

  #open(reason: string, settings: BreakerSettings, monotonic: number): void {
    this.#state = { state: 'OPEN', until: monotonic + settings.openMs, reason };
  }

  #close(monotonic: number): void {
    this.#state = { state: 'CLOSED' };
    this.#consecutive = { count: 0, since: 0 };
    this.#tally = { since: monotonic, calls: 0, failures: 0 };
  }
}

import { type BreakerSettings, type BreakerState, CLOSED_BREAKER } from '@agent-reach/sdk/decide';
import { FailureRun } from './breaker-failure-run.js';
import { AttemptWindows } from './breaker-window.js';

/** How an attempt ended, as far as a breaker cares. */
export type BreakerCharge = 'FAILURE' | 'SUCCESS' | 'NEITHER';

/** What a charge did to the breaker; undefined: nothing that anybody waits for. After CLOSED comes the slow start. */
export type BreakerChange = 'OPENED' | 'CLOSED' | undefined;

/**
 * The breaker of one incarnation. Charged once per attempt, when the attempt ends. The state itself is a value that
 * decide reads; this holds what leads from one to the next. It opens when, among the attempts counted since it was last
 * closed,
 * - so many in a row failed within a time, or
 * - the share of failures in a sliding window is over the limit, from a minimum volume on, or
 * - the mean latency in that window is over the limit, from the same volume on. Failures count in the mean too: an
 *   instance that only times out must not look fast.
 *
 * Settings come with each charge and hold for what it decides. How long the breaker rests was settled when it opened.
 */
export class Breaker {
  #state: BreakerState = CLOSED_BREAKER;
  #closedAt = Number.NEGATIVE_INFINITY;
  /** How many good probes in a row of its health path there were when it opened. */
  #healthBefore = 0;
  readonly #inRow = new FailureRun();
  readonly #windows = new AttemptWindows();

  get state(): BreakerState {
    return this.#state;
  }

  /** A call goes to an instance whose breaker is not closed: it is the probe. */
  beginProbe(): void {
    const { state } = this;
    if (state.state === 'CLOSED') return;
    const { successes, failures } = state.state === 'HALF_OPEN' ? state : { successes: 0, failures: 0 };
    this.#state = { state: 'HALF_OPEN', probing: true, successes, failures, reason: state.reason };
  }

  /**
   * An attempt ended, `latencyMs` after it was sent. `probe`: it was the one that beginProbe announced; whatever its
   * end, its slot is free again. An attempt that was under way when the breaker opened changes nothing any more, not
   * even when it ends after the breaker was closed again. `health`: good probes of an endpoint's health path in a row;
   * undefined for what has none.
   */
  charge(
    charge: BreakerCharge,
    probe: boolean,
    settings: BreakerSettings,
    monotonic: number,
    latencyMs: number,
    health?: number | undefined,
  ): BreakerChange {
    // A row that was broken is counted from its new beginning.
    this.#healthBefore = this.#state.state === 'CLOSED' ? (health ?? 0) : Math.min(this.#healthBefore, health ?? 0);
    const healthSince = health === undefined ? undefined : health - this.#healthBefore;
    if (probe) return this.#endProbe(charge, settings, monotonic, latencyMs, healthSince);
    if (this.#state.state !== 'CLOSED' || charge === 'NEITHER') return undefined;
    if (monotonic - latencyMs < this.#closedAt) return undefined;
    return this.#count(charge === 'FAILURE', settings, monotonic, latencyMs);
  }

  #endProbe(
    charge: BreakerCharge,
    settings: BreakerSettings,
    monotonic: number,
    latencyMs: number,
    healthSince: number | undefined,
  ): BreakerChange {
    const { state } = this;
    if (state.state !== 'HALF_OPEN') return undefined;
    const { closeAfter, closeSuccessRate, closeAfterProbes, maxMeanLatencyMs } = settings;
    const successes = state.successes + (charge === 'SUCCESS' ? 1 : 0);
    const failures = state.failures + (charge === 'FAILURE' ? 1 : 0);
    // Of at least so many as are needed to close it, since the first few alone make no share.
    const ended = Math.max(closeAfter, successes + failures);
    if (charge === 'FAILURE' && (ended - failures) / ended < closeSuccessRate) {
      const reason = failures === 1 ? 'its probe call failed' : `${failures} of its probe calls failed`;
      return this.#open(reason, settings, monotonic);
    }
    // Closed by answers as slow as those that opened it, it would open again after the next few calls.
    if (charge === 'SUCCESS' && maxMeanLatencyMs !== null && latencyMs > maxMeanLatencyMs) {
      return this.#open(
        `its probe call took ${Math.round(latencyMs)} ms, over ${maxMeanLatencyMs} ms`,
        settings,
        monotonic,
      );
    }
    const isWell = closeAfterProbes === null || healthSince === undefined || healthSince >= closeAfterProbes;
    if (successes >= closeAfter && isWell) return this.#close(monotonic);
    this.#state = { state: 'HALF_OPEN', probing: false, successes, failures, reason: state.reason };
    return undefined;
  }

  #count(failed: boolean, settings: BreakerSettings, monotonic: number, latencyMs: number): BreakerChange {
    const { consecutiveFailures, consecutiveWindowMs, errorRate, rateWindowMs, minimumCalls, maxMeanLatencyMs } =
      settings;
    const recent = this.#windows.add(failed, latencyMs, rateWindowMs, monotonic);
    if (failed) this.#inRow.add(monotonic);
    else this.#inRow.end();
    if (failed && this.#inRow.within(consecutiveFailures, consecutiveWindowMs, monotonic)) {
      return this.#open(`${consecutiveFailures} failures in a row`, settings, monotonic);
    }
    if (recent.calls < minimumCalls) return undefined;
    if (recent.failures / recent.calls > errorRate) {
      return this.#open(`${recent.failures} of ${recent.calls} recent calls failed`, settings, monotonic);
    }
    if (maxMeanLatencyMs !== null && recent.meanLatencyMs > maxMeanLatencyMs) {
      const mean = Math.round(recent.meanLatencyMs);
      const reason = `mean latency of ${recent.calls} recent calls ${mean} ms, over ${maxMeanLatencyMs} ms`;
      return this.#open(reason, settings, monotonic);
    }
    return undefined;
  }

  #open(reason: string, settings: BreakerSettings, monotonic: number): 'OPENED' {
    this.#state = { state: 'OPEN', until: monotonic + settings.openMs, reason };
    return 'OPENED';
  }

  #close(monotonic: number): 'CLOSED' {
    this.#state = CLOSED_BREAKER;
    this.#closedAt = monotonic;
    this.#inRow.end();
    this.#windows.clear();
    return 'CLOSED';
  }
}

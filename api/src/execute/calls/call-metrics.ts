import type { ErrorCode } from '@agent-reach/sdk/protocol';

/** What execution counts. Plain numbers, so that counting costs nothing; telemetry reads them when it is scraped. */
export class CallMetrics {
  /** Attempts sent, by outcome of the attempt (`OK` or an error code). */
  readonly dispatches = new Map<'OK' | ErrorCode, number>();
  /** Calls ended, by outcome. */
  readonly calls = new Map<'OK' | ErrorCode, number>();
  dispatchTotal = 0;
  ackOk = 0;
  ackTimeout = 0;
  /** Calls that had at least one attempt. */
  firstAttempts = 0;
  lateFrames = 0;
  foreignFrames = 0;
  /** Places of instances that were counted wrongly, and corrected by what the instances reported. */
  inFlightDrift = 0;
  cacheHits = 0;
  /** Calls that waited for the answer of an equal one under way. */
  coalesced = 0;
  /** Results that did not match their outputSchema, by `agent version capability`. */
  readonly invalidResults = new Map<string, number>();

  /** `ackLatency` takes each time from dispatch to ack, in ms. */
  constructor(readonly ackLatency: { observe(ms: number): void }) {}

  countInvalidResult(instance: { readonly agent: string; readonly version: string }, capability: string): void {
    const key = `${instance.agent} ${instance.version} ${capability}`;
    this.invalidResults.set(key, (this.invalidResults.get(key) ?? 0) + 1);
  }

  count(of: 'dispatches' | 'calls', outcome: 'OK' | ErrorCode): void {
    this[of].set(outcome, (this[of].get(outcome) ?? 0) + 1);
  }
}

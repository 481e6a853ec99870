/** The middle process that a round measures. */
export type Side = 'product' | 'floor';

/** Orders to the agents' process. */
export interface JoinOrder {
  readonly order: 'join';
  readonly side: Side;
  readonly url: string;
  readonly token: string;
  readonly agents: number;
}

/** Orders to the callers' process. */
export type CallerOrder =
  | { readonly order: 'connect'; readonly side: Side; readonly url: string; readonly token: string }
  | {
      readonly order: 'flood';
      readonly side: Side;
      readonly inFlight: number;
      readonly durationMs: number;
      /** Call what is not idempotent. */
      readonly durable: boolean;
    }
  | { readonly order: 'pace'; readonly side: Side; readonly perSecond: number; readonly durationMs: number };

/** What a round of load came to. */
export interface Measured {
  readonly calls: number;
  readonly failures: number;
  /** What the first failure said. */
  readonly failure: string | undefined;
  readonly elapsedMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Answer to an order. `undefined` where there is nothing to tell. */
export type Answer<M = Measured> =
  | { readonly ok: true; readonly measured?: M }
  | { readonly ok: false; readonly error: string };

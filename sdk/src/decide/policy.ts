import type { AgentRef } from '../protocol/index.js';

export type StrategyName = 'WEIGHTED_SCORE' | 'LEAST_IN_FLIGHT';
export const STRATEGY_NAMES: readonly StrategyName[] = ['WEIGHTED_SCORE', 'LEAST_IN_FLIGHT'];

/** Shares of the weighted score; any non-negative numbers of which one is positive. */
export interface ScoreWeights {
  readonly load: number;
  readonly latency: number;
  readonly affinity: number;
}

export type StrategySettings =
  | { readonly name: 'WEIGHTED_SCORE'; readonly weights: ScoreWeights }
  | { readonly name: 'LEAST_IN_FLIGHT' };

/** Which calls a policy is for. */
export interface PolicyMatch {
  /** Exact, `*`, or a prefix ending in `*` after `.`, `_`, `-` or `/`. */
  readonly capability: string;
  /** All must be among the capability's tags. */
  readonly tags: readonly string[];
  /** A caller pattern, `*` for everybody. */
  readonly caller: string;
}

/** Full-jitter exponential backoff: the wait before retry n is random between 0 and min(capMs, baseMs · factor^(n-1)). */
export interface RetrySettings {
  /** Attempts beyond the first, 0 to 10. */
  readonly maxRetries: number;
  readonly baseMs: number;
  readonly factor: number;
  readonly capMs: number;
}

/** When an instance that fails is left alone. */
export interface BreakerSettings {
  /** Consecutive failures within `windowMs` that open it. */
  readonly consecutiveFailures: number;
  readonly consecutiveWindowMs: number;
  /** Share of failures in `rateWindowMs` that opens it, 0 to 1, from `minimumCalls` calls on. */
  readonly errorRate: number;
  readonly rateWindowMs: number;
  readonly minimumCalls: number;
  readonly openMs: number;
  /** Successful probe calls that close it. */
  readonly closeAfter: number;
}

/** What one version of a policy says. */
export interface PolicyContent {
  readonly match: PolicyMatch;
  /** Decides between equally specific policies; higher wins. */
  readonly priority: number;
  readonly strategy: StrategySettings;
  /** Only these agents, when not empty. */
  readonly candidates: readonly AgentRef[];
  /** Whether a call may leave its zone when that has nobody. */
  readonly allowZoneCrossing: boolean;
  /** Time for one attempt in ms; null: derived from the capability's recent mean. */
  readonly timeoutMs: number | null;
  readonly retry: RetrySettings;
  readonly breaker: BreakerSettings;
}

/** A version of a policy as routers use it. */
export interface Policy {
  /** null for the built-in default. */
  readonly id: string | null;
  readonly namespace: string;
  readonly name: string;
  readonly version: number;
  readonly content: PolicyContent;
}

export const DEFAULT_POLICY_CONTENT: PolicyContent = {
  match: { capability: '*', tags: [], caller: '*' },
  priority: 0,
  strategy: { name: 'WEIGHTED_SCORE', weights: { load: 0.4, latency: 0.3, affinity: 0.3 } },
  candidates: [],
  allowZoneCrossing: true,
  timeoutMs: null,
  retry: { maxRetries: 2, baseMs: 300, factor: 3, capMs: 3000 },
  breaker: {
    consecutiveFailures: 5,
    consecutiveWindowMs: 30_000,
    errorRate: 0.4,
    rateWindowMs: 60_000,
    minimumCalls: 20,
    openMs: 30_000,
    closeAfter: 3,
  },
};

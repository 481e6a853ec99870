import type { AgentRef, JsonObject } from '../protocol/index.js';

export const STRATEGY_NAMES = [
  'WEIGHTED_SCORE',
  'LEAST_IN_FLIGHT',
  'LEAST_LOAD',
  'QUALITY',
  'ROUND_ROBIN',
  'RANDOM',
  'CONSISTENT_HASH',
  'PRIORITY_RATIO',
] as const;
export type StrategyName = (typeof STRATEGY_NAMES)[number];

/** Shares of the weighted score; any non-negative numbers of which one is positive. */
export interface ScoreWeights {
  readonly load: number;
  readonly latency: number;
  readonly affinity: number;
}

/** quality = base + successWeight · success rate − latencyWeight · min(mean latency / latencyBoundMs, 1), over five minutes. */
export interface QualityFormula {
  readonly base: number;
  readonly successWeight: number;
  readonly latencyWeight: number;
  readonly latencyBoundMs: number;
}

/** An agent's share of the calls, in percent. */
export interface AgentRatio {
  readonly agent: AgentRef;
  readonly ratio: number;
}

export type StrategySettings =
  | { readonly name: 'WEIGHTED_SCORE'; readonly weights: ScoreWeights }
  | { readonly name: 'LEAST_IN_FLIGHT' }
  | { readonly name: 'LEAST_LOAD' }
  | { readonly name: 'QUALITY'; readonly quality: QualityFormula }
  | { readonly name: 'ROUND_ROBIN' }
  | { readonly name: 'RANDOM' }
  /** At most so many percent of the choices may go to the neighbour of a full instance. */
  | { readonly name: 'CONSISTENT_HASH'; readonly spillPercent: number }
  /** In order; the ratios sum to 100. `fallback`: agents for when none of them has anybody. */
  | {
      readonly name: 'PRIORITY_RATIO';
      readonly agents: readonly AgentRatio[];
      readonly fallback: readonly AgentRef[];
    };

/** Shares of the calls by domain, in percent; they sum to 100. */
export interface DomainSplit {
  readonly CANARY: number;
  readonly STAGING: number;
  readonly PRODUCTION: number;
}

/** Which versions of an agent a call may reach. */
export interface VersionSettings {
  /** A semantic version range such as `^1.2`; null: any. */
  readonly range: string | null;
  /** An affinity key whose instance is lost moves to an instance of the same version, while there is one. */
  readonly sticky: boolean;
}

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
  /** Share of the probe calls that must succeed, 0 to 1; with fewer it opens again. */
  readonly closeSuccessRate: number;
  /** Good probes of its health path in a row, since it opened, that an HTTP endpoint needs besides; null: none. */
  readonly closeAfterProbes: number | null;
  /** Mean latency in ms over `rateWindowMs` that opens it, from `minimumCalls` calls on; null: never. */
  readonly maxMeanLatencyMs: number | null;
  /**
   * Time in ms in which an instance comes back to its full share of the calls, after its breaker closed or as a new
   * incarnation; 0: at once.
   */
  readonly slowStartMs: number;
}

export const FALLBACK_KINDS = ['AGENT', 'STALE', 'ANSWER'] as const;

/** What gives the answer when the call itself failed; tried in the policy's order. */
export type FallbackStep =
  /** Another agent that offers the same capability and that the caller may call. */
  | { readonly kind: 'AGENT'; readonly agent: AgentRef }
  /** The last good answer to equal parameters, though it is no longer fresh. */
  | { readonly kind: 'STALE'; readonly maxAgeMs: number }
  /** Always the same. */
  | { readonly kind: 'ANSWER'; readonly result: JsonObject };

/** How often one caller may call what the policy is for. */
export interface RateLimit {
  readonly calls: number;
  readonly windowMs: number;
}

/** Where calls wait when all instances are full. */
export interface QueueSettings {
  /** Calls that wait at once, by capability. */
  readonly maxLength: number;
  readonly maxWaitMs: number;
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
  /** null: a call stays in its caller's domain. */
  readonly domainSplit: DomainSplit | null;
  readonly versions: VersionSettings;
  /** A call with an affinity key goes to the instance that its key is bound to while that can take it, whatever the strategy. */
  readonly sticky: boolean;
  /** Time for one attempt in ms; null: derived from the capability's recent mean. */
  readonly timeoutMs: number | null;
  readonly retry: RetrySettings;
  readonly breaker: BreakerSettings;
  readonly fallback: readonly FallbackStep[];
  /** How long answers are kept, in ms, instead of what the capability declares; null: as it declares. */
  readonly cacheTtlMs: number | null;
  /** By caller; null: no limit. */
  readonly rateLimit: RateLimit | null;
  /** null: nothing waits, a full capability refuses at once. */
  readonly queue: QueueSettings | null;
}

/** A version of a policy as routers use it. */
export interface Policy {
  /** null for the built-in default. */
  readonly id: string | null;
  readonly namespace: string;
  readonly name: string;
  readonly version: number;
  readonly content: PolicyContent;
  /** Share of the calls that this version is for, in percent; the rest use `stable`. */
  readonly rolloutPercent: number;
  /** Set while `rolloutPercent` is under 100. */
  readonly stable: { readonly version: number; readonly content: PolicyContent } | undefined;
}

/** What a strategy's settings are where a policy leaves them open. */
export const DEFAULT_WEIGHTS: ScoreWeights = { load: 0.4, latency: 0.3, affinity: 0.3 };
export const DEFAULT_QUALITY: QualityFormula = {
  base: 100,
  successWeight: 60,
  latencyWeight: 40,
  latencyBoundMs: 5000,
};
export const DEFAULT_SPILL_PERCENT = 20;

export const DEFAULT_POLICY_CONTENT: PolicyContent = {
  match: { capability: '*', tags: [], caller: '*' },
  priority: 0,
  strategy: { name: 'WEIGHTED_SCORE', weights: DEFAULT_WEIGHTS },
  candidates: [],
  allowZoneCrossing: true,
  domainSplit: null,
  versions: { range: null, sticky: false },
  sticky: false,
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
    closeSuccessRate: 1,
    closeAfterProbes: null,
    maxMeanLatencyMs: null,
    slowStartMs: 10_000,
  },
  fallback: [],
  cacheTtlMs: null,
  rateLimit: null,
  queue: null,
};

import type { FallbackStep, Policy, PolicyContent } from '@agent-reach/sdk/decide';
import type { LiveCapability } from '../../perceive/capability.js';
import type { Clock } from '../../perceive/clock.js';
import type { Registry } from '../../perceive/registry.js';
import type { CallMetrics } from '../calls/call-metrics.js';
import type { AnswerSource } from '../calls/call-outcome.js';
import type { CallRun } from '../calls/call-run.js';
import type { CallOutcome } from '../ports.js';
import type { AnswerCache, CachedAnswer } from './answer-cache.js';
import { cacheKey } from './cache-key.js';
import { type EqualCall, EqualCalls } from './equal-calls.js';

export interface AnswersDeps {
  readonly clock: Clock;
  readonly cache: AnswerCache;
  readonly registry: Pick<Registry, 'table'>;
  readonly metrics: CallMetrics;
}

export type KnownAnswer =
  | { readonly kind: 'CACHED'; readonly result: unknown; readonly bytes: number; readonly from: AnswerSource }
  /** An equal call is under way, whose answer will do. */
  | { readonly kind: 'EQUAL'; readonly equal: EqualCall<CallRun, CallOutcome> };

/** Answers that need no instance: remembered ones, and those of equal calls under way. */
export class Answers {
  readonly #underWay = new EqualCalls<CallRun, CallOutcome>();

  constructor(private readonly deps: AnswersDeps) {}

  /** Looks once for each call, and remembers that it is under way when there is nothing yet. */
  of(run: CallRun, { content }: Policy, capability: LiveCapability): KnownAnswer | undefined {
    if (run.cacheKey !== undefined || run.request.only !== undefined || run.executes === 'AGAIN') return undefined;
    if (!capability.idempotent || capability.mode === 'TASK') return undefined;
    const ttlMs = ttlOf(content, capability);
    if (ttlMs === 0 && keptForFallback(content) === 0) return undefined;
    const key = keyOf(run, capability.name, capability.record.callerIndependent);
    run.cacheKey = key;
    if (ttlMs === 0) return undefined;
    const { cache, metrics } = this.deps;
    const cached = cache.fresh(key, ttlMs);
    if (cached !== undefined && this.#permitted(run, cached)) {
      metrics.cacheHits++;
      return { kind: 'CACHED', result: cached.result, bytes: cached.bytes, from: cached };
    }
    const equal = this.#underWay.begin(key, run, run.chain?.depth ?? 0);
    if (equal === undefined) return undefined;
    metrics.coalesced++;
    return { kind: 'EQUAL', equal };
  }

  /** Whether equal calls wait for this one. */
  awaited(run: CallRun): boolean {
    return run.cacheKey !== undefined && this.#underWay.awaited(run.cacheKey, run);
  }

  /** Until when equal calls wait for this one; monotonic ms, 0 while none does. */
  awaitedUntil(run: CallRun): number {
    return run.cacheKey === undefined ? 0 : this.#underWay.awaitedUntil(run.cacheKey, run);
  }

  /** The last good answer to equal parameters, when it is not older than this and the caller may still have it. */
  stale(run: CallRun, maxAgeMs: number): Pick<Extract<KnownAnswer, { kind: 'CACHED' }>, 'result' | 'from'> | undefined {
    for (const key of keysOf(run)) {
      const cached = this.deps.cache.stale(key, maxAgeMs);
      if (cached !== undefined && this.#permitted(run, cached)) return { result: cached.result, from: cached };
    }
    return undefined;
  }

  /** A call ended; a good answer is remembered. `bytes`: size of the result. */
  ended(run: CallRun, outcome: CallOutcome, bytes: number): void {
    const { cacheKey: key } = run;
    if (key === undefined) return;
    this.#remember(run, outcome, bytes);
    // After that, so that those who are told and ask again find it.
    this.#underWay.end(key, run, outcome);
  }

  #remember(run: CallRun, outcome: CallOutcome, bytes: number): void {
    const { cacheKey: key, policy, last } = run;
    if (
      key === undefined ||
      !outcome.ok ||
      outcome.cached ||
      outcome.replayed ||
      policy === undefined ||
      last === undefined
    )
      return;
    const { instance, agent, capability } = outcome;
    if (outcome.fallback !== undefined || instance === undefined || agent === undefined || capability === undefined)
      return;
    // What a canary answers is not for production, though it serves some of its calls.
    const domain = this.deps.registry.table.instance(instance)?.domain;
    if (domain === 'CANARY' && run.caller.domain !== domain) return;
    const keepMs = Math.max(ttlOf(policy.content, last.capability), keptForFallback(policy.content));
    this.deps.cache.put(key, { result: outcome.result, bytes, instance, agent, capability }, keepMs);
  }

  expire(): void {
    this.deps.cache.expire();
  }

  /** Whether the caller may have what this agent answered. */
  #permitted(run: CallRun, { agent, capability }: CachedAnswer): boolean {
    const { caller, roles } = run.caller;
    const { clock, registry } = this.deps;
    return registry.table.permissions.check(caller, roles, agent, capability, clock.wall()).allowed;
  }
}

function ttlOf(content: PolicyContent, { record }: LiveCapability): number {
  return content.cacheTtlMs ?? record.cacheTtlMs;
}

/** How long the fallback may want an answer, ms. */
function keptForFallback({ fallback }: PolicyContent): number {
  if (fallback.length === 0) return 0;
  return Math.max(0, ...fallback.filter((step): step is Stale => step.kind === 'STALE').map((step) => step.maxAgeMs));
}

type Stale = Extract<FallbackStep, { kind: 'STALE' }>;

function keyOf(run: CallRun, capability: string, shared: boolean): string {
  const { namespace, paramsHash } = run;
  const { target, headers } = run.request;
  const { caller, domain } = run.caller;
  return cacheKey({ namespace, capability, target, caller: shared ? undefined : caller, domain, paramsHash, headers });
}

/** Under which an answer may be kept; when nobody offers the capability now, it isn't known whether callers share it. */
function keysOf(run: CallRun): readonly string[] {
  if (run.cacheKey !== undefined) return [run.cacheKey];
  const capability = run.last?.capability.name ?? run.target.capability;
  if (capability === undefined) return [];
  return [keyOf(run, capability, false), keyOf(run, capability, true)];
}

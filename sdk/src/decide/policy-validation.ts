import { type FieldFault, WIRE_LIMITS } from '../protocol/index.js';
import { isPattern } from './pattern.js';
import { DEFAULT_POLICY_CONTENT, type PolicyContent, STRATEGY_NAMES } from './policy.js';
import { FieldReader } from './policy-fields.js';

/** What a check of a policy's content found. `content` is there when there are no faults. */
export interface PolicyValidation {
  /** The content with every default filled in. */
  readonly content?: PolicyContent;
  readonly faults: readonly FieldFault[];
  /** What is allowed and probably not meant so. */
  readonly warnings: readonly string[];
}

/** Time that an attempt can take at most, in ms, when the policy leaves it to the capability's recent mean. */
export const MAX_DERIVED_TIMEOUT_MS = 300_000;

const MAX_INT = 2_147_483_647;
const MAX_MS = WIRE_LIMITS.maxTimeoutMs;
const D = DEFAULT_POLICY_CONTENT;
const PATTERN = 'an exact text, *, or a prefix ending in * after one of . _ - /';

/**
 * Checks what somebody wants to save as a policy's content, and fills in defaults: an absent or null field takes its
 * default, an unknown one is a fault. Pure, so that the console tells the same as the server.
 */
export function validatePolicyContent(input: unknown): PolicyValidation {
  const faults: FieldFault[] = [];
  const root = new FieldReader('content', input, faults);
  const match = root.object('match');
  const retry = root.object('retry');
  const breaker = root.object('breaker');
  const content: PolicyContent = {
    match: {
      capability: match.text('capability', D.match.capability, isPattern, PATTERN),
      tags: match.texts('tags', 16, isTag, 'a text of 1 to 64 characters'),
      caller: match.text('caller', D.match.caller, isCallerPattern, `a caller such as agent:shop/orders; ${PATTERN}`),
    },
    priority: root.whole('priority', D.priority, -1000, 1000),
    strategy: strategyOf(root),
    candidates: root.texts('candidates', 256, isAgentRef, 'an agent, namespace/id') as PolicyContent['candidates'],
    allowZoneCrossing: root.flag('allowZoneCrossing', D.allowZoneCrossing),
    timeoutMs: root.wholeOrNull('timeoutMs', 1, MAX_MS),
    retry: {
      maxRetries: retry.whole('maxRetries', D.retry.maxRetries, 0, 10),
      baseMs: retry.whole('baseMs', D.retry.baseMs, 0, MAX_MS),
      factor: retry.number('factor', D.retry.factor, 1, 100),
      capMs: retry.whole('capMs', D.retry.capMs, 0, MAX_MS),
    },
    breaker: {
      consecutiveFailures: breaker.whole('consecutiveFailures', D.breaker.consecutiveFailures, 1, MAX_INT),
      consecutiveWindowMs: breaker.whole('consecutiveWindowMs', D.breaker.consecutiveWindowMs, 1, MAX_MS),
      errorRate: breaker.number('errorRate', D.breaker.errorRate, 0, 1),
      rateWindowMs: breaker.whole('rateWindowMs', D.breaker.rateWindowMs, 1, MAX_MS),
      minimumCalls: breaker.whole('minimumCalls', D.breaker.minimumCalls, 1, MAX_INT),
      openMs: breaker.whole('openMs', D.breaker.openMs, 1, MAX_MS),
      closeAfter: breaker.whole('closeAfter', D.breaker.closeAfter, 1, MAX_INT),
    },
  };
  for (const reader of [match, retry, breaker, root]) reader.refuseUnknown();
  return faults.length > 0 ? { faults, warnings: [] } : { content, faults, warnings: warningsOf(content) };
}

/**
 * Longest time in ms that a call under this policy can take by itself: every attempt to its timeout, and between them
 * the longest backoff, the sum of min(capMs, baseMs · factor^(n-1)) over the retries n.
 */
export function worstCaseMs(content: PolicyContent): number {
  const { maxRetries, baseMs, factor, capMs } = content.retry;
  let total = (maxRetries + 1) * (content.timeoutMs ?? MAX_DERIVED_TIMEOUT_MS);
  for (let retry = 1; retry <= maxRetries; retry += 1) total += Math.min(capMs, baseMs * factor ** (retry - 1));
  return total;
}

function strategyOf(root: FieldReader): PolicyContent['strategy'] {
  const reader = root.object('strategy');
  const name = reader.oneOf('name', D.strategy.name, STRATEGY_NAMES);
  const weights = name === 'WEIGHTED_SCORE' ? reader.object('weights') : undefined;
  let strategy: PolicyContent['strategy'] = { name: 'LEAST_IN_FLIGHT' };
  if (weights !== undefined) {
    // Given weights are the whole of them: the share that is left out is 0.
    const usual = weights.given ? { load: 0, latency: 0, affinity: 0 } : { load: 0.4, latency: 0.3, affinity: 0.3 };
    const shares = {
      load: weights.number('load', usual.load, 0, MAX_INT),
      latency: weights.number('latency', usual.latency, 0, MAX_INT),
      affinity: weights.number('affinity', usual.affinity, 0, MAX_INT),
    };
    if (shares.load + shares.latency + shares.affinity === 0) {
      weights.fault('', 'every weight 0', 'at least one weight over 0');
    }
    weights.refuseUnknown();
    strategy = { name: 'WEIGHTED_SCORE', weights: shares };
  }
  reader.refuseUnknown();
  return strategy;
}

function warningsOf(content: PolicyContent): string[] {
  const warnings: string[] = [];
  const worst = worstCaseMs(content);
  if (content.timeoutMs !== null && worst > MAX_MS) {
    warnings.push(
      `A call can take ${worst} ms in the worst case, longer than the longest deadline of a call, ${MAX_MS} ms; its last attempts would never be made.`,
    );
  }
  if (content.retry.capMs < content.retry.baseMs) {
    warnings.push(
      `retry.capMs ${content.retry.capMs} is under retry.baseMs ${content.retry.baseMs}; every wait is cut to it.`,
    );
  }
  if (content.breaker.errorRate === 0) {
    warnings.push('breaker.errorRate 0 opens the breaker at the first failure after minimumCalls.');
  }
  return warnings;
}

function isTag(text: string): boolean {
  return text.length >= 1 && text.length <= 64;
}

function isCallerPattern(text: string): boolean {
  return text === '*' || (isPattern(text) && /^(?:agent|app|user):[^\s]+$/.test(text));
}

function isAgentRef(text: string): boolean {
  return /^[a-z0-9][a-z0-9._-]{0,63}\/[a-z0-9][a-z0-9._-]{0,63}$/.test(text);
}

import { type FieldFault, WIRE_LIMITS } from '../protocol/index.js';
import { isPattern } from './pattern.js';
import { DEFAULT_POLICY_CONTENT, type DomainSplit, type PolicyContent } from './policy.js';
import { readFallback } from './policy-fallback-validation.js';
import { FieldReader, MAX_INT } from './policy-fields.js';
import { readQueue, readRateLimit } from './policy-load-validation.js';
import { isAgentRef, isCallerPattern, isTag, isVersionRange, PATTERN, shownSum, sumsTo100 } from './policy-rules.js';
import { MAX_AGENTS, readStrategy } from './policy-strategy-validation.js';
import { contentWarnings } from './policy-warnings.js';

/** What a check of a policy's content found. `content` is there when there are no faults. */
export interface PolicyValidation {
  /** The content with every default filled in. */
  readonly content?: PolicyContent;
  readonly faults: readonly FieldFault[];
  /** What is allowed and probably not meant so. */
  readonly warnings: readonly string[];
}

const MAX_MS = WIRE_LIMITS.maxTimeoutMs;
const D = DEFAULT_POLICY_CONTENT;

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
  const versions = root.object('versions');
  const content: PolicyContent = {
    match: {
      capability: match.text('capability', D.match.capability, isPattern, PATTERN),
      tags: match.texts('tags', 16, isTag, 'a text of 1 to 64 characters'),
      caller: match.text('caller', D.match.caller, isCallerPattern, `a caller such as agent:shop/orders; ${PATTERN}`),
    },
    priority: root.whole('priority', D.priority, -1000, 1000),
    strategy: readStrategy(root),
    candidates: root.texts(
      'candidates',
      MAX_AGENTS,
      isAgentRef,
      'an agent, namespace/id',
    ) as PolicyContent['candidates'],
    allowZoneCrossing: root.flag('allowZoneCrossing', D.allowZoneCrossing),
    domainSplit: readDomainSplit(root),
    versions: {
      range: versions.text('range', null, isVersionRange, 'a semantic version range such as ^1.2, or an exact version'),
      sticky: versions.flag('sticky', D.versions.sticky),
    },
    sticky: root.flag('sticky', D.sticky),
    timeoutMs: root.whole('timeoutMs', null, 1, MAX_MS),
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
      closeSuccessRate: breaker.number('closeSuccessRate', D.breaker.closeSuccessRate, 0, 1),
      closeAfterProbes: breaker.whole('closeAfterProbes', null, 1, MAX_INT),
      maxMeanLatencyMs: breaker.whole('maxMeanLatencyMs', null, 1, MAX_MS),
      slowStartMs: breaker.whole('slowStartMs', D.breaker.slowStartMs, 0, MAX_MS),
    },
    fallback: readFallback(root),
    cacheTtlMs: root.whole('cacheTtlMs', null, 0, 86_400_000),
    rateLimit: readRateLimit(root),
    queue: readQueue(root),
  };
  for (const reader of [match, versions, retry, breaker, root]) reader.refuseUnknown();
  return faults.length > 0 ? { faults, warnings: [] } : { content, faults, warnings: contentWarnings(content) };
}

/** Given shares are the whole of them: the domain that is left out has 0. */
function readDomainSplit(root: FieldReader): DomainSplit | null {
  const reader = root.object('domainSplit');
  if (!reader.given) return null;
  const split: DomainSplit = {
    CANARY: reader.number('CANARY', 0, 0, 100),
    STAGING: reader.number('STAGING', 0, 0, 100),
    PRODUCTION: reader.number('PRODUCTION', 0, 0, 100),
  };
  const sum = split.CANARY + split.STAGING + split.PRODUCTION;
  if (!reader.hasFaults && !sumsTo100(sum)) {
    reader.fault('', `shares that sum to ${shownSum(sum)}`, 'shares that sum to 100');
  }
  reader.refuseUnknown();
  return split;
}

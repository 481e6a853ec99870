import { WIRE_LIMITS } from '../protocol/index.js';
import type { PolicyContent } from './policy.js';
import { isSemanticRange } from './policy-rules.js';
import { worstCaseMs } from './policy-worst-case.js';

const MAX_MS = WIRE_LIMITS.maxTimeoutMs;

/** What a policy's content allows and probably doesn't mean, as far as the content alone can tell. */
export function contentWarnings(content: PolicyContent): string[] {
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
  const { range } = content.versions;
  if (range !== null && !isSemanticRange(range)) {
    warnings.push(
      `versions.range ${range} is no semantic version range: only a version of exactly this text meets it.`,
    );
  }
  return [...warnings, ...ratioWarnings(content), ...fallbackWarnings(content)];
}

/** Steps of a fallback that help nobody. */
function fallbackWarnings({ fallback, candidates }: PolicyContent): string[] {
  const warnings: string[] = [];
  const agents = new Set<string>();
  for (const [index, step] of fallback.entries()) {
    if (step.kind === 'ANSWER' && index < fallback.length - 1) {
      warnings.push(`fallback.${index} always answers, so no step after it is ever reached.`);
      return warnings;
    }
    if (step.kind !== 'AGENT') continue;
    const { agent } = step;
    if (agents.has(agent)) warnings.push(`fallback.${index} ${agent} is asked by an earlier step already.`);
    else if (candidates.length === 1 && candidates[0] === agent) {
      warnings.push(`fallback.${index} ${agent} is the only candidate, so as a fallback it adds nothing.`);
    }
    agents.add(agent);
  }
  return warnings;
}

/** Agents that a list of ratios and a list of candidates shut out between them. */
function ratioWarnings({ strategy, candidates }: PolicyContent): string[] {
  if (strategy.name !== 'PRIORITY_RATIO') return [];
  const { agents, fallback } = strategy;
  const warnings: string[] = [];
  for (const [index, ref] of fallback.entries()) {
    if (agents.some(({ agent }) => agent === ref)) {
      warnings.push(`strategy.fallback.${index} ${ref} is among the agents already; as a fallback it adds nothing.`);
    }
  }
  if (candidates.length === 0) return warnings;
  for (const [index, { agent }] of agents.entries()) {
    if (!candidates.includes(agent)) {
      warnings.push(`strategy.agents.${index} ${agent} is not among the candidates, so it never gets a call.`);
    }
  }
  for (const [index, ref] of fallback.entries()) {
    if (!candidates.includes(ref)) {
      warnings.push(`strategy.fallback.${index} ${ref} is not among the candidates, so it never gets a call.`);
    }
  }
  for (const [index, ref] of candidates.entries()) {
    if (!fallback.includes(ref) && !agents.some(({ agent }) => agent === ref)) {
      warnings.push(`candidates.${index} ${ref} has no ratio and is no fallback, so it never gets a call.`);
    }
  }
  return warnings;
}

import type { AgentRef } from '../protocol/index.js';
import type { Policy, PolicyContent, StrategySettings } from './policy.js';
import { covers, narrowestFirst, type RankedPolicy } from './policy-match.js';
import { stableVersion } from './policy-rollout.js';

/** What a policy is saved into. */
export interface PolicySurroundings {
  readonly namespace: string;
  /** The name that the policy is saved under: it decides between policies that are alike in all else. */
  readonly name: string;
  /** The namespace's policies without the one that is saved. */
  readonly others: readonly Policy[];
  /** Whether whoever saves it can see such an agent. */
  knownAgents(ref: AgentRef): boolean;
}

/**
 * What is allowed and probably not meant so, given the other policies and the agents: agents that don't exist, and
 * policies, this one or others, that no call would ever fall to. `validatePolicyContent` tells what the content alone
 * shows.
 */
export function policyWarnings(content: PolicyContent, surroundings: PolicySurroundings): string[] {
  return [...agentWarnings(content, surroundings), ...unreachableWarnings(content, surroundings)];
}

function agentWarnings(content: PolicyContent, { namespace, knownAgents }: PolicySurroundings): string[] {
  return agentsOf(content).flatMap(([path, ref]) => {
    if (!ref.startsWith(`${namespace}/`)) {
      return [`${path} ${ref} is in another namespace; calls that a policy of ${namespace} is for never reach it.`];
    }
    return knownAgents(ref) ? [] : [`${path}: there is no agent ${ref}; it counts once there is one.`];
  });
}

function agentsOf({ candidates, strategy, fallback }: PolicyContent): (readonly [path: string, ref: AgentRef])[] {
  const backups = fallback.flatMap((step, index) =>
    step.kind === 'AGENT' ? [[`fallback.${index}.agent`, step.agent] as const] : [],
  );
  return [
    ...candidates.map((ref, index) => [`candidates.${index}`, ref] as const),
    ...ofStrategy(strategy),
    ...backups,
  ];
}

function ofStrategy(strategy: StrategySettings): (readonly [path: string, ref: AgentRef])[] {
  if (strategy.name !== 'PRIORITY_RATIO') return [];
  return [
    ...strategy.agents.map(({ agent }, index) => [`strategy.agents.${index}.agent`, agent] as const),
    ...strategy.fallback.map((ref, index) => [`strategy.fallback.${index}`, ref] as const),
  ];
}

function unreachableWarnings(content: PolicyContent, { namespace, name, others }: PolicySurroundings): string[] {
  const saved: RankedPolicy = { name, content };
  const warnings: string[] = [];
  for (const other of others) {
    if (other.namespace !== namespace) continue;
    // While a version is rolled out, calls fall into either version, so both have to come first, or last.
    const versions = [other, stableVersion(other)].filter((each) => each !== undefined);
    if (versions.every((version) => comesFirst(version, saved))) {
      warnings.push(`This policy would never be used: ${other.name} is for the same calls and ${why(other, saved)}.`);
    } else if (versions.every((version) => comesFirst(saved, version))) {
      warnings.push(
        `Policy ${other.name} would never be used any more: this one is for the same calls and ${why(saved, other)}.`,
      );
    }
  }
  return warnings;
}

/** Whether every call that the second is for goes to the first. */
function comesFirst(first: RankedPolicy, second: RankedPolicy): boolean {
  return covers(first.content.match, second.content.match) && narrowestFirst(first, second) < 0;
}

/** A policy that covers another is never more specific, so what comes first does so by priority or by name. */
function why(first: RankedPolicy, second: RankedPolicy): string {
  const [mine, theirs] = [first.content.priority, second.content.priority];
  if (mine !== theirs) return `has the higher priority, ${mine} over ${theirs}`;
  return `comes first by its name, since both have priority ${mine}`;
}

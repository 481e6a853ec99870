import type { CallerRef } from '../protocol/index.js';
import { matches, specificity } from './pattern.js';
import type { PolicyContent, PolicyMatch } from './policy.js';

/** Whether a policy is for a call. */
export function concerns(match: PolicyMatch, capability: string, tags: readonly string[], caller: CallerRef): boolean {
  return (
    matches(match.capability, capability) &&
    matches(match.caller, caller) &&
    match.tags.every((tag) => tags.includes(tag))
  );
}

/** What orders policies that match the same call. */
export interface RankedPolicy {
  readonly name: string;
  readonly content: Pick<PolicyContent, 'match' | 'priority'>;
}

/** Most specific first: by capability, then caller, then number of tags; ties by priority, then by name so that it is stable. */
export function narrowestFirst(a: RankedPolicy, b: RankedPolicy): number {
  const left = a.content.match;
  const right = b.content.match;
  return (
    specificity(right.capability) - specificity(left.capability) ||
    specificity(right.caller) - specificity(left.caller) ||
    right.tags.length - left.tags.length ||
    b.content.priority - a.content.priority ||
    (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)
  );
}

/** Whether one policy matches every call that another matches. */
export function covers(one: PolicyMatch, other: PolicyMatch): boolean {
  return (
    patternCovers(one.capability, other.capability) &&
    patternCovers(one.caller, other.caller) &&
    one.tags.every((tag) => other.tags.includes(tag))
  );
}

/** A pattern covers another when it matches the text before the other's star, or the whole of an exact one. */
function patternCovers(one: string, other: string): boolean {
  if (!other.endsWith('*')) return matches(one, other);
  return one.endsWith('*') && other.slice(0, -1).startsWith(one.slice(0, -1));
}

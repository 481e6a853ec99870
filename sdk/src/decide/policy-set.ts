import type { CallerRef } from '../protocol/index.js';
import { matches, specificity } from './pattern.js';
import { DEFAULT_POLICY_CONTENT, type Policy } from './policy.js';

/** All policies in force, ready to be asked. Immutable: a change makes a new set. */
export interface PolicySet {
  /** The most specific policy that matches; the built-in default where none does. */
  find(namespace: string, capability: string, tags: readonly string[], caller: CallerRef): Policy;
}

/** Where no policy matches: the same for every namespace, since callers can name as many as they like. */
const DEFAULT_POLICY: Policy = {
  id: null,
  namespace: '*',
  name: 'default',
  version: 1,
  content: DEFAULT_POLICY_CONTENT,
};

const MAX_REMEMBERED = 20_000;

export function createPolicySet(policies: readonly Policy[]): PolicySet {
  const byNamespace = new Map<string, Policy[]>();
  for (const policy of policies) {
    const list = byNamespace.get(policy.namespace);
    if (list === undefined) byNamespace.set(policy.namespace, [policy]);
    else list.push(policy);
  }
  for (const list of byNamespace.values()) list.sort(narrowestFirst);
  const remembered = new Map<string, Policy>();

  return {
    find(namespace, capability, tags, caller) {
      const list = byNamespace.get(namespace);
      if (list === undefined) return DEFAULT_POLICY;
      const key = `${namespace} ${capability} ${caller} ${tags}`;
      let policy = remembered.get(key);
      if (policy === undefined) {
        policy = list.find((each) => concerns(each, capability, tags, caller)) ?? DEFAULT_POLICY;
        if (remembered.size >= MAX_REMEMBERED) remembered.clear();
        remembered.set(key, policy);
      }
      return policy;
    },
  };
}

function concerns(policy: Policy, capability: string, tags: readonly string[], caller: CallerRef): boolean {
  const match = policy.content.match;
  return (
    matches(match.capability, capability) &&
    matches(match.caller, caller) &&
    match.tags.every((tag) => tags.includes(tag))
  );
}

/** Most specific first: by capability, then caller, then number of tags; ties by priority, then by name so that it is stable. */
function narrowestFirst(a: Policy, b: Policy): number {
  const left = a.content.match;
  const right = b.content.match;
  return (
    specificity(right.capability) - specificity(left.capability) ||
    specificity(right.caller) - specificity(left.caller) ||
    right.tags.length - left.tags.length ||
    b.content.priority - a.content.priority ||
    (a.name < b.name ? -1 : 1)
  );
}

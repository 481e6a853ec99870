import type { CallerRef } from '../protocol/index.js';
import { DEFAULT_POLICY_CONTENT, type Policy } from './policy.js';
import { NamespacePolicies } from './policy-namespace.js';
import { type Rollout, stableVersion } from './policy-rollout.js';

/** All policies in force, ready to be asked. Immutable: a change makes a new set. */
export interface PolicySet {
  /**
   * The most specific policy that matches, in the version that the request falls into; the built-in default where none
   * does. Match and priority are those of that version: a call that falls into a new version which no longer matches it
   * goes to the next policy, not to the old version.
   */
  find(namespace: string, capability: string, tags: readonly string[], caller: CallerRef, requestId: string): Policy;
  /** The rollout of which `find` answered one of the two versions; undefined: the policy has only one version in use. */
  rollout(policy: Policy): Rollout | undefined;
  /** Whether a policy of the namespace is only for capabilities with certain tags. */
  looksAtTags(namespace: string): boolean;
}

/** Where no policy matches: the same for every namespace, since callers can name as many as they like. */
export const DEFAULT_POLICY: Policy = {
  id: null,
  namespace: '*',
  name: 'default',
  version: 1,
  content: DEFAULT_POLICY_CONTENT,
  rolloutPercent: 100,
  stable: undefined,
};

export function createPolicySet(policies: readonly Policy[]): PolicySet {
  const lists = new Map<string, Policy[]>();
  const rollouts = new Map<string | null, Rollout>();
  for (const policy of policies) {
    const { id, namespace, version, rolloutPercent } = policy;
    const list = lists.get(namespace);
    if (list === undefined) lists.set(namespace, [policy]);
    else list.push(policy);
    const rest = stableVersion(policy);
    if (rest !== undefined) rollouts.set(id, { newest: version, percent: rolloutPercent, stable: rest.version });
  }
  const byNamespace = new Map([...lists].map(([namespace, list]) => [namespace, new NamespacePolicies(list)]));
  return {
    find(namespace, capability, tags, caller, requestId) {
      return byNamespace.get(namespace)?.find(capability, tags, caller, requestId) ?? DEFAULT_POLICY;
    },
    rollout: ({ id }) => rollouts.get(id),
    looksAtTags: (namespace) => byNamespace.get(namespace)?.looksAtTags ?? false,
  };
}

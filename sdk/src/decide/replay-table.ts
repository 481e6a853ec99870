import type { AgentRef } from '../protocol/index.js';
import { bindingKey } from './affinity.js';
import type { RouteCapability, RouteInstance } from './candidate.js';
import type { PermissionDecision, PermissionRule, PermissionScope, PermissionSet } from './permission.js';
import type { Policy } from './policy.js';
import type { PolicySet } from './policy-set.js';
import type { RecordedDecision, RecordedVerdict } from './recorded.js';
import { type RecordedCandidate, restoreInstance } from './recorded-candidate.js';
import { RouteTable } from './route-table.js';

/** The table as the recorded decision saw it, with other policies. */
export function tableOf(recorded: RecordedDecision, policies: PolicySet): RouteTable {
  const { request, candidates, binding, now, policy } = recorded;
  const table = new RouteTable();
  table.policies = policies;
  table.permissions = new RecordedPermissions(recorded.permissions);
  if (recorded.canaryPercent !== undefined) {
    table.canaryShares = new Map([[request.namespace, recorded.canaryPercent]]);
  }
  for (const candidate of candidates) table.put(restored(recorded, candidate));
  if (binding === null) return table;
  if (binding.elsewhere !== undefined) table.put(restored(recorded, binding.elsewhere));
  const key = bindingKey(policy.id, request.namespace, recorded.capability, request.affinityKey ?? '');
  table.bindings.bind(key, binding.ref, binding.version, now.monotonic);
  return table;
}

function restored({ capabilities, request }: RecordedDecision, candidate: RecordedCandidate): RouteInstance {
  return restoreInstance(candidate, capabilities[candidate.capability] ?? UNKNOWN_CAPABILITY, request.caller);
}

const UNKNOWN_CAPABILITY: RouteCapability = { name: '', aliases: [], tags: [], idempotent: false, mode: 'SYNC' };

/** What the rules said at the time, for the caller and the agents of one decision. */
class RecordedPermissions implements PermissionSet {
  readonly rules: readonly PermissionRule[] = [];

  constructor(private readonly verdicts: RecordedDecision['permissions']) {}

  view(_caller: unknown, _roles: unknown, capability: string) {
    return {
      check: (target: AgentRef): PermissionDecision => this.#answer(target, capability),
      scope: (): PermissionScope => ({ kind: 'EACH' }),
    };
  }

  check(_caller: unknown, _roles: unknown, target: AgentRef, capability: string): PermissionDecision {
    return this.#answer(target, capability);
  }

  #answer(agent: AgentRef, capability: string): PermissionDecision {
    const ofAgent = Object.hasOwn(this.verdicts, agent) ? this.verdicts[agent] : undefined;
    const verdict: RecordedVerdict =
      ofAgent !== undefined && Object.hasOwn(ofAgent, capability) ? (ofAgent[capability] ?? false) : false;
    if (typeof verdict !== 'string') return { allowed: verdict, rule: undefined };
    const namespace = agent.slice(0, agent.indexOf('/'));
    const rule = { id: verdict, namespace, caller: '*', target: agent, capability, effect: 'DENY' as const };
    return { allowed: false, rule };
  }
}

/** Policies whose strategies have a memory of their own, so that a replay leaves the router's as it is. */
export function forReplay(policies: PolicySet): PolicySet {
  const known = replaySets.get(policies);
  if (known !== undefined) return known;
  const copies = new Map<Policy, Policy>();
  const set: PolicySet = {
    ...policies,
    find(...question) {
      const policy = policies.find(...question);
      let copy = copies.get(policy);
      if (copy === undefined) {
        copy = freshMemory(policy);
        copies.set(policy, copy);
      }
      return copy;
    },
  };
  replaySets.set(policies, set);
  return set;
}

const replaySets = new WeakMap<PolicySet, PolicySet>();

/** The policy with a strategy that remembers nothing yet: memory belongs to the settings object. */
export function freshMemory(policy: Policy): Policy {
  return { ...policy, content: { ...policy.content, strategy: { ...policy.content.strategy } } };
}

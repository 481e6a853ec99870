import type { CallTarget, InstanceRef } from '../protocol/index.js';
import { AffinityBindings } from './affinity.js';
import type { Candidate, RouteInstance } from './candidate.js';
import type { CandidateCell, Standing, StandingCandidate } from './candidate-cell.js';
import type { Decision } from './decision.js';
import { NamespaceIndex } from './namespace-index.js';
import { createPermissionSet, type PermissionRule, type PermissionSet } from './permission.js';
import type { Policy } from './policy.js';
import { createPolicySet, type PolicySet } from './policy-set.js';
import { hash32 } from './strategies/hash.js';
import { TargetMatch } from './target-match.js';

export type { Candidate, CandidateList, Domain, RouteCapability, RouteInstance } from './candidate.js';
export type { TargetMatch } from './target-match.js';

/**
 * Everything that decide needs, as one versioned whole: instances indexed by what calls can name, permissions and
 * policies. Each method takes effect at once; since deciding is synchronous, nobody sees half a change.
 */
export class RouteTable<I extends RouteInstance = RouteInstance> {
  #version = 0;
  permissions: PermissionSet = createPermissionSet([]);
  policies: PolicySet = createPolicySet([]);
  /** By namespace: the share of the calls, in percent, that goes to canaries where no policy splits them. */
  canaryShares: ReadonlyMap<string, number> = new Map();
  readonly bindings = new AffinityBindings();
  /** Where each instance was put; it may have changed since, and must be taken out of where it is. */
  readonly #placements = new Map<InstanceRef, Placement<I>>();
  readonly #namespaces = new Map<string, NamespaceIndex<I>>();

  /** Grows with each change of what is in the table (not with live states). */
  get version(): number {
    return this.#version;
  }

  setPermissions(rules: readonly PermissionRule[]): void {
    this.permissions = createPermissionSet(rules);
    this.#version++;
  }

  setPolicies(policies: readonly Policy[]): void {
    this.policies = createPolicySet(policies);
    this.#version++;
  }

  setCanaryShares(shares: ReadonlyMap<string, number>): void {
    this.canaryShares = shares;
    this.#version++;
  }

  instance(ref: InstanceRef): I | undefined {
    return this.#placements.get(ref)?.instance;
  }

  /**
   * Adds an instance, or replaces the one of the same name. To be called again when one of its fields changed. Costs
   * the same however many there are.
   */
  put(instance: I): void {
    const { ref, namespace, agent, agentType, version, domain, zone, capabilities } = instance;
    this.#version++;
    const before = this.#placements.get(ref);
    if (before !== undefined) {
      if (isInPlace(before, instance)) {
        const index = this.#namespaces.get(namespace);
        for (const candidate of before.candidates) index?.touch(candidate, before.agentId);
        return;
      }
      this.remove(ref);
    }
    let index = this.#namespaces.get(namespace);
    if (index === undefined) {
      index = new NamespaceIndex(namespace);
      this.#namespaces.set(namespace, index);
    }
    const seed = hash32(ref);
    const standing = { agentType, version, domain, zone };
    const candidates = capabilities.map((capability) => ({ instance, capability, seed, standing }));
    const agentId = agent.slice(namespace.length + 1);
    for (const candidate of candidates) index.add(candidate, agentId);
    this.#placements.set(ref, { instance, namespace, agentId, standing, capabilities, candidates });
  }

  remove(ref: InstanceRef): void {
    const placement = this.#placements.get(ref);
    if (placement === undefined) return;
    const { namespace, agentId, candidates } = placement;
    this.#placements.delete(ref);
    const index = this.#namespaces.get(namespace);
    for (const candidate of candidates) index?.remove(candidate, agentId);
    if (index?.isEmpty === true) this.#namespaces.delete(namespace);
    this.#version++;
  }

  /**
   * Takes over what a decision changes: the key that it bound, the turn that it took. To be called in the tick of the
   * decision, before the next one; a second time changes nothing.
   */
  applied(decision: Decision<I>): void {
    if (decision.outcome !== 'OK' || decision.effects === undefined) return;
    const { strategy, context, binding } = decision.effects;
    decision.effects = undefined;
    strategy.chosen?.(decision.choice, context);
    if (binding !== undefined) this.bindings.bind(binding.key, binding.ref, binding.version, context.now.monotonic);
  }

  /** Who could be meant, by agent, type, capability (or alias) and tags; all that are given must match. */
  match(namespace: string, target: CallTarget): TargetMatch<I> {
    return this.#namespaces.get(namespace)?.match(target) ?? (NOBODY as TargetMatch<RouteInstance> as TargetMatch<I>);
  }

  /** The candidate in some cells that stands for an instance. */
  candidate(cells: readonly CandidateCell<I>[], ref: InstanceRef): Candidate<I> | undefined {
    const candidates = this.#placements.get(ref)?.candidates ?? [];
    return candidates.find((candidate) => cells.some((cell) => cell.has(candidate)));
  }
}

const NOBODY = new TargetMatch<RouteInstance>([], {}, { agent: () => undefined, cellsRevision: 0 }, '');

interface Placement<I extends RouteInstance> {
  readonly instance: I;
  readonly namespace: string;
  /** The agent's id within the namespace. */
  readonly agentId: string;
  readonly standing: Standing;
  readonly capabilities: I['capabilities'];
  readonly candidates: readonly StandingCandidate<I>[];
}

/** Whether an instance still stands where what it is now belongs. */
function isInPlace<I extends RouteInstance>(placement: Placement<I>, instance: I): boolean {
  const { standing } = placement;
  return (
    placement.instance === instance &&
    placement.capabilities === instance.capabilities &&
    standing.zone === instance.zone &&
    standing.domain === instance.domain &&
    standing.version === instance.version &&
    standing.agentType === instance.agentType &&
    instance.agent === `${placement.namespace}/${placement.agentId}` &&
    placement.namespace === instance.namespace
  );
}

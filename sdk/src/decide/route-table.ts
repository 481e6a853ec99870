import type { AgentRef, CallTarget, InstanceRef } from '../protocol/index.js';
import { AffinityBindings } from './affinity.js';
import type { Candidate, Domain, RouteInstance } from './candidate.js';
import type { CandidateCell } from './candidate-cell.js';
import type { Decision } from './decision.js';
import { NamespaceIndex, type Placed } from './namespace-index.js';
import { createPermissionSet, type PermissionRule, type PermissionSet } from './permission.js';
import type { Policy } from './policy.js';
import { createPolicySet, type PolicySet } from './policy-set.js';
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

  instance(ref: InstanceRef): I | undefined {
    return this.#placements.get(ref)?.instance;
  }

  /**
   * Adds an instance, or replaces the one of the same name. To be called again when one of its fields changed. Costs
   * the same however many there are.
   */
  put(instance: I): void {
    const { ref, namespace } = instance;
    const before = this.#placements.get(ref);
    if (before !== undefined) {
      if (isInPlace(before, instance)) {
        for (const { place } of before.placed) place.cell.revision++;
        this.#version++;
        return;
      }
      this.remove(ref);
    }
    let index = this.#namespaces.get(namespace);
    if (index === undefined) {
      index = new NamespaceIndex(namespace);
      this.#namespaces.set(namespace, index);
    }
    const { agent, agentType, version, domain, zone, capabilities } = instance;
    const placed = index.add(instance);
    this.#placements.set(ref, { instance, namespace, agent, agentType, version, domain, zone, capabilities, placed });
    this.#version++;
  }

  remove(ref: InstanceRef): void {
    const placement = this.#placements.get(ref);
    if (placement === undefined) return;
    const { namespace, placed } = placement;
    this.#placements.delete(ref);
    const index = this.#namespaces.get(namespace);
    index?.remove(placed);
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
    const placed = this.#placements.get(ref)?.placed;
    return placed?.find(({ place }) => cells.includes(place.cell))?.place.candidate;
  }
}

const NOBODY = new TargetMatch<RouteInstance>([], {}, { agent: () => undefined, cellsRevision: 0 }, '');

interface Placement<I extends RouteInstance> {
  readonly instance: I;
  readonly namespace: string;
  readonly agent: AgentRef;
  readonly agentType: string;
  readonly version: string;
  readonly domain: Domain;
  readonly zone: string;
  readonly capabilities: I['capabilities'];
  readonly placed: readonly Placed<I>[];
}

/** Whether an instance still stands where what it is now belongs. */
function isInPlace<I extends RouteInstance>(placement: Placement<I>, instance: I): boolean {
  return (
    placement.instance === instance &&
    placement.capabilities === instance.capabilities &&
    placement.zone === instance.zone &&
    placement.domain === instance.domain &&
    placement.version === instance.version &&
    placement.agentType === instance.agentType &&
    placement.agent === instance.agent &&
    placement.namespace === instance.namespace
  );
}

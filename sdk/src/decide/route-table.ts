import type { AgentRef, CallTarget, CapabilityMode, InstanceRef } from '../protocol/index.js';
import type { LiveState } from './live.js';
import { createPermissionSet, type PermissionRule, type PermissionSet } from './permission.js';
import type { Policy } from './policy.js';
import { createPolicySet, type PolicySet } from './policy-set.js';

export type Domain = 'CANARY' | 'STAGING' | 'PRODUCTION';

/** A capability as far as routing needs it. */
export interface RouteCapability {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly tags: readonly string[];
  readonly idempotent: boolean;
  readonly mode: CapabilityMode;
}

/** An instance as far as routing needs it. Generic in its capability, so that a server can hang more on it. */
export interface RouteInstance<C extends RouteCapability = RouteCapability> {
  readonly ref: InstanceRef;
  readonly agent: AgentRef;
  readonly namespace: string;
  readonly agentType: string;
  readonly version: string;
  readonly domain: Domain;
  readonly zone: string;
  /** 0: no new work; 100 is the usual. */
  readonly weight: number;
  readonly maxConcurrency: number;
  readonly maxQueue: number;
  readonly capabilities: readonly C[];
  readonly live: LiveState;
}

/** One instance with the one of its capabilities that a call is for. */
export interface Candidate<I extends RouteInstance = RouteInstance> {
  readonly instance: I;
  readonly capability: I['capabilities'][number];
}

/** The candidates of a target before any other stage. */
export interface TargetMatch<I extends RouteInstance = RouteInstance> {
  readonly candidates: readonly Candidate<I>[];
  /** The same by zone, where the table keeps them so: for targets that name a capability and nothing else. */
  readonly byZone?: ReadonlyMap<string, readonly Candidate<I>[]>;
  /** Set when the target itself can't be understood: an agent with several capabilities, and none named. */
  readonly ambiguous?: readonly string[];
}

/**
 * Everything that decide needs, as one versioned whole: instances indexed by what calls can name, permissions and
 * policies. Each method takes effect at once; since deciding is synchronous, nobody sees half a change.
 */
export class RouteTable<I extends RouteInstance = RouteInstance> {
  #version = 0;
  permissions: PermissionSet = createPermissionSet([]);
  policies: PolicySet = createPolicySet([]);
  /** Where each instance was put; it may have changed since, and must be taken out of where it is. */
  readonly #placed = new Map<InstanceRef, Placement<I>>();
  readonly #byCapability = new Map<string, CapabilityIndex<I>>();
  readonly #byAgent = new Map<AgentRef, Candidate<I>[]>();

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
    return this.#placed.get(ref)?.instance;
  }

  /** Adds an instance, or replaces the one of the same name. To be called again when one of its fields changed. */
  put(instance: I): void {
    const { ref, agent, zone, namespace, capabilities } = instance;
    const before = this.#placed.get(ref);
    this.#version++;
    if (before?.instance === instance && before.zone === zone && before.capabilities === capabilities) return;
    this.remove(ref);
    const names: string[] = [];
    for (const capability of capabilities) {
      const candidate: Candidate<I> = { instance, capability };
      push(this.#byAgent, agent, candidate);
      for (const name of [capability.name, ...capability.aliases]) {
        const key = `${namespace} ${name}`;
        names.push(key);
        const index: CapabilityIndex<I> = this.#byCapability.get(key) ?? { candidates: [], byZone: new Map() };
        this.#byCapability.set(key, index);
        index.candidates.push(candidate);
        push(index.byZone, zone, candidate);
      }
    }
    this.#placed.set(ref, { instance, agent, zone, capabilities, names });
  }

  remove(ref: InstanceRef): void {
    const placement = this.#placed.get(ref);
    if (placement === undefined) return;
    this.#placed.delete(ref);
    drop(this.#byAgent, placement.agent, ref);
    for (const name of placement.names) {
      const index = this.#byCapability.get(name);
      if (index === undefined) continue;
      index.candidates = index.candidates.filter((candidate) => candidate.instance.ref !== ref);
      drop(index.byZone, placement.zone, ref);
      if (index.candidates.length === 0) this.#byCapability.delete(name);
    }
    this.#version++;
  }

  /** Who could be meant, by agent, type, capability (or alias) and tags; all that are given must match. */
  match(namespace: string, target: CallTarget): TargetMatch<I> {
    const { capability } = target;
    const agent: AgentRef | undefined = target.agent === undefined ? undefined : `${namespace}/${target.agent}`;
    if (capability === undefined) {
      if (agent === undefined) return { candidates: [] };
      const candidates = this.#byAgent.get(agent) ?? [];
      const names = new Set(candidates.map((candidate) => candidate.capability.name));
      return names.size > 1 ? { candidates: [], ambiguous: [...names].sort() } : { candidates };
    }
    const named = this.#byCapability.get(`${namespace} ${capability}`);
    if (named === undefined) return { candidates: [] };
    if (agent === undefined && target.type === undefined && target.tags === undefined) return named;
    return {
      candidates: named.candidates.filter(
        (candidate) =>
          (agent === undefined || candidate.instance.agent === agent) &&
          (target.type === undefined || candidate.instance.agentType === target.type) &&
          (target.tags === undefined || target.tags.every((tag) => candidate.capability.tags.includes(tag))),
      ),
    };
  }
}

interface Placement<I extends RouteInstance> {
  readonly instance: I;
  readonly agent: AgentRef;
  readonly zone: string;
  readonly capabilities: I['capabilities'];
  /** Keys of the index of capabilities. */
  readonly names: readonly string[];
}

interface CapabilityIndex<I extends RouteInstance> {
  candidates: Candidate<I>[];
  readonly byZone: Map<string, Candidate<I>[]>;
}

function push<K, V>(index: Map<K, V[]>, key: K, value: V): void {
  const list = index.get(key);
  if (list === undefined) index.set(key, [value]);
  else list.push(value);
}

function drop<K, I extends RouteInstance>(index: Map<K, Candidate<I>[]>, key: K, ref: InstanceRef): void {
  const list = index.get(key);
  if (list === undefined) return;
  const rest = list.filter((candidate) => candidate.instance.ref !== ref);
  if (rest.length === 0) index.delete(key);
  else index.set(key, rest);
}

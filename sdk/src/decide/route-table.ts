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
  readonly #instances = new Map<InstanceRef, I>();
  readonly #byCapability = new Map<string, Candidate<I>[]>();
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
    return this.#instances.get(ref);
  }

  /** Adds an instance, or replaces the one of the same name. */
  put(instance: I): void {
    this.remove(instance.ref);
    this.#instances.set(instance.ref, instance);
    for (const capability of instance.capabilities) {
      const candidate: Candidate<I> = { instance, capability };
      push(this.#byAgent, instance.agent, candidate);
      for (const name of [capability.name, ...capability.aliases]) {
        push(this.#byCapability, `${instance.namespace} ${name}`, candidate);
      }
    }
    this.#version++;
  }

  remove(ref: InstanceRef): void {
    const instance = this.#instances.get(ref);
    if (instance === undefined) return;
    this.#instances.delete(ref);
    drop(this.#byAgent, instance.agent, ref);
    for (const capability of instance.capabilities) {
      for (const name of [capability.name, ...capability.aliases]) {
        drop(this.#byCapability, `${instance.namespace} ${name}`, ref);
      }
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
    if (agent === undefined && target.type === undefined && target.tags === undefined) return { candidates: named };
    return {
      candidates: named.filter(
        (candidate) =>
          (agent === undefined || candidate.instance.agent === agent) &&
          (target.type === undefined || candidate.instance.agentType === target.type) &&
          (target.tags === undefined || target.tags.every((tag) => candidate.capability.tags.includes(tag))),
      ),
    };
  }
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

import type { AgentRef, InstanceRef } from '@agent-reach/sdk/protocol';
import type { Instance } from './instance.js';

/** The incarnations that live now, by name and by agent. */
export class InstanceIndex {
  readonly #byRef = new Map<InstanceRef, Instance>();
  readonly #byAgent = new Map<AgentRef, Set<Instance>>();

  get(ref: InstanceRef): Instance | undefined {
    return this.#byRef.get(ref);
  }

  all(): Iterable<Instance> {
    return this.#byRef.values();
  }

  /** A copy, so that the caller may end instances while it walks. */
  of(agent: AgentRef): Instance[] {
    return [...(this.#byAgent.get(agent) ?? [])];
  }

  /** The same as it stands; not to be changed meanwhile. */
  each(agent: AgentRef): Iterable<Instance> {
    return this.#byAgent.get(agent) ?? [];
  }

  add(instance: Instance): void {
    this.#byRef.set(instance.ref, instance);
    const siblings = this.#byAgent.get(instance.agent);
    if (siblings === undefined) this.#byAgent.set(instance.agent, new Set([instance]));
    else siblings.add(instance);
  }

  /** Whether it was there; another incarnation of the same name is left alone. */
  remove(instance: Instance): boolean {
    if (this.#byRef.get(instance.ref) !== instance) return false;
    this.#byRef.delete(instance.ref);
    const siblings = this.#byAgent.get(instance.agent);
    siblings?.delete(instance);
    if (siblings?.size === 0) this.#byAgent.delete(instance.agent);
    return true;
  }
}

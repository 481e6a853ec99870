import type { AgentRef, Health, InstanceRef, Lifecycle } from '@agent-reach/sdk/protocol';

/** Transitions of one agent's instances that are kept; audit has all. */
const KEPT = 30;

/** One step of an instance: from one state of its lifecycle, or of its health, to another. */
export interface InstanceTransition {
  /** Wall clock, ms since 1970. */
  readonly at: number;
  readonly instance: InstanceRef;
  readonly incarnation: string;
  /** A lifecycle or a health, as `to` is one; undefined: it began. */
  readonly from: Lifecycle | Health | undefined;
  readonly to: Lifecycle | Health;
  /** What both were after it. */
  readonly lifecycle: Lifecycle;
  readonly health: Health;
  readonly reason: string;
  /** A person, the instance itself, or `system`. */
  readonly actor: string;
}

/**
 * The latest transitions of each agent's instances, gone ones included, for whoever looks at the agent now: in memory,
 * so that it is there while the database isn't, and bounded.
 */
export class TransitionHistory {
  readonly #agents = new Map<AgentRef, InstanceTransition[]>();

  add(agent: AgentRef, transition: InstanceTransition): void {
    const kept = this.#agents.get(agent);
    if (kept === undefined) this.#agents.set(agent, [transition]);
    else {
      kept.push(transition);
      if (kept.length > KEPT) kept.shift();
    }
  }

  /** Newest first. */
  of(agent: AgentRef): readonly InstanceTransition[] {
    return [...(this.#agents.get(agent) ?? [])].reverse();
  }

  forget(agent: AgentRef): void {
    this.#agents.delete(agent);
  }
}

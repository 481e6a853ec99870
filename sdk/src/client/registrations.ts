import type { Agent } from './agent.js';

/** What a server holds back of a connection while it registers is bounded, so that many agents must not come at once. */
const AT_ONCE = 16;

/** The registrations of one connection: a few under way at a time, in the order in which they were asked for. */
export class Registrations {
  private readonly underWay = new Map<string, Agent>();
  private readonly waiting = new Set<Agent>();

  /** `send` sends the registration of an agent, under an id that the answer will name. */
  constructor(private readonly send: (agent: Agent) => string) {}

  /** Registers an agent; nothing if that is under way. */
  begin(agent: Agent): void {
    if (this.has(agent)) return;
    this.waiting.add(agent);
    this.next();
  }

  has(agent: Agent): boolean {
    return this.waiting.has(agent) || [...this.underWay.values()].includes(agent);
  }

  /** The agent whose registration is answered by this id; it is under way no more. */
  answered(id: string): Agent | undefined {
    const agent = this.underWay.get(id);
    this.underWay.delete(id);
    this.next();
    return agent;
  }

  /** The agent does not want to register any more. An answer that is under way is still its own. */
  forget(agent: Agent): void {
    this.waiting.delete(agent);
  }

  /** The connection is lost: nothing is under way, and nothing waits. */
  clear(): void {
    this.underWay.clear();
    this.waiting.clear();
  }

  private next(): void {
    for (const agent of this.waiting) {
      if (this.underWay.size >= AT_ONCE) return;
      this.waiting.delete(agent);
      this.underWay.set(this.send(agent), agent);
    }
  }
}

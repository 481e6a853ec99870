import { LiveCapability } from './capability.js';
import type { AgentRecord } from './model.js';

interface Known {
  readonly contentHash: string;
  readonly capabilities: readonly LiveCapability[];
}

/** Capabilities with their compiled schemas, shared by all instances of a version. Freed with their agent. */
export class CapabilityCache {
  readonly #byAgent = new Map<string, Map<string, Known>>();

  of(agent: AgentRecord, version: string): readonly LiveCapability[] {
    const record = agent.versions.get(version);
    if (record === undefined) return [];
    let versions = this.#byAgent.get(agent.uid);
    if (versions === undefined) {
      versions = new Map();
      this.#byAgent.set(agent.uid, versions);
    }
    let known = versions.get(version);
    if (known?.contentHash !== record.contentHash) {
      const capabilities = record.capabilities.map((each) => new LiveCapability(each));
      known = { contentHash: record.contentHash, capabilities };
      versions.set(version, known);
    }
    return known.capabilities;
  }

  /** The agent is gone. */
  forget(agent: AgentRecord): void {
    this.#byAgent.delete(agent.uid);
  }
}

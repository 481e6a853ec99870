import { LiveCapability } from './capability.js';
import type { AgentRecord } from './model.js';

/** Capabilities with their compiled schemas, shared by all instances of a version. Freed with their agent. */
export class CapabilityCache {
  readonly #byAgent = new Map<string, Map<string, readonly LiveCapability[]>>();

  of(agent: AgentRecord, version: string): readonly LiveCapability[] {
    const record = agent.versions.get(version);
    if (record === undefined) return [];
    let versions = this.#byAgent.get(agent.uid);
    if (versions === undefined) {
      versions = new Map();
      this.#byAgent.set(agent.uid, versions);
    }
    const key = `${version} ${record.contentHash}`;
    let capabilities = versions.get(key);
    if (capabilities === undefined) {
      capabilities = record.capabilities.map((each) => new LiveCapability(each));
      versions.set(key, capabilities);
    }
    return capabilities;
  }

  /** The agent is gone. */
  forget(agent: AgentRecord): void {
    this.#byAgent.delete(agent.uid);
  }
}

import type { RouteEntry, RouteEntryCapability } from '@agent-reach/sdk/protocol';
import type { LiveCapability } from '../capability.js';
import type { Instance } from '../instance.js';

/** Shared by all entries of a version. */
const shown = new WeakMap<readonly LiveCapability[], readonly RouteEntryCapability[]>();

/** An instance as callers route to it, with all its capabilities. */
export function entryOf(instance: Instance): RouteEntry {
  const { ref, agent, agentType, version, domain, zone, live, weight, maxConcurrency, maxQueue, maxTasks } = instance;
  return {
    instance: ref,
    agent,
    agentType,
    version,
    domain,
    zone,
    lifecycle: live.lifecycle,
    health: live.health,
    weight,
    maxConcurrency,
    maxQueue,
    maxTasks,
    capabilities: capabilitiesOf(instance.capabilities),
  };
}

/** Whether callers could see no difference. Compares whole: nothing can be forgotten. */
export function sameEntry(a: RouteEntry, b: RouteEntry): boolean {
  for (const field in a) if (a[field as keyof RouteEntry] !== b[field as keyof RouteEntry]) return false;
  return true;
}

function capabilitiesOf(capabilities: readonly LiveCapability[]): readonly RouteEntryCapability[] {
  let known = shown.get(capabilities);
  if (known === undefined) {
    known = capabilities.map(({ name, aliases, tags, idempotent, mode }) => ({
      name,
      aliases,
      tags,
      idempotent,
      mode,
    }));
    shown.set(capabilities, known);
  }
  return known;
}

import type { InstanceSettings } from '../../perceive/model.js';
import type { Prisma } from '../../storage/generated/client.js';

/** What an instance that registered before a setting existed is taken to have said. */
const DEFAULTS: InstanceSettings = {
  lease: 'REALTIME',
  startupGraceMs: 3000,
  drainTimeoutMs: 30_000,
  maxConcurrency: 1_000,
  maxQueue: 0,
  maxTasks: 100,
};

/** Reads what `rememberInstance` stored. */
export function settingsOf(json: Prisma.JsonValue): InstanceSettings {
  const stored = typeof json === 'object' && json !== null && !Array.isArray(json) ? json : {};
  return { ...DEFAULTS, ...(stored as Partial<InstanceSettings>) };
}

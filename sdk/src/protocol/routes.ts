import type { CapabilityMode } from './capability.js';
import type { Health, Lifecycle } from './health.js';
import type { AgentRef, InstanceRef } from './names.js';

/** A capability as far as finding somebody for it needs it. */
export interface RouteEntryCapability {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly tags: readonly string[];
  readonly idempotent: boolean;
  readonly mode: CapabilityMode;
}

/** An instance as a caller may route to it. One that is GONE, or has nothing that the caller may call, is to be taken out. */
export interface RouteEntry {
  readonly instance: InstanceRef;
  readonly agent: AgentRef;
  readonly agentType: string;
  readonly version: string;
  readonly domain: 'CANARY' | 'STAGING' | 'PRODUCTION';
  readonly zone: string;
  readonly lifecycle: Lifecycle;
  readonly health: Health;
  /** 0: no new work; 100 is the usual. */
  readonly weight: number;
  readonly maxConcurrency: number;
  readonly maxQueue: number;
  readonly maxTasks: number;
  /** Those that the caller may call. */
  readonly capabilities: readonly RouteEntryCapability[];
}

export interface RouteFilter {
  readonly namespace?: string;
}

/**
 * The route table of a caller: a snapshot, then what changes. `version` grows within one life of the server. What is not
 * a snapshot goes on from the version `previous`; a client that has another one has a gap, and subscribes anew.
 */
export type RouteStreamEvent =
  | {
      readonly kind: 'Snapshot';
      readonly position: string;
      readonly version: number;
      readonly instances: readonly RouteEntry[];
    }
  | {
      readonly kind: 'Change';
      readonly position: string;
      readonly version: number;
      readonly previous: number;
      readonly instance: RouteEntry;
    }
  | { readonly kind: 'Checkpoint'; readonly position: string; readonly version: number; readonly previous: number }
  | { readonly kind: 'Resync'; readonly position: string; readonly reason: string };

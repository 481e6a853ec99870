import type { AgentRef, InstanceRef } from './names.js';

export type Lifecycle = 'PENDING' | 'STARTING' | 'READY' | 'DRAINING' | 'PAUSED' | 'SUSPECT' | 'GONE';
export type Health = 'HEALTHY' | 'DEGRADED' | 'OFFLINE' | 'UNKNOWN';

/** One instance's state as subscribers see it. (incarnation, version) orders the changes of one instance. */
export interface InstanceHealth {
  readonly instance: InstanceRef;
  readonly agent: AgentRef;
  readonly incarnation: string;
  readonly version: number;
  readonly lifecycle: Lifecycle;
  readonly health: Health;
  /** Why, for a person: "no heartbeat for 15.2 s". */
  readonly reason: string;
  readonly capabilities: readonly string[];
  readonly zone: string;
  readonly inFlight: number;
  readonly queueDepth: number;
  /** 0 to 1, or null while nothing was reported. */
  readonly utilisation: number | null;
  /** Wall clock of the server, ISO with milliseconds. */
  readonly changedAt: string;
}

export const LIFECYCLES: readonly Lifecycle[] = [
  'PENDING',
  'STARTING',
  'READY',
  'DRAINING',
  'PAUSED',
  'SUSPECT',
  'GONE',
];
export const HEALTHS: readonly Health[] = ['HEALTHY', 'DEGRADED', 'OFFLINE', 'UNKNOWN'];

/**
 * Which instances a stream is about; what is given must all match. When an instance that you had no longer does, because
 * it left a state, dropped the capability or is GONE, its change is sent once all the same, so that you can take it out.
 */
export interface HealthFilter {
  readonly namespace?: string;
  readonly agent?: AgentRef;
  /** Its name. */
  readonly capability?: string;
  /** In one of these states of life. */
  readonly lifecycle?: readonly Lifecycle[];
  /** With one of these healths. */
  readonly health?: readonly Health[];
}

/** What every stream yields. `position` is what `after` takes to go on from here. */
export type HealthStreamEvent =
  | { readonly kind: 'Snapshot'; readonly position: string; readonly instances: readonly InstanceHealth[] }
  | { readonly kind: 'Change'; readonly position: string; readonly instance: InstanceHealth }
  | { readonly kind: 'Checkpoint'; readonly position: string }
  | { readonly kind: 'Resync'; readonly position: string; readonly reason: string };

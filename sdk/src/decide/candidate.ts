import type { AgentRef, CapabilityMode, InstanceRef } from '../protocol/index.js';
import type { LiveState } from './live.js';

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
  /** Tasks at once, beside the calls. */
  readonly maxTasks: number;
  readonly capabilities: readonly C[];
  readonly live: LiveState;
}

/** One instance with the one of its capabilities that a call is for. The same object however the call names it. */
export interface Candidate<I extends RouteInstance = RouteInstance> {
  readonly instance: I;
  readonly capability: I['capabilities'][number];
  /** Hash of the instance's name; a table sets it, so that hashing a key with many instances need not read their names. */
  readonly seed?: number;
}

/** Candidates that the table keeps as one list; the object stays the same while the list lives. */
export interface CandidateList<I extends RouteInstance = RouteInstance> {
  readonly candidates: readonly Candidate<I>[];
  /** Grows with each change of the list: what was built from it at this revision is still right. */
  readonly revision: number;
}

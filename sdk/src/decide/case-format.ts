import type { CallTarget, CapabilityMode, Health, InstanceRef, Lifecycle } from '../protocol/index.js';
import type { PermissionRule } from './permission.js';
import type { PolicyContent } from './policy.js';
import type { RouteRequest } from './request.js';
import type { Domain } from './route-table.js';

/** A table, a request and what must be decided: the format of `cases/*.yaml`. Times are ms from the moment of the decision. */
export interface DecisionCase {
  readonly name: string;
  readonly table: CaseTable;
  readonly request: CaseRequest;
  readonly expect: CaseExpectation;
}

export interface CaseTable {
  readonly instances: readonly CaseInstance[];
  /** Without it nobody may call anything; in a saved test of a policy everybody may call everything. */
  readonly permissions?: readonly CasePermission[];
  readonly policies?: readonly CasePolicy[];
  /** The share of the calls that is for canaries, in percent; default: there is none. */
  readonly canaryPercent?: number;
}

export interface CaseInstance {
  readonly ref: InstanceRef;
  readonly type?: string;
  readonly version?: string;
  readonly zone?: string;
  readonly domain?: Domain;
  readonly weight?: number;
  readonly maxConcurrency?: number;
  readonly maxQueue?: number;
  readonly maxTasks?: number;
  readonly lifecycle?: Lifecycle;
  readonly health?: Health;
  /** Why it is in this state. */
  readonly reason?: string;
  readonly inFlight?: number;
  readonly tasks?: number;
  readonly queueDepth?: number;
  readonly utilisation?: number;
  readonly meanLatencyMs?: number;
  /** Share of its recent calls that succeeded. */
  readonly successRate?: number;
  readonly ackOverdue?: boolean;
  /** Share of a caller's recent calls to it that succeeded. */
  readonly callerHistory?: Readonly<Record<string, number>>;
  readonly breaker?: CaseBreaker;
  readonly slowStart?: CaseSlowStart;
  /** Capabilities by name. */
  readonly capabilities: Readonly<Record<string, CaseCapability | null>>;
}

export interface CaseCapability {
  readonly aliases?: readonly string[];
  readonly tags?: readonly string[];
  /** Default SYNC. */
  readonly mode?: CapabilityMode;
}

/** For how long still, and how long it lasts as a whole. */
export interface CaseSlowStart {
  readonly forMs: number;
  readonly ofMs: number;
}

export type CaseBreaker =
  /** Open for a reason, and for how long still. */
  { readonly open: string; readonly forMs: number } | { readonly halfOpen: string; readonly probing: boolean };

export type CasePermission = Omit<PermissionRule, 'id' | 'expiresAt'> & {
  readonly id?: string;
  readonly expiresInMs?: number;
};

export interface CasePolicy {
  readonly name: string;
  readonly namespace: string;
  /** As somebody would save it: what is left out takes its default. */
  readonly content: CaseContent;
  /** Default 1. */
  readonly version?: number;
  /** Default 100. */
  readonly rolloutPercent?: number;
  readonly stable?: { readonly version: number; readonly content: CaseContent };
}

/** A policy's content of which each part may be left out. */
export type CaseContent = { readonly [F in keyof PolicyContent]?: Partial<PolicyContent[F]> | null };

export type CaseRequest = Pick<RouteRequest, 'caller' | 'namespace'> & {
  readonly target: CallTarget;
  /** Default `case`: what a rollout or a split of domains is drawn by. */
  readonly requestId?: string;
  readonly roles?: readonly string[];
  readonly zone?: string;
  readonly domain?: Domain;
  readonly affinityKey?: string;
  /** The instance that the affinity key is bound to, which need not be there any more. */
  readonly boundTo?: InstanceRef;
  /** The version that it had then; default the one that it has, else 1.0.0. */
  readonly boundVersion?: string;
  /** Instances that this call was tried on. */
  readonly alreadyTried?: readonly InstanceRef[];
};

/** What must come of it; what is left out may be anything. */
export interface CaseExpectation {
  /** `OK`, or the code of the error. */
  readonly outcome?: string;
  readonly chosen?: InstanceRef;
  /** The chosen instance's agent, whichever of its instances that is. */
  readonly agent?: string;
  /** The name of the policy that decided; `default` for the built-in one. */
  readonly policy?: string;
  readonly message?: string;
  /** All candidates by instance: the stage that dropped it and its reason, or `kept`. */
  readonly candidates?: Readonly<Record<string, string>>;
}

/** One way in which a decision is not what was expected. */
export interface CaseFault {
  /** Such as `expect.chosen`. */
  readonly path: string;
  readonly expected: string | undefined;
  readonly got: string | undefined;
}

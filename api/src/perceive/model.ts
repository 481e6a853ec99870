import type {
  AgentKind,
  AgentRef,
  CapabilityMode,
  Health,
  InstanceRef,
  JsonSchema,
  LeaseChoice,
  LeaseProfile,
  LeaseTimes,
  Lifecycle,
} from '@agent-reach/sdk/protocol';

export type Domain = 'CANARY' | 'STAGING' | 'PRODUCTION';

/** A capability as registered, with everything defaulted. */
export interface CapabilityRecord {
  readonly uid: string;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema | undefined;
  readonly tags: readonly string[];
  readonly idempotent: boolean;
  readonly mode: CapabilityMode;
  readonly cacheTtlMs: number;
  readonly callerIndependent: boolean;
  readonly sensitive: readonly string[];
  readonly headers: readonly string[];
}

/** How a version's trial as a canary ended. */
export interface CanaryEnd {
  /** By what was seen of it (PROMOTED to PRODUCTION, RETURNED to STAGING) or by a person (RELEASED, STOPPED). */
  readonly kind: 'PROMOTED' | 'RETURNED' | 'RELEASED' | 'STOPPED';
  readonly reason: string;
  readonly at: Date;
  readonly calls: number;
  readonly failures: number;
}

export interface AgentVersionRecord {
  readonly uid: string;
  readonly version: string;
  readonly domain: Domain;
  /** When its last trial as a canary began; null: it never had one. */
  readonly canarySince: Date | null;
  /** How that ended; null while it runs. */
  readonly canaryEnd: CanaryEnd | null;
  readonly contentHash: string;
  readonly createdAt: Date;
  readonly capabilities: readonly CapabilityRecord[];
}

/** What operators set for an agent; survives re-registration. */
export interface AgentSettings {
  /** 0: no new work; 100 is the usual. */
  readonly weight: number;
  readonly paused: boolean;
  readonly labelOverrides: Readonly<Record<string, string>>;
  readonly roles: readonly string[];
}

/** The durable part of an agent, as governance loads it. */
export interface AgentRecord {
  readonly uid: string;
  readonly ref: AgentRef;
  readonly namespace: string;
  readonly id: string;
  readonly type: string;
  readonly kind: AgentKind;
  readonly description: string;
  readonly owner: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly settings: AgentSettings;
  readonly enrolmentKeyId: string | null;
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** By version string. */
  readonly versions: ReadonlyMap<string, AgentVersionRecord>;
}

/** The durable part of an instance: as it last registered. */
export interface InstanceRecord {
  readonly ref: InstanceRef;
  readonly agent: AgentRef;
  readonly name: string;
  readonly incarnation: string;
  readonly version: string;
  readonly zone: string;
  readonly settings: InstanceSettings;
  /** Paused by an operator; survives re-registration. */
  readonly paused: boolean;
  readonly registeredAt: Date;
  /** Undefined for an instance that joins by WebSocket. */
  readonly endpoint: HttpEndpoint | undefined;
}

export interface InstanceSettings {
  readonly lease: LeaseChoice;
  readonly startupGraceMs: number;
  readonly drainTimeoutMs: number;
  readonly maxConcurrency: number;
  readonly maxQueue: number;
  readonly maxTasks: number;
}

/** An instance that is only an HTTP endpoint. */
export interface HttpEndpoint {
  /** Where dispatches are POSTed; http or https. */
  readonly url: string;
  /** Path on the same host that answers 2xx while its real dependencies work. */
  readonly healthPath: string;
  /** How the parameters are sent. */
  readonly encoding: 'JSON' | 'FORM';
  readonly probeIntervalMs: number;
  readonly probeTimeoutMs: number;
}

/** How an endpoint's probes went lately: one of the two counts is 0. */
export interface ProbeCounts {
  /** Good ones in a row. */
  good: number;
  /** Failed ones in a row. */
  failed: number;
  /** Why the latest failed; empty when it was good. */
  reason: string;
}

/** What an instance says of its load; what is left out stays as it was. */
export interface LoadReport {
  /** 0 to 1. */
  readonly busy?: number | undefined;
  /** Share of a pool in use, 0 to 1; the higher of the two is the utilisation. */
  readonly pool?: number | undefined;
  /** Calls that wait in it. */
  readonly queueDepth?: number | undefined;
}

/** Everything about an instance that people look at; a copy, safe to keep. */
export interface InstanceView {
  readonly ref: InstanceRef;
  readonly agent: AgentRef;
  readonly name: string;
  readonly incarnation: string;
  readonly version: string;
  readonly zone: string;
  readonly domain: Domain;
  readonly lifecycle: Lifecycle;
  readonly health: Health;
  readonly reason: string;
  readonly changedAt: Date;
  readonly registeredAt: Date;
  readonly settings: InstanceSettings;
  readonly lease: LeaseTimes & { readonly profile: LeaseProfile | 'CUSTOM' };
  readonly inFlight: number;
  readonly tasks: number;
  readonly queueDepth: number;
  readonly utilisation: number | null;
  readonly meanLatencyMs: number | null;
  readonly successRate: number | null;
  readonly ackOverdue: boolean;
  readonly breaker: 'CLOSED' | 'OPEN' | 'HALF_OPEN';
  readonly breakerReason: string;
  /** ms since the instance was last heard; null while it has no connection. */
  readonly lastHeardMs: number | null;
  /** Since when another live process registers under its name, and is refused; null while none does. */
  readonly contestedSince: Date | null;
  /** SUSPECT: when it is given up unless it is back; null while that is not known, and in any other state. */
  readonly observedUntil: Date | null;
  readonly transport: 'WEBSOCKET' | 'HTTP';
  /** Only of an HTTP one. */
  readonly endpoint: (HttpEndpoint & { readonly probes: Readonly<ProbeCounts> }) | null;
}

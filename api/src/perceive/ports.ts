import type { PermissionRule, Policy } from '@agent-reach/sdk/decide';
import type {
  AgentKind,
  AgentRef,
  FoundCapability,
  HealthFilter,
  HealthStreamEvent,
  InstanceRef,
} from '@agent-reach/sdk/protocol';
import type { Seeker } from './lookup/call-rights.js';
import type { AgentRecord, CapabilityRecord, InstanceRecord, InstanceView } from './model.js';
import type { RegistryEvent, RegistryFilter } from './registered-agent.js';
import type { InstanceTransition } from './transition-history.js';

/** What an agent reported when it registered: checked, defaulted, schemas compiled. */
export interface Registration {
  readonly namespace: string;
  readonly agent: string;
  readonly type: string;
  readonly kind: AgentKind;
  readonly description: string;
  readonly owner: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly version: string;
  /** SHA-256 of everything above and of the capabilities; equal content needs no write. */
  readonly contentHash: string;
  readonly capabilities: readonly Omit<CapabilityRecord, 'uid'>[];
  /** Who registers, for audit. */
  readonly actor: string;
  /** Set when an enrolment key registers: the agent is created if it doesn't exist, and only the key's own may join. */
  readonly enrolmentKeyId: string | undefined;
}

/** Where registrations become durable. Implemented by governance/agents. */
export interface RegistrationStore {
  /**
   * Stores the agent's reported part and this version with its capabilities in one transaction with its audit entry.
   * Throws CONFLICT when the same version was registered with another output schema, NOT_FOUND when the agent doesn't
   * exist and no enrolment key creates it, DENIED for an id that the key didn't create, STORAGE_UNAVAILABLE.
   */
  save(registration: Registration): Promise<AgentRecord>;
  /** Remembers an instance for the next start of the server. Failures are retried by the store, never thrown. */
  rememberInstance(record: InstanceRecord): void;
  /** Forgets an instance that is gone. */
  forgetInstance(instance: InstanceRef): void;
}

/** What governance feeds into the route table. Each call takes effect within the same tick and never half. */
export interface RouteTableFeed {
  putAgent(record: AgentRecord): void;
  removeAgent(agent: AgentRef): void;
  setPermissions(rules: readonly PermissionRule[]): void;
  setPolicies(policies: readonly Policy[]): void;
  /** By namespace: the share of the calls, in percent, that goes to canaries where no policy splits them. */
  setCanaryShares(shares: ReadonlyMap<string, number>): void;
  /** At start: an instance that was registered before the restart; SUSPECT with health UNKNOWN until it is heard. */
  restoreInstance(record: InstanceRecord): void;
}

/** What live instances can do, found by words. */
export interface CapabilityFinder {
  /** What a caller may call in a namespace and fits a text, best first. */
  find(text: string, seeker: Seeker, namespace: string, limit: number): readonly FoundCapability[];
  /** What fits a text in the namespaces that a reader may see, whether or not he may call it. */
  search(text: string, visible: (namespace: string) => boolean, limit: number): readonly FoundCapability[];
}

/** What people and streams read. */
export interface RegistryView {
  readonly lookup: CapabilityFinder;
  agents(): Iterable<AgentRecord>;
  agent(ref: AgentRef): AgentRecord | undefined;
  instances(agent?: AgentRef): readonly InstanceView[];
  instance(ref: InstanceRef): InstanceView | undefined;
  /** The latest transitions of an agent's instances, gone ones included, newest first. */
  history(agent: AgentRef): readonly InstanceTransition[];
}

/** What operators do to instances. Each returns the new state; NOT_FOUND as ReachError. */
export interface InstanceControl {
  drain(instance: InstanceRef, actor: string, reason: string): InstanceView;
  pause(instance: InstanceRef, actor: string, reason: string): InstanceView;
  resume(instance: InstanceRef, actor: string): InstanceView;
}

/** Health as a stream. */
export interface HealthStreams {
  /**
   * Attaches at once, so nothing falls between. Begins with a Snapshot, or after the position `after` with what
   * changed since. Memory is bounded: a slow reader gets the newest state of each instance instead of every step. An
   * instance that the reader had and that doesn't match any more is told once.
   * `visible` says which namespaces the reader may see. End it with `return()`.
   */
  open(options: {
    readonly after?: string | undefined;
    readonly filter?: HealthFilter | undefined;
    readonly visible: (namespace: string) => boolean;
  }): AsyncIterableIterator<HealthStreamEvent>;
}

/** What is registered, as a stream. */
export interface RegistryStreams {
  /** As `HealthStreams.open`, of agents. */
  open(options: {
    readonly after?: string | undefined;
    readonly filter?: RegistryFilter | undefined;
    readonly visible: (namespace: string) => boolean;
  }): AsyncIterableIterator<RegistryEvent>;
}

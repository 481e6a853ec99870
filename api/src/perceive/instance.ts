import { createLiveState, type Domain, type LiveState, type RouteInstance } from '@agent-reach/sdk/decide';
import type { AgentRef, InstanceRef } from '@agent-reach/sdk/protocol';
import type { LiveCapability } from './capability.js';
import { LEASE_PROFILES } from './lease.js';
import type { LifecycleState } from './lifecycle.js';
import { LoadHealth } from './load-health.js';
import type { AgentRecord, AgentVersionRecord, InstanceRecord, InstanceSettings, InstanceView } from './model.js';

/** The connection that speaks for an instance. perceive compares links by identity and never looks inside. */
export interface Link {
  readonly id: string;
}

/**
 * One incarnation of an instance: its place in the route table, its lease, its state.
 * A new incarnation is a new object, so whatever still refers to the old one touches nothing of the new.
 */
export class Instance implements RouteInstance<LiveCapability> {
  readonly ref: InstanceRef;
  readonly agent: AgentRef;
  readonly live: LiveState;
  readonly loadHealth = new LoadHealth();
  /** Undefined while nobody speaks for it. */
  link: Link | undefined;
  state: LifecycleState;
  /** Lease time at which the lease ends; infinite while there is none to lose. */
  leaseEndsAt = Number.POSITIVE_INFINITY;
  /** Monotonic ms of the last sign of life; undefined until the first. */
  lastHeard: number | undefined;
  changedAt: Date;
  /** Orders this incarnation's changes. */
  changes = 0;
  /** Paused by an operator; outlives re-registration. */
  paused: boolean;

  constructor(
    public record: InstanceRecord,
    private agentRecord: AgentRecord,
    private versionRecord: AgentVersionRecord,
    public capabilities: readonly LiveCapability[],
    state: LifecycleState,
    live: Pick<LiveState, 'health' | 'reason'>,
    now: Date,
  ) {
    this.ref = record.ref;
    this.agent = record.agent;
    this.state = state;
    this.live = createLiveState(state.name, live.health, live.reason);
    this.changedAt = now;
    this.paused = record.paused;
  }

  /** Takes over what an operator changed about its agent, or what a re-registration reported. */
  describe(agent: AgentRecord, version: AgentVersionRecord, capabilities: readonly LiveCapability[]): void {
    this.agentRecord = agent;
    this.versionRecord = version;
    this.capabilities = capabilities;
  }

  get namespace(): string {
    return this.agentRecord.namespace;
  }
  get agentType(): string {
    return this.agentRecord.type;
  }
  get roles(): readonly string[] {
    return this.agentRecord.settings.roles;
  }
  get weight(): number {
    return this.agentRecord.settings.weight;
  }
  get version(): string {
    return this.record.version;
  }
  get domain(): Domain {
    return this.versionRecord.domain;
  }
  get zone(): string {
    return this.record.zone;
  }
  get settings(): InstanceSettings {
    return this.record.settings;
  }
  get maxConcurrency(): number {
    return this.record.settings.maxConcurrency;
  }
  get maxQueue(): number {
    return this.record.settings.maxQueue;
  }
  get leaseTimes() {
    return LEASE_PROFILES[this.record.settings.lease];
  }

  view(monotonic: number): InstanceView {
    const { breaker } = this.live;
    return {
      ref: this.ref,
      agent: this.agent,
      name: this.record.name,
      incarnation: this.record.incarnation,
      version: this.version,
      zone: this.zone,
      domain: this.domain,
      lifecycle: this.live.lifecycle,
      health: this.live.health,
      reason: this.live.reason,
      changedAt: this.changedAt,
      registeredAt: this.record.registeredAt,
      settings: this.settings,
      inFlight: this.live.inFlight,
      queueDepth: this.live.queueDepth,
      utilisation: this.live.utilisation,
      meanLatencyMs: this.live.meanLatencyMs,
      breaker: breaker.state,
      breakerReason: breaker.state === 'CLOSED' ? '' : breaker.reason,
      lastHeardMs: this.link === undefined || this.lastHeard === undefined ? null : monotonic - this.lastHeard,
      transport: 'WEBSOCKET',
    };
  }
}

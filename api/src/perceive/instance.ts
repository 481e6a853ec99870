import { createLiveState, type Domain, type LiveState, type RouteInstance } from '@agent-reach/sdk/decide';
import type { AgentRef, InstanceRef } from '@agent-reach/sdk/protocol';
import { AgreedLease } from './agreed-lease.js';
import type { LiveCapability } from './capability.js';
import { profileOf, timesOf } from './lease.js';
import type { LifecycleState } from './lifecycle.js';
import { LoadHealth } from './load-health.js';
import { LoadNews } from './load-news.js';
import type {
  AgentRecord,
  AgentVersionRecord,
  InstanceRecord,
  InstanceSettings,
  InstanceView,
  ProbeCounts,
} from './model.js';

/** The connection that speaks for an instance. perceive compares links by identity and never looks inside. */
export interface Link {
  readonly id: string;
  /** Whether something can still be sent over it. */
  readonly isOpen: boolean;
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
  /** How often it reports and how long it is believed; nothing that an HTTP endpoint knows of. */
  readonly lease: AgreedLease;
  readonly loadNews = new LoadNews();
  /** Undefined while nobody speaks for it. */
  link: Link | undefined;
  state: LifecycleState;
  /** Why it is in that state of its lifecycle; `live.reason` is what people see, its load included. */
  lifecycleReason: string;
  /** Lease time at which the lease ends; infinite while there is none to lose. */
  leaseEndsAt = Number.POSITIVE_INFINITY;
  /** Monotonic ms of the last sign of life; undefined until the first. */
  lastHeard: number | undefined;
  /** Monotonic ms from which on it was READY without having been lost; undefined before the first time. */
  servesSince: number | undefined;
  /** Since when another live process wants its name. */
  contestedSince: Date | undefined;
  changedAt: Date;
  /** Orders this incarnation's changes. */
  changes = 0;
  /** Paused by an operator; outlives re-registration. */
  paused: boolean;
  /** Whether the server has reached it: a WebSocket by its handshake, an endpoint by its health path. */
  verified: boolean;
  /** How its latest probes went; only of an endpoint. */
  readonly probes: ProbeCounts = { good: 0, failed: 0, reason: '' };

  // What routing reads stands here as plain fields: a decision looks at many instances, and each step along a chain of
  // records is a likely cache miss.
  namespace = '';
  agentType = '';
  roles: readonly string[] = [];
  weight = 0;
  version = '';
  domain: Domain = 'PRODUCTION';
  zone = '';
  maxConcurrency = 0;
  maxQueue = 0;
  maxTasks = 0;
  capabilities: readonly LiveCapability[] = [];

  constructor(
    public record: InstanceRecord,
    agent: AgentRecord,
    version: AgentVersionRecord,
    capabilities: readonly LiveCapability[],
    state: LifecycleState,
    live: Pick<LiveState, 'health' | 'reason'>,
    now: Date,
  ) {
    this.ref = record.ref;
    this.agent = record.agent;
    this.state = state;
    this.lifecycleReason = live.reason;
    this.live = createLiveState(state.name, live.health, live.reason);
    this.lease = new AgreedLease(timesOf(record.settings.lease));
    this.changedAt = now;
    this.paused = record.paused;
    this.verified = record.endpoint === undefined;
    this.describe(record, agent, version, capabilities);
  }

  /** Takes over what a re-registration reported, or what an operator changed about its agent. */
  describe(
    record: InstanceRecord,
    agent: AgentRecord,
    version: AgentVersionRecord,
    capabilities: readonly LiveCapability[],
  ): void {
    this.record = record;
    this.namespace = agent.namespace;
    this.agentType = agent.type;
    this.roles = agent.settings.roles;
    this.weight = agent.settings.weight;
    this.version = record.version;
    this.domain = version.domain;
    this.zone = record.zone;
    this.maxConcurrency = record.settings.maxConcurrency;
    this.maxQueue = record.settings.maxQueue;
    this.maxTasks = record.settings.maxTasks;
    this.capabilities = capabilities;
  }

  get settings(): InstanceSettings {
    return this.record.settings;
  }

  /** How loaded it is, 0 to 1 and beyond, by what it reports and by what the server knows to run on it. */
  get load(): number {
    const { live, maxConcurrency, maxTasks } = this;
    if (live.queueDepth > 0) return 1;
    return Math.max(live.utilisation ?? 0, live.inFlight / maxConcurrency, live.tasks / maxTasks);
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
      lease: { profile: profileOf(this.settings.lease), ...this.lease.times },
      inFlight: this.live.inFlight,
      tasks: this.live.tasks,
      queueDepth: this.live.queueDepth,
      utilisation: this.live.utilisation,
      meanLatencyMs: this.live.meanLatencyMs,
      successRate: this.live.successRate,
      ackOverdue: this.live.ackOverdue,
      breaker: breaker.state,
      breakerReason: breaker.state === 'CLOSED' ? '' : breaker.reason,
      lastHeardMs: this.link === undefined || this.lastHeard === undefined ? null : monotonic - this.lastHeard,
      contestedSince: this.contestedSince ?? null,
      observedUntil: this.state.name === 'SUSPECT' ? this.state.observedUntil : null,
      transport: this.record.endpoint === undefined ? 'WEBSOCKET' : 'HTTP',
      endpoint: this.record.endpoint === undefined ? null : { ...this.record.endpoint, probes: { ...this.probes } },
    };
  }
}

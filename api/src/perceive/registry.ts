import { RouteTable } from '@agent-reach/sdk/decide';
import type { AuditRecorder } from '@agent-reach/sdk/protocol';
import {
  type AgentRef,
  type InstanceRef,
  type InstanceReport,
  instanceRef,
  type LeaseTimes,
  ReachError,
} from '@agent-reach/sdk/protocol';
import { CapabilityCache } from './capability-cache.js';
import type { Clock } from './clock.js';
import { HealthHub } from './health-streams.js';
import { Instance, type Link } from './instance.js';
import { InstanceIndex } from './instance-index.js';
import { LeaseClock, observationMs, timesOf } from './lease.js';
import type { DrainingState, LifecycleState } from './lifecycle.js';
import { CapabilityLookup } from './lookup/capability-lookup.js';
import type { AgentRecord, HttpEndpoint, InstanceRecord, InstanceView, LoadReport } from './model.js';
import type { InstanceControl, Registration, RegistrationStore, RegistryView, RouteTableFeed } from './ports.js';
import type { CheckedRegistration } from './registration.js';
import { RegistryHub } from './registry-streams.js';
import { Rivals } from './rivals.js';
import { RouteStreams } from './routes/route-streams.js';
import { SlowStarts } from './slow-starts.js';
import type { InstanceTransition } from './transition-history.js';
import { healthOf, Transitions } from './transitions.js';

/** How often leases and the other deadlines of instances are judged, ms. */
export const SWEEP_MS = 250;

/** Whom perceive tells about an incarnation. */
export interface RegistryListener {
  /** An endpoint answers again after it was lost, or after a restart of the server. */
  answersAgain(instance: Instance): void;
  /** Its connection or lease is lost, or another incarnation took its place: running attempts end as CONNECTION_LOST. */
  lost(instance: Instance): void;
  /** Nothing new goes to it, running attempts finish. The agent is told. */
  draining(instance: Instance, reason: string, drainTimeoutMs: number): void;
  /** It says how many calls it has. */
  reported(instance: Instance, report: { readonly inFlight: number; readonly queueDepth: number | undefined }): void;
  /** Its lease went back from light load to what it asked for. The agent is told. */
  leaseShortened(instance: Instance): void;
}

export interface RegistryDeps {
  readonly clock: Clock;
  readonly epoch: string;
  readonly store: RegistrationStore;
  readonly audit: AuditRecorder;
  readonly listener: RegistryListener;
}

/** What a connection gets back when an instance joined. */
export interface Joined {
  readonly instance: Instance;
  readonly resumed: boolean;
  readonly lease: LeaseTimes;
}

/**
 * Who exists and in what state: agents as governance stored them, instances as they live. Owns the route table and
 * keeps it right within the tick in which something changes.
 */
export class Registry implements RouteTableFeed, RegistryView, InstanceControl {
  readonly table = new RouteTable<Instance>();
  readonly health: HealthHub;
  /** What is registered. */
  readonly registered: RegistryHub;
  /** The route table as callers may see it. */
  readonly routes: RouteStreams;
  /** What live instances can do, to be found by words. */
  readonly lookup: CapabilityLookup;
  /** Live processes that share an instance's name. */
  readonly rivals: Rivals;
  readonly #agents = new Map<AgentRef, AgentRecord>();
  readonly #capabilities = new CapabilityCache();
  readonly #instances = new InstanceIndex();
  /** Those that are only HTTP endpoints. */
  readonly #endpoints = new Set<Instance>();
  /** What operators paused: outlives the instance, so that it comes back paused. */
  readonly #paused = new Set<InstanceRef>();
  /** Registrations being stored, so that fifty instances of a new version write it once. */
  readonly #saving = new Map<string, Promise<AgentRecord>>();
  readonly #leaseClock: LeaseClock;
  readonly #transitions: Transitions;
  readonly #slowStarts: SlowStarts;

  constructor(private readonly deps: RegistryDeps) {
    this.#leaseClock = new LeaseClock(SWEEP_MS, deps.clock.monotonic());
    this.health = new HealthHub(deps.epoch, () => Array.from(this.#instances.all(), healthOf));
    this.registered = new RegistryHub(deps.epoch);
    this.routes = new RouteStreams({
      epoch: deps.epoch,
      permissions: () => this.table.permissions,
      wall: () => deps.clock.wall(),
    });
    this.#transitions = new Transitions(deps.clock, deps.audit, (instance) => {
      this.health.publish(healthOf(instance));
      this.routes.follow(instance);
    });
    this.rivals = new Rivals({ clock: deps.clock, audit: deps.audit, transitions: this.#transitions });
    this.#slowStarts = new SlowStarts({
      clock: deps.clock,
      policies: () => this.table.policies,
      siblings: (agent) => this.#instances.each(agent),
    });
    this.lookup = new CapabilityLookup({
      permissions: () => this.table.permissions,
      typeOf: (agent) => this.#agents.get(agent)?.type,
      wall: () => deps.clock.wall(),
    });
  }

  // --- fed by governance ---------------------------------------------------------------------------------------

  setPermissions: RouteTableFeed['setPermissions'] = (rules) => this.table.setPermissions(rules);
  setPolicies: RouteTableFeed['setPolicies'] = (policies) => this.table.setPolicies(policies);
  setCanaryShares: RouteTableFeed['setCanaryShares'] = (shares) => this.table.setCanaryShares(shares);

  putAgent(record: AgentRecord): void {
    this.#agents.set(record.ref, record);
    this.registered.put(record);
    for (const instance of this.#instances.of(record.ref)) {
      const version = record.versions.get(instance.version);
      if (version === undefined) continue;
      const { capabilities } = instance;
      instance.describe(instance.record, record, version, this.#capabilities.of(record, instance.version));
      this.table.put(instance);
      if (instance.capabilities !== capabilities) this.#transitions.changed(instance);
      this.#applyPause(instance);
      this.#offer(instance);
    }
  }

  removeAgent(ref: AgentRef): void {
    const agent = this.#agents.get(ref);
    this.#agents.delete(ref);
    this.registered.remove(ref);
    for (const instance of this.#instances.of(ref)) this.#end(instance, 'its agent was deleted');
    this.#transitions.history.forget(ref);
    if (agent !== undefined) this.#capabilities.forget(agent);
    for (const instance of this.#paused) if (instance.startsWith(`${ref}/`)) this.#paused.delete(instance);
  }

  restoreInstance(record: InstanceRecord): void {
    const agent = this.#agents.get(record.agent);
    const version = agent?.versions.get(record.version);
    if (agent === undefined || version === undefined || this.#instances.get(record.ref) !== undefined) return;
    const lease = this.#leaseClock.now(this.deps.clock.monotonic());
    const instance = new Instance(
      record,
      agent,
      version,
      this.#capabilities.of(agent, record.version),
      { name: 'SUSPECT', goneAt: Number.POSITIVE_INFINITY, observedUntil: null, drained: undefined },
      { health: 'UNKNOWN', reason: 'not heard since the server restarted' },
      new Date(this.deps.clock.wall()),
    );
    if (record.paused) this.#paused.add(record.ref);
    // It gets one lease to come back before anybody hears that it is offline; an endpoint gets as many probes as ever.
    if (record.endpoint === undefined) instance.leaseEndsAt = lease + instance.lease.heldTtlMs;
    this.#admit(instance);
    this.#transitions.changed(instance);
  }

  // --- joining and leaving -------------------------------------------------------------------------------------

  /**
   * Lets an instance join over a connection. Writes to the store only when what it reports differs from what is
   * stored, so that known agents come back while the database is away.
   * Throws what RegistrationStore.save and Rivals.challenge throw.
   *
   * @param endpoint set for an instance that is only an HTTP endpoint: then it stays PENDING until it was reached
   */
  async join(
    checked: CheckedRegistration,
    incarnation: string,
    link: Link,
    endpoint?: HttpEndpoint | undefined,
  ): Promise<Joined> {
    const { registration } = checked;
    const ref: AgentRef = `${registration.namespace}/${registration.agent}`;
    this.#challenge(instanceRef(ref, checked.instance), incarnation);
    const known = this.#agents.get(ref);
    const foreign = registration.enrolmentKeyId !== undefined && known?.enrolmentKeyId !== registration.enrolmentKeyId;
    if (foreign || known?.versions.get(registration.version)?.contentHash !== registration.contentHash) {
      this.putAgent(await this.#save(registration));
    }
    // Whoever was here before the store answered may be gone, and its name may be another's by now.
    if (!link.isOpen) throw new ReachError('CANCELLED', 'The connection closed while it registered.');
    const agent = this.#agents.get(ref);
    if (agent === undefined) throw new ReachError('NOT_FOUND', `The agent ${ref} was deleted while it registered.`);
    return this.#activate(checked, agent, incarnation, link, endpoint);
  }

  #save(registration: Registration): Promise<AgentRecord> {
    const { namespace, agent, version, contentHash, enrolmentKeyId } = registration;
    const key = `${namespace}/${agent} ${version} ${contentHash} ${enrolmentKeyId}`;
    let saving = this.#saving.get(key);
    if (saving === undefined) {
      saving = this.deps.store.save(registration).finally(() => this.#saving.delete(key));
      this.#saving.set(key, saving);
    }
    return saving;
  }

  #activate(
    checked: CheckedRegistration,
    agent: AgentRecord,
    incarnation: string,
    link: Link,
    endpoint: HttpEndpoint | undefined,
  ): Joined {
    const { clock, store } = this.deps;
    const ref = instanceRef(agent.ref, checked.instance);
    // Somebody may have come while the store was asked.
    this.#challenge(ref, incarnation);
    const previous = this.#instances.get(ref);
    const record: InstanceRecord = {
      ref,
      agent: agent.ref,
      name: checked.instance,
      incarnation,
      version: checked.registration.version,
      zone: checked.zone,
      settings: checked.settings,
      paused: this.#paused.has(ref),
      registeredAt: new Date(clock.wall()),
      endpoint,
    };
    const version = agent.versions.get(record.version);
    if (version === undefined) throw new ReachError('CONFLICT', `Version ${record.version} of ${agent.ref} is gone.`);
    const capabilities = this.#capabilities.of(agent, record.version);
    // An operator's drain is only over when the process is another one, or when the operator resumes it.
    const resumed = previous !== undefined && previous.record.incarnation === incarnation;
    if (resumed) {
      store.rememberInstance(record);
      previous.describe(record, agent, version, capabilities);
      // A descriptor says nothing about whether its endpoint lives; that is for its probes.
      if (endpoint === undefined) this.#registered(previous, link);
      this.table.put(previous);
      if (previous.state.name === 'SUSPECT' && endpoint === undefined) this.#comeBack(previous, previous.state.drained);
      else this.#transitions.changed(previous);
      this.#offer(previous);
      return { instance: previous, resumed, lease: previous.lease.times };
    }
    if (previous !== undefined) {
      this.rivals.replaced(previous);
      this.#end(previous, 'another incarnation took its place');
    }
    // After the old one was forgotten, since both have the same name in the store.
    store.rememberInstance(record);

    const instance = new Instance(
      record,
      agent,
      version,
      capabilities,
      endpoint === undefined ? this.#startup(checked.settings.startupGraceMs) : { name: 'PENDING' },
      endpoint === undefined
        ? { health: 'HEALTHY', reason: 'registered, in its startup grace' }
        : { health: 'OFFLINE', reason: 'registered, not reached yet' },
      new Date(clock.wall()),
    );
    instance.contestedSince = this.rivals.contestedSince(ref);
    if (endpoint === undefined) this.#registered(instance, link);
    this.#admit(instance);
    this.#transitions.begin(instance);
    this.#applyPause(instance);
    this.#offer(instance);
    return { instance, resumed, lease: instance.lease.times };
  }

  /** Whether another incarnation may take the place of whoever holds it. Throws what Rivals.challenge throws. */
  #challenge(ref: InstanceRef, incarnation: string): void {
    const incumbent = this.#instances.get(ref);
    if (incumbent !== undefined && incumbent.record.incarnation !== incarnation) {
      this.rivals.challenge(incumbent, incarnation);
    }
  }

  /** The instance says that it is ready before its grace is over. */
  ready(ref: InstanceRef, link: Link): void {
    const instance = this.#heldBy(ref, link);
    if (instance.state.name === 'STARTING') this.#becomeReady(instance, 'ready');
  }

  /**
   * Proof of life with load. Returns the lease to announce.
   * Throws NOT_REGISTERED, and creates nothing, when this connection holds no live lease of the instance.
   */
  heartbeat(ref: InstanceRef, link: Link, load: Omit<InstanceReport, 'instance'>): LeaseTimes {
    const instance = this.#heldBy(ref, link);
    this.#takeLoad(instance, load);
    const { inFlight, queueDepth } = load;
    if (inFlight !== undefined) this.deps.listener.reported(instance, { inFlight, queueDepth });
    const monotonic = this.deps.clock.monotonic();
    instance.lease.observe(instance.load, monotonic);
    const answer = instance.lease.reported(monotonic);
    this.#heard(instance, monotonic);
    return answer;
  }

  /** The instance asks to be drained, or leaves: `drain` then `goodbye`. */
  drainBySelf(ref: InstanceRef, link: Link, reason = 'the agent is draining', drainTimeoutMs?: number): void {
    this.#drain(this.#heldBy(ref, link), reason, ref, false, drainTimeoutMs);
  }

  goodbye(ref: InstanceRef, link: Link): void {
    this.#end(this.#heldBy(ref, link), 'said goodbye');
  }

  /** A closed connection ends the leases that it holds at once. Whatever a newer connection took over is untouched. */
  linkClosed(link: Link, refs: Iterable<InstanceRef>): void {
    for (const ref of refs) {
      const instance = this.#instances.get(ref);
      if (instance !== undefined && instance.link === link) this.#suspect(instance, 'connection closed');
    }
  }

  // --- endpoints -----------------------------------------------------------------------------------------------

  /** The instances that are only HTTP endpoints, whose life their probes tell. */
  endpoints(): Iterable<Instance> {
    return this.#endpoints;
  }

  /** How an instance last registered. */
  record(ref: InstanceRef): InstanceRecord | undefined {
    return this.#instances.get(ref)?.record;
  }

  /** The server reached the endpoint: it is alive, from the first time on verified, and its load is what it says now. */
  reached(instance: Instance, link: Link, { busy, pool, queueDepth }: LoadReport = {}): void {
    const { state, live } = instance;
    // The next sweep judges it.
    live.utilisation = busy === undefined && pool === undefined ? null : Math.max(busy ?? 0, pool ?? 0);
    live.queueDepth = queueDepth ?? 0;
    instance.lastHeard = this.deps.clock.monotonic();
    instance.verified = true;
    instance.link ??= link;
    if (state.name === 'SUSPECT') {
      this.#comeBack(instance, state.drained, 'its health path answers');
      this.deps.listener.answersAgain(instance);
    } else if (state.name === 'PENDING') {
      const { startupGraceMs } = instance.settings;
      const reason = 'its health path answered; in its startup grace';
      this.#transitions.to(instance, this.#startup(startupGraceMs), reason, { health: 'HEALTHY' });
      this.#applyPause(instance);
    } else if (live.health === 'OFFLINE') {
      // It was paused or drained before it was verified.
      this.#transitions.judge(instance, instance.loadHealth.state, instance.live.reason);
    } else return;
    this.#offer(instance);
  }

  /** What still keeps a PENDING endpoint from being verified. */
  notReached(instance: Instance, reason: string): void {
    if (instance.state.name !== 'PENDING' || instance.live.reason === reason) return;
    // On record once: it is asked every 2 s, and there may be many reasons in turn.
    if (instance.probes.failed > 1) this.#transitions.restate(instance, reason);
    else this.#transitions.judge(instance, 'OFFLINE', reason);
  }

  /** The endpoint's probes failed too often. It is kept until it is removed, since nobody else would register it again. */
  unreachable(instance: Instance, reason: string): void {
    this.#suspect(instance, reason);
  }

  /** Takes an endpoint out for good, since no process of its own says goodbye. NOT_FOUND when there is no such endpoint. */
  removeEndpoint(ref: InstanceRef, actor: string): InstanceView {
    const instance = this.#known(ref);
    if (!this.#endpoints.has(instance)) throw new ReachError('NOT_FOUND', `There is no HTTP endpoint ${ref}.`);
    this.#end(instance, `removed by ${actor}`, actor);
    // A paused one stays known to the store, but must not come back with a restart of the server.
    if (instance.paused) this.deps.store.rememberInstance({ ...instance.record, endpoint: undefined });
    return instance.view(this.deps.clock.monotonic());
  }

  // --- operators -----------------------------------------------------------------------------------------------

  drain(ref: InstanceRef, actor: string, reason: string): InstanceView {
    return this.#drain(this.#known(ref), reason === '' ? `drained by ${actor}` : reason, actor, true);
  }

  pause(ref: InstanceRef, actor: string, reason: string): InstanceView {
    const instance = this.#known(ref);
    this.#setPaused(instance, true);
    if (instance.state.name !== 'PAUSED' && instance.state.name !== 'SUSPECT') {
      this.#transitions.to(instance, { name: 'PAUSED' }, reason === '' ? `paused by ${actor}` : reason, { actor });
    }
    return instance.view(this.deps.clock.monotonic());
  }

  resume(ref: InstanceRef, actor: string): InstanceView {
    const instance = this.#known(ref);
    this.#setPaused(instance, false);
    if (instance.state.name === 'PAUSED' || instance.state.name === 'DRAINING') {
      this.#backInService(instance, `resumed by ${actor}`, actor);
      this.#applyPause(instance);
    } else if (instance.state.name === 'SUSPECT' && instance.state.drained !== undefined) {
      instance.state = { ...instance.state, drained: undefined };
      this.#transitions.restate(instance, `resumed by ${actor}, for when it is back`);
    }
    return instance.view(this.deps.clock.monotonic());
  }

  // --- time ----------------------------------------------------------------------------------------------------

  /** Judges leases and deadlines; the composition root calls it every SWEEP_MS. */
  sweep(): void {
    const monotonic = this.deps.clock.monotonic();
    this.#leaseClock.swept(monotonic);
    this.table.bindings.expire(monotonic);
    this.routes.refresh();
    this.rivals.sweep((ref) => this.#instances.get(ref));
    const lease = this.#leaseClock.now(monotonic);
    for (const instance of this.#instances.all()) {
      const { state } = instance;
      if (state.name === 'SUSPECT') {
        if (instance.live.health === 'UNKNOWN' && lease >= instance.leaseEndsAt) {
          this.#suspect(instance, 'did not come back after the server restarted');
        } else if (lease >= state.goneAt) this.#end(instance, 'not seen again');
        continue;
      }
      if (lease >= instance.leaseEndsAt) {
        const silent = (monotonic - (instance.lastHeard ?? monotonic)) / 1000;
        this.#suspect(instance, `no heartbeat for ${silent.toFixed(1)} s`);
      } else if (state.name === 'STARTING' && monotonic >= state.readyAt) {
        this.#becomeReady(instance, 'startup grace is over');
      } else if (state.name === 'DRAINING' && !state.byOperator && monotonic >= state.until) {
        this.#end(instance, 'drain timeout is over');
      } else this.#judgeLoad(instance);
      // Probes go on at their own interval.
      if (instance.record.endpoint === undefined && instance.lease.observe(instance.load, monotonic)) {
        this.deps.listener.leaseShortened(instance);
      }
    }
  }

  // --- views ---------------------------------------------------------------------------------------------------

  agents(): Iterable<AgentRecord> {
    return this.#agents.values();
  }

  agent(ref: AgentRef): AgentRecord | undefined {
    return this.#agents.get(ref);
  }

  instances(agent?: AgentRef): readonly InstanceView[] {
    const monotonic = this.deps.clock.monotonic();
    const instances = agent === undefined ? this.#instances.all() : this.#instances.of(agent);
    return Array.from(instances, (instance) => instance.view(monotonic));
  }

  instance(ref: InstanceRef): InstanceView | undefined {
    return this.#instances.get(ref)?.view(this.deps.clock.monotonic());
  }

  history(agent: AgentRef): readonly InstanceTransition[] {
    return this.#transitions.history.of(agent);
  }

  /** All incarnations that live now, for metrics and for the connections. */
  live(): Iterable<Instance> {
    return this.#instances.all();
  }

  // --- streams -------------------------------------------------------------------------------------------------

  /** Tells every subscriber where its stream is; the composition root calls it every CHECKPOINT_MS. */
  checkpoint(): void {
    for (const stream of [this.health, this.routes, this.registered]) stream.checkpoint();
  }

  /** Ends every stream, when the server stops. */
  closeStreams(): void {
    for (const stream of [this.health, this.routes, this.registered]) stream.close();
  }

  // --- steps ---------------------------------------------------------------------------------------------------

  #admit(instance: Instance): void {
    this.#instances.add(instance);
    if (instance.record.endpoint !== undefined) this.#endpoints.add(instance);
    this.table.put(instance);
  }

  #startup(graceMs: number): LifecycleState {
    return { name: 'STARTING', readyAt: this.deps.clock.monotonic() + graceMs };
  }

  /**
   * What it can do is found while somebody speaks for it, paused or draining too, as the lists of people show it; and
   * callers are told what is new about the way to it.
   */
  #offer(instance: Instance): void {
    this.lookup.follow(instance, instance.link !== undefined);
    this.routes.follow(instance);
  }

  #known(ref: InstanceRef): Instance {
    const instance = this.#instances.get(ref);
    if (instance === undefined) throw new ReachError('NOT_FOUND', `There is no instance ${ref}.`);
    return instance;
  }

  #heldBy(ref: InstanceRef, link: Link): Instance {
    const instance = this.#instances.get(ref);
    if (instance?.link !== link) {
      throw new ReachError('NOT_REGISTERED', `This connection holds no live lease of ${ref}; register again.`);
    }
    return instance;
  }

  #registered(instance: Instance, link: Link): void {
    const monotonic = this.deps.clock.monotonic();
    instance.link = link;
    instance.lease.registered(timesOf(instance.settings.lease), monotonic);
    this.#heard(instance, monotonic);
  }

  #heard(instance: Instance, monotonic: number): void {
    instance.lastHeard = monotonic;
    instance.leaseEndsAt = this.#leaseClock.now(monotonic) + instance.lease.heldTtlMs;
  }

  /** The same process is back after its connection or lease was lost. */
  #comeBack(instance: Instance, drained: DrainingState | undefined, reason = 'the same process is back'): void {
    if (drained === undefined) return this.#becomeReady(instance, reason);
    const until = this.deps.clock.monotonic() + instance.settings.drainTimeoutMs;
    this.#transitions.to(instance, { ...drained, until }, `${reason}, still draining`, {
      health: instance.loadHealth.state,
    });
    if (drained.byOperator) this.deps.listener.draining(instance, reason, instance.settings.drainTimeoutMs);
  }

  #becomeReady(instance: Instance, reason: string): void {
    this.#slowStarts.begin(instance);
    this.#transitions.to(instance, { name: 'READY' }, reason, { health: instance.loadHealth.state });
    this.#applyPause(instance);
  }

  #drain(
    instance: Instance,
    reason: string,
    actor: string,
    byOperator: boolean,
    drainTimeoutMs = instance.settings.drainTimeoutMs,
  ): InstanceView {
    const until = this.deps.clock.monotonic() + drainTimeoutMs;
    const draining: DrainingState = { name: 'DRAINING', until, byOperator };
    if (instance.state.name === 'SUSPECT') {
      instance.state = { ...instance.state, drained: draining };
      this.#transitions.restate(instance, `${reason}, for when it is back`);
    } else if (instance.state.name !== 'DRAINING') {
      this.#transitions.to(instance, draining, reason, { actor });
      if (byOperator) this.deps.listener.draining(instance, reason, drainTimeoutMs);
    }
    return instance.view(this.deps.clock.monotonic());
  }

  /** Follows the operator's pause of the instance or of its whole agent. */
  #applyPause(instance: Instance): void {
    const agentPaused = this.#agents.get(instance.agent)?.settings.paused ?? false;
    const paused = instance.paused || agentPaused;
    if (paused && (instance.state.name === 'READY' || instance.state.name === 'STARTING')) {
      this.#transitions.to(instance, { name: 'PAUSED' }, agentPaused ? 'its agent is paused' : 'paused by an operator');
    } else if (!paused && instance.state.name === 'PAUSED') {
      this.#backInService(instance, 'its agent was resumed');
    }
  }

  /** Nobody holds it back any more. What the server has not reached yet is still to be verified. */
  #backInService(instance: Instance, reason: string, actor = 'system'): void {
    if (instance.verified) this.#slowStarts.begin(instance);
    this.#transitions.to(instance, { name: instance.verified ? 'READY' : 'PENDING' }, reason, { actor });
  }

  #setPaused(instance: Instance, paused: boolean): void {
    if (paused) this.#paused.add(instance.ref);
    else this.#paused.delete(instance.ref);
    instance.paused = paused;
    instance.record = { ...instance.record, paused };
    this.deps.store.rememberInstance(instance.record);
  }

  /** The lease is lost: out of routing at once, kept for observation. */
  #suspect(instance: Instance, reason: string): void {
    const { clock } = this.deps;
    const keptMs = observationMs(timesOf(instance.settings.lease));
    const kept = this.#endpoints.has(instance)
      ? { goneAt: Number.POSITIVE_INFINITY, observedUntil: null }
      : {
          goneAt: this.#leaseClock.now(clock.monotonic()) + keptMs,
          observedUntil: new Date(clock.wall() + keptMs),
        };
    instance.link = undefined;
    instance.leaseEndsAt = Number.POSITIVE_INFINITY;
    instance.loadHealth.interrupt();
    const drained = instance.state.name === 'DRAINING' ? instance.state : undefined;
    const state: LifecycleState = { name: 'SUSPECT', ...kept, drained };
    if (instance.state.name === 'SUSPECT') {
      instance.state = state;
      this.#transitions.judge(instance, 'OFFLINE', reason);
    } else this.#transitions.to(instance, state, reason, { health: 'OFFLINE' });
    this.#offer(instance);
    this.deps.listener.lost(instance);
  }

  /** The incarnation is over: out of the table for good. */
  #end(instance: Instance, reason: string, actor = 'system'): void {
    instance.link = undefined;
    this.#endpoints.delete(instance);
    if (this.#instances.remove(instance)) {
      this.table.remove(instance.ref);
      // A paused one stays known, so that it can't shake the pause off by leaving.
      if (!instance.paused) this.deps.store.forgetInstance(instance.ref);
    }
    this.#transitions.to(instance, { name: 'GONE' }, reason, { health: 'OFFLINE', actor });
    this.#offer(instance);
    this.deps.listener.lost(instance);
  }

  #takeLoad(instance: Instance, { busy, pool, queueDepth }: LoadReport): void {
    const { live } = instance;
    if (queueDepth !== undefined) live.queueDepth = queueDepth;
    if (busy !== undefined || pool !== undefined) live.utilisation = Math.max(busy ?? 0, pool ?? 0);
    this.#judgeLoad(instance);
  }

  /** Asked with each report, and again as time passes. */
  #judgeLoad(instance: Instance): void {
    const monotonic = this.deps.clock.monotonic();
    const { live, loadHealth, loadNews } = instance;
    const judged = loadHealth.observe(live.utilisation ?? 0, monotonic);
    if (judged !== undefined) this.#transitions.judgeLoad(instance, judged.state, judged.reason);
    if (loadNews.isDue(live.utilisation, live.queueDepth, monotonic)) this.#transitions.figuresChanged(instance);
  }
}

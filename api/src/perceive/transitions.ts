import type { AuditRecorder, Health, InstanceHealth } from '@agent-reach/sdk/protocol';
import type { LiveCapability } from './capability.js';
import type { Clock } from './clock.js';
import type { Instance } from './instance.js';
import { type LifecycleState, mayBecome } from './lifecycle.js';
import type { LoadHealth } from './load-health.js';
import { type InstanceTransition, TransitionHistory } from './transition-history.js';
import { transitionRecord } from './transition-record.js';

/** How instances change state: the one place, so that each change is numbered, published and on record. */
export class Transitions {
  readonly history = new TransitionHistory();

  constructor(
    private readonly clock: Clock,
    private readonly audit: AuditRecorder,
    /** Tells subscribers what an instance is now. */
    private readonly publish: (instance: Instance) => void,
  ) {}

  /** The instance exists from now on. */
  begin(instance: Instance): void {
    this.changed(instance);
    this.#record(instance, undefined, instance.live.lifecycle);
  }

  /** To another state of its lifecycle. Throws when that step is not in the table of allowed ones. */
  to(
    instance: Instance,
    state: LifecycleState,
    reason: string,
    options: { readonly health?: Health; readonly actor?: string } = {},
  ): void {
    const before = instance.live.lifecycle;
    if (!mayBecome(before, state.name)) throw new Error(`${instance.ref} may not go from ${before} to ${state.name}`);
    instance.state = state;
    instance.live.lifecycle = state.name;
    instance.lifecycleReason = reason;
    if (options.health !== undefined) instance.live.health = options.health;
    instance.live.reason = withLoad(reason, instance.live.health, instance.loadHealth);
    this.changed(instance);
    this.#record(instance, before, state.name, options.actor);
  }

  /** To another health, its lifecycle staying. */
  judge(instance: Instance, health: Health, reason: string): void {
    const before = instance.live.health;
    instance.live.health = health;
    instance.live.reason = reason;
    this.changed(instance);
    this.#record(instance, before, health);
  }

  /** Its load asks for another health. An instance that is held back goes on saying why first. */
  judgeLoad(instance: Instance, health: Health, reason: string): void {
    const { lifecycle } = instance.live;
    const isHeld = lifecycle === 'DRAINING' || lifecycle === 'PAUSED';
    this.judge(instance, health, isHeld ? withLoad(instance.lifecycleReason, health, instance.loadHealth) : reason);
  }

  /** The same state, for another reason. */
  restate(instance: Instance, reason: string): void {
    instance.live.reason = reason;
    this.changed(instance);
  }

  /** Its state, or what it registered, has changed. */
  changed(instance: Instance): void {
    instance.changedAt = new Date(this.clock.wall());
    this.figuresChanged(instance);
  }

  /** Something else that subscribers see has changed: load and the like. */
  figuresChanged(instance: Instance): void {
    instance.changes++;
    this.publish(instance);
  }

  #record(
    instance: Instance,
    from: InstanceTransition['from'],
    to: InstanceTransition['to'],
    actor: string = 'system',
  ): void {
    const { lifecycle, health, reason } = instance.live;
    const { incarnation } = instance.record;
    const at = this.clock.wall();
    const transition = { at, instance: instance.ref, incarnation, from, to, lifecycle, health, reason, actor };
    this.history.add(instance.agent, transition);
    this.audit.record(transitionRecord(instance, transition));
  }
}

/** A reason, and beside it the load that makes the instance DEGRADED. */
function withLoad(reason: string, health: Health, load: LoadHealth): string {
  return health === 'DEGRADED' && load.reason !== '' ? `${reason}; ${load.reason}` : reason;
}

/** Shared by all states of all instances of a version. */
const names = new WeakMap<readonly LiveCapability[], readonly string[]>();

function namesOf(capabilities: readonly LiveCapability[]): readonly string[] {
  let known = names.get(capabilities);
  if (known === undefined) {
    known = capabilities.map(({ name }) => name);
    names.set(capabilities, known);
  }
  return known;
}

/** An instance as subscribers see it. */
export function healthOf(instance: Instance): InstanceHealth {
  const { live } = instance;
  return {
    instance: instance.ref,
    agent: instance.agent,
    incarnation: instance.record.incarnation,
    version: instance.changes,
    lifecycle: live.lifecycle,
    health: live.health,
    reason: live.reason,
    capabilities: namesOf(instance.capabilities),
    zone: instance.zone,
    inFlight: live.inFlight,
    queueDepth: live.queueDepth,
    utilisation: live.utilisation,
    changedAt: instance.changedAt.toISOString(),
  };
}

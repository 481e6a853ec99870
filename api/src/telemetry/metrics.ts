import { Counter, collectDefaultMetrics, Gauge, type Metric, Registry as PromRegistry } from 'prom-client';
import type { CallMetrics } from '../execute/calls/call-metrics.js';
import type { Instance } from '../perceive/instance.js';
import { LatencyHistogram } from './latency-histogram.js';

/** The histogram that execution observes at each ack; hand it to CallMetrics, then to createMetrics. */
export function ackLatencyHistogram(): LatencyHistogram {
  const buckets = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000];
  return new LatencyHistogram('reach_dispatch_latency_ms', 'Dispatch to ack, ms.', buckets);
}

export interface MetricSources {
  readonly ackLatency: LatencyHistogram;
  readonly calls: CallMetrics;
  readonly instances: () => Iterable<Instance>;
  /** Registrations that were refused because another live process holds the name. */
  readonly rivalsRefused: () => number;
  readonly openCalls: () => number;
  readonly runningAttempts: () => number;
  /** Calls that wait for room. */
  readonly waitingCalls: () => number;
  /** Accepted tasks that have not ended. */
  readonly openTasks: () => number;
  /** Writes of claims and tasks that wait for the database. */
  readonly waitingWrites: () => number;
  readonly connections: () => number;
  readonly audit: () => {
    readonly dropped: number;
    readonly bytesPending: number;
    readonly alarm: object | undefined;
    readonly chainFault: string | undefined;
  };
}

/**
 * What `/metrics` shows. The hot path only adds to plain numbers; they are read here, when somebody scrapes.
 */
export function createMetrics(sources: MetricSources): PromRegistry {
  const registry = new PromRegistry();
  const registers = [registry];
  const { calls } = sources;
  // A registry asks a metric for no more than its name and its values.
  registry.registerMetric(sources.ackLatency as unknown as Metric);
  collectDefaultMetrics({ register: registry, prefix: 'reach_process_' });

  counter(registers, 'reach_dispatch_total', 'Attempts handed to an instance.', () => calls.dispatchTotal);
  counter(registers, 'reach_ack_ok_total', 'Attempts that an instance accepted.', () => calls.ackOk);
  counter(registers, 'reach_ack_timeout_total', 'Attempts whose ack did not come in time.', () => calls.ackTimeout);
  counter(registers, 'reach_late_frames_total', 'Frames for attempts that had ended.', () => calls.lateFrames);
  counter(
    registers,
    'reach_foreign_frames_total',
    'Frames for attempts of another connection.',
    () => calls.foreignFrames,
  );
  counter(
    registers,
    'reach_in_flight_drift_total',
    'Places of instances that were counted wrongly, and corrected by what the instances reported.',
    () => calls.inFlightDrift,
  );
  counter(registers, 'reach_cache_hits_total', 'Calls answered from the cache.', () => calls.cacheHits);
  counter(
    registers,
    'reach_coalesced_calls_total',
    'Calls that waited for the answer of an equal one under way.',
    () => calls.coalesced,
  );
  counter(registers, 'reach_audit_dropped_total', 'Audit records lost at a full disk.', () => sources.audit().dropped);
  counter(
    registers,
    'reach_rival_registrations_total',
    'Registrations that were refused because another live process holds the name of the instance.',
    sources.rivalsRefused,
  );
  byOutcome(registers, 'reach_calls_total', 'Calls that ended, by outcome.', calls.calls);
  byOutcome(registers, 'reach_attempts_total', 'Attempts that ended, by outcome.', calls.dispatches);

  gauge(registers, 'reach_calls_open', 'Calls that have not ended.', sources.openCalls);
  gauge(registers, 'reach_attempts_running', 'Attempts that have not ended.', sources.runningAttempts);
  gauge(registers, 'reach_calls_waiting', 'Calls that wait for room.', sources.waitingCalls);
  gauge(registers, 'reach_tasks_open', 'Accepted tasks that have not ended.', sources.openTasks);
  gauge(
    registers,
    'reach_durable_writes_waiting',
    'Writes of claims and tasks that wait for Postgres.',
    sources.waitingWrites,
  );
  gauge(registers, 'reach_connections', 'Open connections at /reach.', sources.connections);
  gauge(
    registers,
    'reach_audit_pending_bytes',
    'Journal bytes not in Postgres yet.',
    () => sources.audit().bytesPending,
  );
  gauge(registers, 'reach_audit_losing', 'Whether audit records are being lost now: 1, else 0.', () =>
    sources.audit().alarm === undefined ? 0 : 1,
  );
  gauge(registers, 'reach_audit_chain_broken', 'Whether the audit lacks what was kept of its chain: 1, else 0.', () =>
    sources.audit().chainFault === undefined ? 0 : 1,
  );
  gauge(registers, 'reach_retry_amplification', 'Attempts per call that had one; 1 means no retries.', () =>
    calls.firstAttempts === 0 ? 1 : calls.dispatchTotal / calls.firstAttempts,
  );
  invalidResults(registers, calls);
  instanceGauges(registers, sources.instances);
  return registry;
}

function counter(registers: PromRegistry[], name: string, help: string, value: () => number): void {
  new Counter({
    name,
    help,
    registers,
    collect() {
      this.reset();
      this.inc(value());
    },
  });
}

function gauge(registers: PromRegistry[], name: string, help: string, value: () => number): void {
  new Gauge({
    name,
    help,
    registers,
    collect() {
      this.set(value());
    },
  });
}

function byOutcome(registers: PromRegistry[], name: string, help: string, counts: ReadonlyMap<string, number>): void {
  new Counter({
    name,
    help,
    registers,
    labelNames: ['outcome'],
    collect() {
      this.reset();
      for (const [outcome, count] of counts) this.inc({ outcome }, count);
    },
  });
}

function invalidResults(registers: PromRegistry[], { invalidResults: counts }: CallMetrics): void {
  new Counter({
    name: 'reach_invalid_results_total',
    help: 'Results that did not match the outputSchema, by version of the agent.',
    registers,
    labelNames: ['agent', 'version', 'capability'],
    collect() {
      this.reset();
      for (const [key, count] of counts) {
        const [agent = '', version = '', capability = ''] = key.split(' ');
        this.inc({ agent, version, capability }, count);
      }
    },
  });
}

function instanceGauges(registers: PromRegistry[], instances: () => Iterable<Instance>): void {
  new Gauge({
    name: 'reach_agent_queue_depth',
    help: 'Calls that the instances of an agent say they have queued.',
    registers,
    labelNames: ['agent'],
    collect() {
      this.reset();
      for (const instance of instances()) this.inc({ agent: instance.agent }, instance.live.queueDepth);
    },
  });
  new Gauge({
    name: 'reach_agent_in_flight',
    help: 'Attempts running on the instances of an agent.',
    registers,
    labelNames: ['agent'],
    collect() {
      this.reset();
      for (const instance of instances()) this.inc({ agent: instance.agent }, instance.live.inFlight);
    },
  });
  new Gauge({
    name: 'reach_agent_tasks',
    help: 'Tasks that the instances of an agent have accepted and not ended.',
    registers,
    labelNames: ['agent'],
    collect() {
      this.reset();
      for (const instance of instances()) this.inc({ agent: instance.agent }, instance.live.tasks);
    },
  });
  gauge(registers, 'reach_contested_instances', 'Instances whose name more than one live process wants.', () => {
    let contested = 0;
    for (const { contestedSince } of instances()) if (contestedSince !== undefined) contested++;
    return contested;
  });
  new Gauge({
    name: 'reach_instances',
    help: 'Instances by lifecycle and health.',
    registers,
    labelNames: ['lifecycle', 'health'],
    collect() {
      this.reset();
      for (const { live } of instances()) this.inc({ lifecycle: live.lifecycle, health: live.health });
    },
  });
}

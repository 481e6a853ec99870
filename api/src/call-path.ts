import { setTimeout as delay } from 'node:timers/promises';
import type { AuditRecorder } from '@agent-reach/sdk/protocol';
import { DeliveryByTransport } from './deliver/by-transport.js';
import { EgressGuard } from './deliver/egress.js';
import { HttpDelivery } from './deliver/http/delivery.js';
import { HttpProbe } from './deliver/http/probe.js';
import { callbackError } from './deliver/webhook-callback.js';
import { WebhookSender } from './deliver/webhooks.js';
import { WebSocketDelivery } from './deliver/websocket.js';
import type { LaterFrames } from './execute/attempts/delivery.js';
import { TICK_MS, TimingWheel } from './execute/attempts/timing-wheel.js';
import { Broadcasts } from './execute/broadcast/broadcasts.js';
import type { CallMetrics } from './execute/calls/call-metrics.js';
import { Executor } from './execute/executor.js';
import { paramsHasher } from './execute/idempotency/canonical.js';
import { Holds } from './execute/idempotency/hold.js';
import { ClaimRecovery } from './execute/idempotency/recovery.js';
import type { AttemptOutcomes, RecentCallsPort } from './execute/ports.js';
import { Router } from './execute/routing/router.js';
import { Tasks } from './execute/tasks/tasks.js';
import { Topology } from './execute/topology/topology.js';
import { openClaims } from './governance/claims/claims.js';
import { openTaskStorage } from './governance/tasks/tasks.js';
import type { Clock } from './perceive/clock.js';
import { EndpointWatch } from './perceive/endpoints/endpoint-watch.js';
import type { Instance } from './perceive/instance.js';
import type { RegistrationStore } from './perceive/ports.js';
import { Registry, SWEEP_MS } from './perceive/registry.js';
import { CHECKPOINT_MS } from './perceive/streams/stream-hub.js';
import type { Settings } from './settings.js';
import type { PrismaClient } from './storage/generated/client.js';
import type { Log } from './telemetry/log.js';
import { isLoopback } from './transport/origin.js';
import { permissionLink } from './transport/rule-link.js';

/** How often what is over its time is freed, and success rates are brought up to date, ms. */
const UPKEEP_MS = 5_000;
/** How often recalls that wait for an answer are looked at, ms. */
const RECOVERY_MS = 1_000;
/** How long writes of claims and tasks may take when the server stops, ms; what was not written is recalled later. */
const STORE_STOP_MS = 2_000;
/** How often it is looked whether all calls have ended, ms. */
const DRAIN_LOOK_MS = 20;

export interface CallPathDeps {
  readonly settings: Settings;
  readonly databaseUrl: string;
  readonly prisma: PrismaClient;
  readonly serverKey: Buffer;
  readonly clock: Clock;
  /** One life of this server, for streams. */
  readonly epoch: string;
  /** Its number: of two servers on one database, only the one with the higher number may write. */
  readonly nodeEpoch: bigint;
  readonly audit: AuditRecorder;
  readonly registrations: RegistrationStore;
  readonly recentCalls: RecentCallsPort;
  readonly metrics: CallMetrics;
  readonly outcomes: AttemptOutcomes;
  /** Brings buffered records into the journal's file before it returns. */
  readonly writeRecords: () => void;
  /** Told before each sweep. */
  readonly onSweep: (monotonic: number) => void;
  readonly log: Log;
}

export type CallPath = ReturnType<typeof createCallPath>;

/** Wires the way of a call: perceive says who exists, execute runs calls over it, deliver carries frames. */
export function createCallPath(deps: CallPathDeps) {
  const { settings, databaseUrl, prisma, serverKey, clock, epoch, nodeEpoch, audit, metrics, writeRecords, log } = deps;
  const onFault = (error: unknown) => log.error({ err: error }, 'a call met a fault of the server');
  const onFenced = () => log.error({}, 'another server took over this database: nothing durable is written any more');
  const wheel = new TimingWheel(clock.monotonic(), onFault);

  // Who exists.
  const registry: Registry = new Registry({
    clock,
    epoch,
    audit,
    store: deps.registrations,
    listener: {
      lost,
      draining: (instance, reason, drainTimeoutMs) => webSocket.drain(instance, reason, drainTimeoutMs),
      reported: (instance, report) => executor.attempts.reported(instance, report),
      leaseShortened: (instance) => webSocket.lease(instance),
      answersAgain: joined,
    },
  });

  // How frames reach them.
  const guard = new EgressGuard({ allow: settings.egressAllow, loopback: isLoopback(settings.host) });
  const webSocket = new WebSocketDelivery(() => executor.attempts);
  const http = new HttpDelivery({
    events: () => executor.attempts,
    guard,
    maxBytes: settings.maxFrameBytes,
    wall: () => clock.wall(),
  });
  const delivery = new DeliveryByTransport(webSocket, http);
  const probe = new HttpProbe(guard);
  const watch = new EndpointWatch({
    registry,
    probe,
    clock,
    random: Math.random,
    onDoubt: (inDoubt, failing, watched) =>
      log.warn({ inDoubt, failing, watched }, 'most HTTP endpoints fail at once: is this server cut off?'),
  });

  // What must survive this server.
  const durable = { databaseUrl, prisma, serverKey, epoch: nodeEpoch, onFenced, log };
  const claims = openClaims(durable);
  const stored = openTaskStorage({ ...durable, now: () => clock.wall(), onWebhookDue: () => webhooks.wake() });
  const recovery = new ClaimRecovery({ clock, store: claims.store, delivery, instances: registry.table, onFault });
  const webhooks = new WebhookSender({ outbox: stored.outbox, egress: guard, clock, wheel, log });
  const tasks: Tasks = new Tasks({
    clock,
    wheel,
    delivery,
    store: stored.store,
    reads: stored.reads,
    dispatcher: { dispatch: (task, taskEpoch, ended) => executor.dispatch(task, taskEpoch, ended) },
    instances: registry.table,
    audit,
    metrics,
    epoch,
    onFault,
    onOver: (dispatchId, instance, succeeded) => executor.taskOver(dispatchId, instance, succeeded),
  });

  const topology = new Topology({ clock, knows: (agent) => registry.agent(agent) !== undefined });

  // What runs calls.
  const router = new Router({
    clock,
    random: Math.random,
    registry,
    epoch,
    recentCalls: deps.recentCalls,
    needs: registry.lookup,
  });
  const executor: Executor = new Executor({
    clock,
    random: Math.random,
    wheel,
    registry,
    router,
    delivery,
    later: firstOf(tasks.runner, recovery),
    holds: new Holds({
      clock,
      claims: claims.store,
      tasks: stored.store,
      keeper: tasks.runner,
      onUnknown: (key, { instance, dispatchId }) =>
        recovery.unknown(key, { instance: instance.ref, incarnation: instance.record.incarnation, dispatchId }),
    }),
    recovery,
    audit: topology.counting(audit),
    onFault,
    writeRecords,
    metrics,
    outcomes: deps.outcomes,
    paramsHash: paramsHasher(serverKey),
    ruleLink: permissionLink(settings),
    callbackFault: (callback) => callbackError(guard, callback),
  });
  const broadcasts = new Broadcasts({
    clock,
    registry,
    router,
    calls: executor,
    limiter: executor.limiter,
    audit,
    writeRecords,
  });

  function lost(instance: Instance): void {
    executor.attempts.lost(instance);
    recovery.lost(instance);
    tasks.runner.lost(instance);
    http.forget(instance);
  }

  function joined(instance: Instance): void {
    recovery.joined(instance);
    tasks.runner.joined(instance);
  }

  let timers: NodeJS.Timeout[] = [];
  return {
    registry,
    guard,
    watch,
    router,
    executor,
    tasks,
    broadcasts,
    topology,
    /** An instance joined or came back, and knows it. */
    joined,
    /** Writes of claims and tasks that wait for the database. */
    waitingWrites: () => claims.store.status().waiting + stored.store.status().waiting,

    /** Takes up what earlier servers left; to be awaited before instances can join. */
    async start(): Promise<void> {
      await tasks.runner.start();
      void recovery.start();
      webhooks.wake();
      timers = [
        setInterval(() => wheel.advance(clock.monotonic()), TICK_MS),
        setInterval(() => {
          deps.onSweep(clock.monotonic());
          registry.sweep();
          watch.sweep();
        }, SWEEP_MS),
        setInterval(() => {
          registry.checkpoint();
          tasks.streams.checkpoint();
        }, CHECKPOINT_MS),
        setInterval(() => recovery.tick(), RECOVERY_MS),
        setInterval(() => {
          executor.expire();
          topology.expire();
          executor.attempts.refreshQuality(registry.live());
        }, UPKEEP_MS),
      ];
    },

    /** Lets calls that run finish, for so many ms at most; nobody new comes in meanwhile. */
    async drain(withinMs: number): Promise<void> {
      executor.stopAccepting();
      const until = clock.monotonic() + withinMs;
      while (executor.open > 0 && clock.monotonic() < until) await delay(DRAIN_LOOK_MS);
    },

    /** When every way in is closed. */
    async stop(): Promise<void> {
      for (const timer of timers) clearInterval(timer);
      await webhooks.stop();
      probe.stop();
      http.stop();
      await Promise.all([claims.close(STORE_STOP_MS), stored.close(STORE_STOP_MS)]);
      await guard.close();
    },
  };
}

/** Asks each in turn whether a frame is its own. */
function firstOf(...owners: readonly LaterFrames[]): LaterFrames {
  return {
    completed: (frame, link, bytes) => owners.some((owner) => owner.completed(frame, link, bytes)),
    faulty: (dispatchId, link, error) => owners.some((owner) => owner.faulty(dispatchId, link, error)),
    progressed: (frame, link) => owners.some((owner) => owner.progressed(frame, link)),
    recalled: (frame, link) => owners.some((owner) => owner.recalled(frame, link)),
  };
}

import 'reflect-metadata';
import { join } from 'node:path';
import type { Request } from 'express';
import { Tick } from './deliver/tick.js';
import { WebSocketDelivery } from './deliver/websocket.js';
import { TICK_MS, TimingWheel } from './execute/attempts/timing-wheel.js';
import { CallMetrics } from './execute/calls/call-metrics.js';
import { randomId } from './execute/calls/random-id.js';
import { Executor } from './execute/executor.js';
import { paramsHasher } from './execute/idempotency/canonical.js';
import { Router } from './execute/routing/router.js';
import { createGovernance } from './governance/governance.js';
import { systemClock } from './perceive/clock.js';
import { CHECKPOINT_MS } from './perceive/health-streams.js';
import { Registry, SWEEP_MS } from './perceive/registry.js';
import type { RunningServer, StartServer } from './startup/start-all.js';
import { DatabaseProbe } from './storage/database-health.js';
import { Journal } from './storage/journal.js';
import { openPrisma } from './storage/prisma.js';
import { openServerKey } from './storage/server-key.js';
import { loggedRecorder } from './telemetry/call-log.js';
import { healthReport, VERSION } from './telemetry/health-report.js';
import { HeartbeatDelay } from './telemetry/heartbeat-delay.js';
import { ackLatencyHistogram, createMetrics } from './telemetry/metrics.js';
import { graphqlTransport } from './transport/graphql/server.js';
import { HttpServer } from './transport/http-server.js';
import { cookiesCount, isLoopback, originVerdict } from './transport/origin.js';
import { ReachServer } from './transport/reach/server.js';
import { authRoutes } from './transport/rest/auth.routes.js';
import { callRoutes } from './transport/rest/call.routes.js';
import { restErrors } from './transport/rest/errors.js';
import { healthRoutes } from './transport/rest/health.routes.js';
import { permissionLink } from './transport/rule-link.js';

/** Calls under way at once from which on the server trades a moment of latency for fewer system calls. */
const BUSY_CALLS = 16;
/** How often what is over its time is freed, and success rates are brought up to date. */
const UPKEEP_MS = 5_000;

/** The composition root: the only place that knows all parts and wires them. */
export const startServer: StartServer = async ({ settings, databaseUrl, log }): Promise<RunningServer> => {
  const clock = systemClock;
  const epoch = randomId().slice(0, 12);
  const prisma = openPrisma(databaseUrl, {
    poolSize: settings.databasePool,
    onConnectionError: (error) => log.warn({ err: error }, 'a connection to Postgres was lost'),
  });
  const journal = Journal.open(join(settings.dataDir, 'journal'), {
    now: () => new Date(clock.wall()),
    flushedByOwner: true,
  });
  const busy = () => executor.open > BUSY_CALLS;
  const tick = new Tick(() => journal.flush(), busy);

  const governance = await createGovernance({
    busy,
    settings,
    prisma,
    databaseUrl,
    journal,
    clock,
    log,
    onRecord: () => tick.schedule(),
  });
  const audit = loggedRecorder(governance.recorder, log);
  const serverKey = openServerKey(settings.dataDir, settings.secretKey, governance.hadData);

  // The call path: perceive says who exists, execute runs calls over it, deliver carries frames.
  const ackLatency = ackLatencyHistogram();
  const callMetrics = new CallMetrics(ackLatency);
  const onFault = (error: unknown) => log.error({ err: error }, 'a call met a fault of the server');
  const wheel = new TimingWheel(clock.monotonic(), onFault);
  const registry: Registry = new Registry({
    clock,
    epoch,
    audit,
    store: governance.registrations,
    listener: {
      lost: (instance) => executor.attempts.lost(instance),
      draining: (instance, reason, drainTimeoutMs) => delivery.drain(instance, reason, drainTimeoutMs),
    },
  });
  const delivery = new WebSocketDelivery(() => executor.attempts);
  const router = new Router({
    clock,
    random: Math.random,
    registry,
    epoch,
    recentCalls: governance.recentCalls,
    needs: registry.lookup,
  });
  const executor: Executor = new Executor({
    clock,
    random: Math.random,
    wheel,
    registry,
    router,
    delivery,
    audit,
    onFault,
    writeRecords: () => journal.flush(),
    metrics: callMetrics,
    paramsHash: paramsHasher(serverKey),
    ruleLink: permissionLink(settings),
  });
  const services = await governance.connect(registry, executor, router);

  // The ways in.
  const { access, refusals } = governance;
  const reach = new ReachServer({
    access: access.authenticator,
    audit,
    registry,
    calls: executor,
    attempts: executor.attempts,
    epoch,
    serverVersion: VERSION,
    maxFrameBytes: settings.maxFrameBytes,
    clock,
    tick,
    onRefused: (code, address) => refusals.count(address, code),
    onFault: (error) => log.error({ err: error }, 'a frame failed by a fault of the server'),
  });
  const graphql = graphqlTransport({
    services,
    principalOf: access.principalOf(cookiesCount.bind(undefined, settings)),
    authenticate: (secret) => access.authenticator.authenticate(secret),
    onEnded: (listener) => access.ends.onEnded(listener),
    originVerdict: (request) => originVerdict(settings, request),
    recorder: audit,
    onRefused: (code, address) => refusals.count(address, code),
    log,
  });
  const probe = new DatabaseProbe({ databaseUrl, now: () => new Date(clock.wall()) });
  const delay = new HeartbeatDelay(SWEEP_MS);
  const metrics = createMetrics({
    ackLatency,
    calls: callMetrics,
    instances: () => registry.live(),
    openCalls: () => executor.open,
    runningAttempts: () => executor.attempts.running,
    connections: () => reach.connections,
    journal: () => journal.status(),
  });
  const http = new HttpServer({
    host: settings.host,
    port: settings.port,
    originAllowed: (request) => originVerdict(settings, request) !== 'FOREIGN',
    upgrades: {
      '/reach': (request, socket, head) => reach.handleUpgrade(request, socket, head),
      '/graphql': (request, socket, head) => graphql.handleUpgrade(request, socket, head),
    },
  });
  http.app.set('trust proxy', ['loopback', ...settings.trustedProxies]);
  http.app.use(
    healthRoutes({
      report: () =>
        healthReport({
          database: probe.health,
          journal: journal.status(),
          loader: governance.loader.status(),
          registry,
          delayMs: delay.latest,
        }),
      metrics,
      authenticate: (secret) => access.authenticator.authenticate(secret),
      openToThisMachine: isLoopback(settings.host),
    }),
    authRoutes({
      sessions: access.sessions,
      links: access.links,
      throttle: access.throttle,
      recorder: audit,
      fromOwnPage: (request: Request) => originVerdict(settings, request) === 'ALLOWED',
      addressOf: (request: Request) => request.ip ?? 'unknown',
      secureCookies: settings.publicUrl?.startsWith('https:') ?? false,
      onError: (error) => log.error({ err: error }, 'a sign-in failed by a fault of the server'),
    }),
    callRoutes({
      authenticate: (secret) => access.authenticator.authenticate(secret),
      calls: executor,
      registry,
      maxBytes: settings.maxFrameBytes,
      audit,
      wall: () => clock.wall(),
      onRefused: (code, address) => refusals.count(address, code),
    }),
  );
  await graphql.attach(http.app);
  http.app.use(restErrors(log));

  const timers = [
    setInterval(() => wheel.advance(clock.monotonic()), TICK_MS),
    setInterval(() => {
      delay.swept(clock.monotonic());
      registry.sweep();
    }, SWEEP_MS),
    setInterval(() => registry.health.checkpoint(), CHECKPOINT_MS),
    setInterval(() => {
      executor.expire();
      executor.attempts.refreshQuality(registry.live());
    }, UPKEEP_MS),
  ];
  const apiUrl = await http.listen();
  log.info({ apiUrl, epoch }, 'the API listens');

  return {
    apiUrl,
    signInLink: (consoleUrl) => access.firstSignInLink(consoleUrl),
    async stop() {
      // Calls that run may finish; nobody new comes in meanwhile.
      executor.stopAccepting();
      const until = clock.monotonic() + settings.stopTimeoutMs;
      const closed = http.close(settings.stopTimeoutMs);
      while (executor.open > 0 && clock.monotonic() < until) await pause();
      reach.stop();
      await graphql.stop();
      registry.health.close();
      await pause();
      reach.terminate();
      await closed;
      for (const timer of timers) clearInterval(timer);
      await probe.stop();
      await governance.stop();
      await prisma.$disconnect();
      journal.close();
    },
  };
};

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20));
}

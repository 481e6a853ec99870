import 'reflect-metadata';
import { join } from 'node:path';
import type { ErrorCode } from '@agent-reach/sdk/protocol';
import type { Request } from 'express';
import { type CallPath, createCallPath } from './call-path.js';
import { Tick } from './deliver/tick.js';
import { CallMetrics } from './execute/calls/call-metrics.js';
import { randomId } from './execute/calls/random-id.js';
import { gapRecord } from './governance/audit/audit.gap.js';
import { auditKeys } from './governance/audit/chain/chain.keys.js';
import { raiseNodeEpoch } from './governance/claims/node-epoch.js';
import { createGovernance, holdsData } from './governance/governance.js';
import { systemClock } from './perceive/clock.js';
import { SWEEP_MS } from './perceive/registry.js';
import type { RunningServer, StartServer } from './startup/start-all.js';
import { DatabaseProbe } from './storage/database-health.js';
import { Journal } from './storage/journal.js';
import { openPrisma } from './storage/prisma.js';
import { openServerKey } from './storage/server-key.js';
import { loggedRecorder } from './telemetry/call-log.js';
import { healthReport, VERSION } from './telemetry/health-report.js';
import { HeartbeatDelay } from './telemetry/heartbeat-delay.js';
import { ackLatencyHistogram, createMetrics } from './telemetry/metrics.js';
import { EndpointDesk } from './transport/endpoint-desk.js';
import { graphqlTransport } from './transport/graphql/server.js';
import { HttpServer } from './transport/http-server.js';
import { cookiesCount, isLoopback, originVerdict } from './transport/origin.js';
import { ReachServer } from './transport/reach/server.js';
import { agentRoutes } from './transport/rest/agent.routes.js';
import { authRoutes } from './transport/rest/auth.routes.js';
import { broadcastRoutes } from './transport/rest/broadcast.routes.js';
import { callRoutes } from './transport/rest/call.routes.js';
import { dispatchRoutes } from './transport/rest/dispatch.routes.js';
import { noSuchRoute, restErrors } from './transport/rest/errors.js';
import { healthRoutes } from './transport/rest/health.routes.js';
import { taskRoutes } from './transport/rest/task.routes.js';

/** Calls under way at once from which on the server trades a moment of latency for fewer system calls. */
const BUSY_CALLS = 16;

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
    gapRecord: (alarm) => gapRecord(alarm, clock.wall()),
    onAlarm: (alarm) => log.error(alarm, 'audit entries are lost: the journal cannot be written'),
    onRecovered: (alarm) => log.info(alarm, 'the journal can be written again'),
  });
  const busy = () => path.executor.open > BUSY_CALLS;
  const tick = new Tick(() => journal.flush(), busy);

  const serverKey = openServerKey(settings.dataDir, settings.secretKey, await holdsData(prisma));
  const governance = await createGovernance({
    busy,
    settings,
    prisma,
    databaseUrl,
    journal,
    auditKeys: auditKeys(serverKey),
    clock,
    log,
    onRecord: () => tick.schedule(),
  });
  const audit = loggedRecorder(governance.recorder, log);

  const ackLatency = ackLatencyHistogram();
  const callMetrics = new CallMetrics(ackLatency);
  const delay = new HeartbeatDelay(SWEEP_MS);
  const path: CallPath = createCallPath({
    settings,
    databaseUrl,
    prisma,
    serverKey,
    clock,
    epoch,
    nodeEpoch: await raiseNodeEpoch(prisma),
    audit,
    registrations: governance.registrations,
    recentCalls: governance.recentCalls,
    metrics: callMetrics,
    outcomes: governance.trials,
    writeRecords: () => journal.flush(),
    onSweep: (monotonic) => delay.swept(monotonic),
    log,
  });
  const { registry, executor, tasks, broadcasts, topology } = path;
  const owned = await governance.connect(registry, executor, path.router);
  const endpoints = new EndpointDesk({
    registry,
    watch: path.watch,
    guard: path.guard,
    agents: owned.agents,
    newId: randomId,
  });
  const services = { ...owned, endpoints, broadcasts, tasks, topology };
  await path.start();

  // The ways in.
  const { access, refusals } = governance;
  const reach = new ReachServer({
    access: access.authenticator,
    audit,
    registry,
    calls: executor,
    broadcasts,
    tasks,
    attempts: executor.attempts,
    onJoined: path.joined,
    epoch,
    serverVersion: VERSION,
    maxFrameBytes: settings.maxFrameBytes,
    networkRecoveryMs: settings.networkRecoveryMs,
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
  const metrics = createMetrics({
    ackLatency,
    calls: callMetrics,
    instances: () => registry.live(),
    rivalsRefused: () => registry.rivals.refused,
    openCalls: () => executor.open,
    runningAttempts: () => executor.attempts.running,
    waitingCalls: () => executor.waiting,
    openTasks: () => tasks.runner.open,
    waitingWrites: path.waitingWrites,
    connections: () => reach.connections,
    audit: governance.auditHealth,
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
  const programs = {
    authenticate: (secret: string) => access.authenticator.authenticate(secret),
    registry,
    maxBytes: settings.maxFrameBytes,
    audit,
    wall: () => clock.wall(),
    onRefused: (code: ErrorCode, address: string) => refusals.count(address, code),
  };
  http.app.set('trust proxy', ['loopback', ...settings.trustedProxies]);
  http.app.use(
    healthRoutes({
      report: () =>
        healthReport({
          database: probe.health,
          endpoints: path.watch.status(),
          audit: governance.auditHealth(),
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
    callRoutes({ ...programs, calls: executor }),
    broadcastRoutes({ ...programs, broadcasts }),
    taskRoutes({ ...programs, tasks }),
    dispatchRoutes({ ...programs, reports: tasks.reports(executor.attempts) }),
    agentRoutes({ ...programs, endpoints }),
  );
  http.app.use('/v1', noSuchRoute);
  await graphql.attach(http.app);
  http.app.use(restErrors(log));

  const apiUrl = await http.listen();
  log.info({ apiUrl, epoch }, 'the API listens');

  return {
    apiUrl,
    signInLink: (consoleUrl) => access.firstSignInLink(consoleUrl),
    async stop() {
      const closed = http.close(settings.stopTimeoutMs);
      await path.drain(settings.stopTimeoutMs);
      reach.stop();
      await graphql.stop();
      registry.closeStreams();
      tasks.streams.close();
      await pause();
      reach.terminate();
      await closed;
      await path.stop();
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

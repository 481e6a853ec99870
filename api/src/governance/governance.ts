import { setTimeout as delay } from 'node:timers/promises';
import type { AuditRecorder } from '@agent-reach/sdk/protocol';
import type { CallPort, ExplainPort } from '../execute/ports.js';
import type { Clock } from '../perceive/clock.js';
import type { RegistrationStore } from '../perceive/ports.js';
import type { Registry } from '../perceive/registry.js';
import type { Settings } from '../settings.js';
import type { PrismaClient } from '../storage/generated/client.js';
import type { Journal } from '../storage/journal.js';
import type { Log } from '../telemetry/log.js';
import { type Access, createAccess } from './access/access.js';
import { AgentService } from './agents/agent.service.js';
import { AgentStore } from './agents/agent.store.js';
import { AgentRegistrations } from './agents/agents.registration.js';
import { InstanceWriter } from './agents/instance-writer.js';
import { LoaderConnection } from './audit/audit.connection.js';
import { AuditFeed } from './audit/audit.feed.js';
import { auditHealth } from './audit/audit.health.js';
import { createIntegrity } from './audit/audit.integrity.js';
import { AuditLoader } from './audit/audit.loader.js';
import { JournalRecorder } from './audit/audit.recorder.js';
import { AuditStore } from './audit/audit.store.js';
import type { AuditKeys } from './audit/chain/chain.keys.js';
import { RefusalSums } from './audit/refusal-sums.js';
import { CanaryBook } from './canary/canary.book.js';
import { CanaryJudge, JUDGE_MS } from './canary/canary.judge.js';
import { CanaryStore } from './canary/canary.store.js';
import { Trials } from './canary/trials.js';
import { Changes } from './changes.js';
import { type LoadedKind, RouteTableLoader } from './load.js';
import { NamespaceService } from './namespaces/namespace.service.js';
import { NamespaceStore } from './namespaces/namespace.store.js';
import { PermissionService } from './permissions/permission.service.js';
import { PermissionStore } from './permissions/permission.store.js';
import { RuleBook } from './permissions/rule-book.js';
import { createPolicies } from './policies/policies.js';
import { RecentCalls } from './policies/recent-calls.js';

/** How long the loader may go on when the server stops, ms; what stays in the journal is loaded at the next start. */
const LOADER_STOP_MS = 2_000;
/** How often recorded calls that are too old are freed, ms; calls do it too, so that this counts when there are none. */
const RECENT_CALLS_MS = 60_000;
/** A day of tries, one every two seconds. */
const READ_TRIES = 43_200;
const READ_PAUSE_MS = 2_000;

/** Bytes of the journal that may wait for Postgres while calls are many; beyond them it is loaded at its usual pace. */
const JOURNAL_MAY_WAIT = 64 * 1024 * 1024;

export interface GovernanceDeps {
  /** Whether many calls are under way. */
  readonly busy: () => boolean;
  readonly settings: Settings;
  readonly prisma: PrismaClient;
  /** The same database, for what goes past Prisma. */
  readonly databaseUrl: string;
  readonly journal: Journal;
  /** What the audit's chain is made with. */
  readonly auditKeys: AuditKeys;
  readonly clock: Clock;
  readonly log: Log;
  /** There is something to write to the journal before this turn of the event loop ends. */
  readonly onRecord: () => void;
}

/** Whether an earlier run left data in this database. */
export async function holdsData(prisma: Pick<PrismaClient, 'auditHead'>): Promise<boolean> {
  return (await prisma.auditHead.findFirst())?.sequence !== 0n;
}

export type Governance = Awaited<ReturnType<typeof createGovernance>>;

/** Wires the features that own durable data: access, audit, agents, namespaces, permissions, policies. */
export async function createGovernance(deps: GovernanceDeps) {
  const { busy, settings, prisma, databaseUrl, journal, auditKeys, clock, log, onRecord } = deps;
  const auditKey = auditKeys.current;
  const now = () => clock.wall();
  const onError = (message: string) => (error: unknown) => log.error({ err: error }, message);
  const changes = new Changes(prisma, { now, auditKey, onListenerError: onError('a listener of changes failed') });

  const auditStore = new AuditStore(prisma);
  const auditFeed = new AuditFeed({ store: auditStore, onError: onError('the audit feed could not read') });
  const loaderConnection = new LoaderConnection(databaseUrl);
  const loader = new AuditLoader({
    busy: () => busy() && journal.status().bytesPending < JOURNAL_MAY_WAIT,
    journal,
    database: loaderConnection,
    auditKey,
    log,
    now,
    onCommitted: (committed) => auditFeed.committed(committed),
  });
  const recorder: AuditRecorder = new JournalRecorder(journal, () => {
    onRecord();
    loader.wake();
  });
  const integrity = await createIntegrity({ prisma, settings, auditKey, recorder, now: () => new Date(now()), log });
  const refusals = new RefusalSums(recorder, { now });
  const access: Access = await createAccess({ settings, prisma, changes, now, log });

  const agents = new AgentStore(prisma);
  const instances = new InstanceWriter({ prisma, onError: onError('an instance could not be remembered') });
  const registrations: RegistrationStore = new AgentRegistrations(agents, changes, instances, now);

  const recentCalls = new RecentCalls();
  const trials = new Trials();
  let judging: NodeJS.Timeout | undefined;
  const freeing = setInterval(() => recentCalls.expire(now()), RECENT_CALLS_MS);

  const health = () => auditHealth(journal.status(), loader.status(), integrity.fault());

  return {
    /** What the executor records calls in, so that drafts of policies can be tried on them. */
    recentCalls,
    /** What the executor tells how attempts went, so that new versions can be judged by them. */
    trials,
    recorder,
    refusals,
    auditHealth: health,
    access,
    registrations,

    /** Loads everything into the route table and keeps it current; answers what the resolvers call. */
    async connect(registry: Registry, calls: CallPort, explain: ExplainPort) {
      const rules = new RuleBook(registry);
      const permissions = new PermissionStore(prisma);
      const namespaces = new NamespaceStore(prisma);
      const canaryBook = new CanaryBook(registry);
      const policies = createPolicies({ prisma, changes, registry, recentCalls, now });
      const table = new RouteTableLoader({
        feed: registry,
        registry,
        agents,
        permissions,
        policies: policies.store,
        namespaces,
        rules,
        policyBook: policies.book,
        canaryBook,
      });
      await table.loadAll();
      changes.onCommitted(({ entry }) =>
        auditFeed.committed({ first: entry.sequence, last: entry.sequence, entries: () => [entry] }),
      );
      changes.onUncertain(() => {
        const kinds: LoadedKind[] = ['permissions', 'policies', 'canaries', 'agents'];
        for (const kind of kinds)
          void readAgain(() => table.reload(kind), onError('the configuration could not be read'));
      });
      const canaries = new CanaryJudge({
        clock,
        registry,
        feed: registry,
        book: canaryBook,
        trials,
        store: new CanaryStore(agents, changes),
        log,
      });
      judging = setInterval(() => void canaries.look(), JUDGE_MS);
      loader.start();
      integrity.start();
      refusals.start();
      return {
        registry,
        control: registry,
        health: registry.health,
        registered: registry.registered,
        calls,
        explain,
        namespaces: new NamespaceService(namespaces, changes, canaryBook, now),
        agents: new AgentService(agents, changes, registry, rules, trials, now),
        canaries,
        policies,
        permissions: new PermissionService(permissions, changes, rules, now),
        rules,
        tokens: access.tokens,
        enrolmentKeys: access.enrolmentKeys,
        audit: auditStore,
        auditFeed,
        auditHealth: health,
        now,
      };
    },

    /** Writes what is still in memory and stops. */
    async stop(): Promise<void> {
      clearInterval(freeing);
      clearInterval(judging);
      refusals.close();
      auditFeed.close();
      await instances.close();
      await access.close();
      journal.flush();
      await loader.stop(LOADER_STOP_MS);
      await integrity.stop();
      await loaderConnection.close();
    },
  };
}

/** The database is mostly still away when a commit's answer was lost, so reading is tried until it succeeds. */
async function readAgain(read: () => Promise<void>, onError: (error: unknown) => void): Promise<void> {
  for (let tries = 0; tries < READ_TRIES; tries++) {
    try {
      return await read();
    } catch (error) {
      onError(error);
      await delay(READ_PAUSE_MS);
    }
  }
}

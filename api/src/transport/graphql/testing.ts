import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AuditRecord, RegisterFrame } from '@agent-reach/sdk/protocol';
import express from 'express';
import { EgressGuard } from '../../deliver/egress.js';
import type { BroadcastOutcome, CallerContext, CallOutcome, CallRequest, ExplainPort } from '../../execute/ports.js';
import { Topology } from '../../execute/topology/topology.js';
import { Authenticator } from '../../governance/access/authenticator.js';
import { PrismaCredentialStore } from '../../governance/access/credential.store.js';
import { CredentialEnds } from '../../governance/access/credential-ends.js';
import { EnrolmentKeys } from '../../governance/access/enrolment-keys.js';
import type { Principal, Role } from '../../governance/access/principal.js';
import { createPrincipalOf } from '../../governance/access/principal-of.js';
import { Tokens } from '../../governance/access/tokens.js';
import { AgentService } from '../../governance/agents/agent.service.js';
import { AgentStore } from '../../governance/agents/agent.store.js';
import { AgentRegistrations } from '../../governance/agents/agents.registration.js';
import { InstanceWriter } from '../../governance/agents/instance-writer.js';
import { AuditFeed } from '../../governance/audit/audit.feed.js';
import type { AuditHealth } from '../../governance/audit/audit.health.js';
import { AuditStore } from '../../governance/audit/audit.store.js';
import { CanaryBook } from '../../governance/canary/canary.book.js';
import { CanaryJudge } from '../../governance/canary/canary.judge.js';
import { CanaryStore } from '../../governance/canary/canary.store.js';
import { Trials } from '../../governance/canary/trials.js';
import { Changes } from '../../governance/changes.js';
import { RouteTableLoader } from '../../governance/load.js';
import { NamespaceService } from '../../governance/namespaces/namespace.service.js';
import { NamespaceStore } from '../../governance/namespaces/namespace.store.js';
import { PermissionService } from '../../governance/permissions/permission.service.js';
import { PermissionStore } from '../../governance/permissions/permission.store.js';
import { RuleBook } from '../../governance/permissions/rule-book.js';
import { createPolicies, type Policies } from '../../governance/policies/policies.js';
import { RecentCalls } from '../../governance/policies/recent-calls.js';
import type { Replays } from '../../governance/policies/replay.js';
import { systemClock } from '../../perceive/clock.js';
import type { Link } from '../../perceive/instance.js';
import { checkRegistration } from '../../perceive/registration.js';
import { Registry } from '../../perceive/registry.js';
import { registerFrame } from '../../perceive/testing.js';
import { openTestDatabase, type TestDatabase } from '../../storage/testing.js';
import { EndpointDesk } from '../endpoint-desk.js';
import type { OriginVerdict } from '../origin.js';
import { FakeTaskDesk } from '../task-desk.fake.js';
import type { ErrorLog } from './errors.js';
import type { SocketLimits } from './limits/limits.js';
import { type GraphqlTransport, graphqlTransport } from './server.js';
import { type Answer, type AnswerError, completed, gathered } from './testing-answers.js';

export const ADMIN_TOKEN = 'the-admin-token-of-the-tests-0123456789';
export const OWN_ORIGIN = 'http://127.0.0.1:3000';

export interface GraphqlTestOptions {
  readonly socketLimits?: SocketLimits;
  readonly replays?: Replays;
}

/** The GraphQL way in on real parts: Postgres, governance, perceive, express and sockets. Calls end where a test says. */
export class GraphqlTestServer {
  readonly database: TestDatabase;
  readonly ends = new CredentialEnds();
  readonly logged: { readonly details: object; readonly message: string }[] = [];
  readonly called: { readonly request: CallRequest; readonly caller: CallerContext }[] = [];
  /** How calls end. */
  outcome: (request: CallRequest) => CallOutcome | Promise<CallOutcome> = completed;
  /** What broadcasts gather. */
  gather: (request: CallRequest) => BroadcastOutcome = gathered;
  readonly tasks = new FakeTaskDesk();
  /** Refusals of the authenticated, and codes of those who were turned away before. */
  readonly refused: AuditRecord[] = [];
  readonly turnedAway: string[] = [];
  /** What is said of the audit. */
  auditHealth: AuditHealth = {
    alarm: undefined,
    dropped: 0,
    bytesPending: 0,
    loaderFailure: undefined,
    chainFault: undefined,
  };
  /** Hears of each read of agents' tokens. */
  tokensRead: (uids: readonly string[]) => void = () => {};
  readonly registry: Registry;
  readonly authenticator: Authenticator;
  readonly instances: InstanceWriter;
  readonly registrations: AgentRegistrations;
  readonly loader: RouteTableLoader;
  readonly rules: RuleBook;
  readonly changes: Changes;
  readonly recentCalls = new RecentCalls();
  /** Who called whom; tests tell it of calls. */
  readonly topology = new Topology({ clock: systemClock, knows: (agent) => this.registry.agent(agent) !== undefined });
  readonly policies: Policies;
  readonly trials = new Trials();
  readonly canaries: CanaryJudge;
  /** How calls are explained. */
  explain: ExplainPort['explain'] = () => {
    throw new Error('a secret of the server');
  };
  readonly #tokens: Tokens;
  readonly #feed: AuditFeed;
  readonly #transport: GraphqlTransport;
  readonly #http: Server;
  #url = '';

  static async open(options: GraphqlTestOptions = {}): Promise<GraphqlTestServer> {
    const server = new GraphqlTestServer(await openTestDatabase(), options);
    await server.#start();
    return server;
  }

  private constructor(database: TestDatabase, { socketLimits, replays }: GraphqlTestOptions) {
    const { prisma } = database;
    this.database = database;
    this.changes = new Changes(prisma);
    const agentStore = new AgentStore(prisma);
    this.instances = new InstanceWriter({ prisma });
    this.registrations = new AgentRegistrations(agentStore, this.changes, this.instances);
    this.registry = new Registry({
      clock: systemClock,
      epoch: 'e1',
      store: this.registrations,
      audit: { record: () => {} },
      listener: {
        lost: () => {},
        draining: () => {},
        reported: () => {},
        leaseShortened: () => {},
        answersAgain: () => {},
      },
    });
    this.rules = new RuleBook(this.registry);
    const permissionStore = new PermissionStore(prisma);
    const namespaces = new NamespaceStore(prisma);
    const canaryBook = new CanaryBook(this.registry);
    this.canaries = new CanaryJudge({
      clock: systemClock,
      registry: this.registry,
      feed: this.registry,
      book: canaryBook,
      trials: this.trials,
      store: new CanaryStore(agentStore, this.changes),
      log: { info: () => {}, warn: () => {}, error: (details: object) => this.logged.push({ details, message: '' }) },
    });
    this.policies = createPolicies({
      prisma,
      changes: this.changes,
      registry: this.registry,
      recentCalls: this.recentCalls,
      now: Date.now,
      ...(replays === undefined ? {} : { replays }),
    });
    this.loader = new RouteTableLoader({
      feed: this.registry,
      registry: this.registry,
      agents: agentStore,
      permissions: permissionStore,
      policies: this.policies.store,
      rules: this.rules,
      policyBook: this.policies.book,
      namespaces,
      canaryBook,
    });
    this.authenticator = new Authenticator({
      store: new PrismaCredentialStore(prisma),
      ends: this.ends,
      presets: [{ name: 'admin-token', secret: ADMIN_TOKEN }],
    });
    const agents = new AgentService(agentStore, this.changes, this.registry, this.rules, this.trials);
    const audit = new AuditStore(prisma);
    this.#feed = new AuditFeed({ store: audit });
    this.changes.onCommitted((change) => {
      this.authenticator.changed(change);
      const { entry } = change;
      this.#feed.committed({ first: entry.sequence, last: entry.sequence, entries: () => [entry] });
    });
    this.#tokens = new Tokens(prisma, this.changes);
    const log: ErrorLog = { error: (details, message) => this.logged.push({ details, message }) };
    this.#transport = graphqlTransport({
      services: {
        registry: this.registry,
        control: this.registry,
        endpoints: new EndpointDesk({
          registry: this.registry,
          // Tests of this way in look at what is registered; that nothing answers there is not their matter.
          watch: { ask: () => Promise.resolve() },
          guard: new EgressGuard({ allow: [], loopback: true }),
          agents,
          newId: randomUUID,
        }),
        health: this.registry.health,
        registered: this.registry.registered,
        calls: {
          call: async (request, caller) => {
            this.called.push({ request, caller });
            return this.outcome(request);
          },
        },
        broadcasts: {
          broadcast: async (request, caller) => {
            this.called.push({ request, caller });
            return this.gather(request);
          },
        },
        tasks: this.tasks,
        explain: { explain: (...args) => this.explain(...args) },
        topology: this.topology,
        namespaces: new NamespaceService(namespaces, this.changes, canaryBook),
        agents,
        canaries: this.canaries,
        policies: this.policies,
        permissions: new PermissionService(permissionStore, this.changes, this.rules),
        rules: this.rules,
        tokens: {
          issue: (...args) => this.#tokens.issue(...args),
          revoke: (...args) => this.#tokens.revoke(...args),
          page: (...args) => this.#tokens.page(...args),
          ofAgents: (uids) => {
            this.tokensRead(uids);
            return this.#tokens.ofAgents(uids);
          },
        },
        enrolmentKeys: new EnrolmentKeys(prisma, this.changes),
        audit,
        auditFeed: this.#feed,
        auditHealth: () => this.auditHealth,
        now: Date.now,
      },
      principalOf: createPrincipalOf({
        authenticator: this.authenticator,
        sessions: { principalOfSession: async () => undefined },
        cookiesCount: () => false,
      }),
      authenticate: (secret) => this.authenticator.authenticate(secret),
      onEnded: (listener) => this.ends.onEnded(listener),
      originVerdict,
      recorder: { record: (entry) => this.refused.push(entry) },
      onRefused: (code) => this.turnedAway.push(code),
      log,
      ...(socketLimits === undefined ? {} : { socketLimits }),
    });
    const app = express();
    this.#http = createServer(app);
    this.#http.on('upgrade', (req, socket, head) => this.#transport.handleUpgrade(req, socket, head));
    this.#attach = () => this.#transport.attach(app);
  }

  readonly #attach: () => Promise<void>;

  async #start(): Promise<void> {
    await this.#attach();
    await this.loader.loadAll();
    await new Promise<void>((resolve) => this.#http.listen(0, '127.0.0.1', resolve));
    this.#url = `127.0.0.1:${(this.#http.address() as AddressInfo).port}/graphql`;
  }

  get httpUrl(): string {
    return `http://${this.#url}`;
  }

  get wsUrl(): string {
    return `ws://${this.#url}`;
  }

  /** Sends a raw request. */
  async post(body: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const response = await fetch(this.httpUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });
    const answer = (await response.json()) as {
      data?: Record<string, unknown> | null;
      errors?: readonly AnswerError[];
    };
    return { status: response.status, headers: response.headers, data: answer.data, errors: answer.errors ?? [] };
  }

  run(query: string, variables?: Readonly<Record<string, unknown>>, token = ADMIN_TOKEN): Promise<Answer> {
    return this.post(JSON.stringify({ query, variables }), { authorization: `Bearer ${token}` });
  }

  /** Runs an operation that must succeed, and answers its one root field. */
  async ask<T>(query: string, variables?: Readonly<Record<string, unknown>>, token = ADMIN_TOKEN): Promise<T> {
    const { data, errors } = await this.run(query, variables, token);
    if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('; '));
    const [value] = Object.values(data ?? {});
    return value as T;
  }

  /** Runs an operation that must fail, and answers its first error. */
  async fail(query: string, variables?: Readonly<Record<string, unknown>>, token = ADMIN_TOKEN): Promise<AnswerError> {
    const { errors, data } = await this.run(query, variables, token);
    const [error] = errors;
    if (error === undefined) throw new Error(`did not fail: ${JSON.stringify(data)}`);
    return error;
  }

  async namespace(id: string): Promise<void> {
    await this.ask(`mutation { createNamespace(input: { id: "${id}" }) { id } }`);
  }

  /** A program's token with a role in one namespace. */
  async appToken(namespace: string, role: Role, name = role.toLowerCase()): Promise<{ id: string; secret: string }> {
    const { token, secret } = await this.#tokens.issue(this.#admin, { namespace, kind: 'APP', name, role });
    return { id: token.id, secret };
  }

  /** Lets an instance of an existing agent join and become READY. */
  async join(
    ref: string,
    frame: Partial<RegisterFrame> = {},
    link: Link = { id: 'link', isOpen: true },
  ): Promise<void> {
    const [namespace = '', agent = ''] = ref.split('/');
    const checked = checkRegistration(registerFrame(frame), {
      namespace,
      agent,
      actor: `agent:${ref}`,
      enrolmentKeyId: undefined,
    });
    const { instance } = await this.registry.join(checked, 'incarnation-1', link);
    this.registry.ready(instance.ref, link);
  }

  /** Actions in audit, oldest first, without those that made the scene. */
  async audited(action: string): Promise<{ actor: string; target: string; namespace: string; details: unknown }[]> {
    const rows = await this.database.prisma.auditEntry.findMany({ where: { action }, orderBy: { sequence: 'asc' } });
    return rows.map(({ actor, target, namespaceId, details }) => ({ actor, target, namespace: namespaceId, details }));
  }

  async close(): Promise<void> {
    await this.#transport.stop();
    this.#feed.close();
    this.registry.closeStreams();
    await this.instances.close();
    await this.authenticator.close();
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
    await this.database.close();
  }

  get #admin(): Principal {
    return {
      caller: 'app:default/admin-token',
      kind: 'APP',
      name: 'admin-token',
      namespace: undefined,
      roles: [{ namespace: null, role: 'ADMIN' }],
      scope: { all: true },
      agent: undefined,
      credential: { kind: 'ADMIN_TOKEN', id: 'admin-token', expiresAt: undefined },
    };
  }
}

function originVerdict({ headers }: { readonly headers: { readonly origin?: string | undefined } }): OriginVerdict {
  if (headers.origin === undefined) return 'ABSENT';
  return headers.origin === OWN_ORIGIN ? 'ALLOWED' : 'FOREIGN';
}

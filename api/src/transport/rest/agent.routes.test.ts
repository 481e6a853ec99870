import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AuditRecord, ReachError } from '@agent-reach/sdk/protocol';
import express from 'express';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EgressGuard } from '../../deliver/egress.js';
import { HttpProbe } from '../../deliver/http/probe.js';
import { TestEndpoint } from '../../deliver/http/testing.js';
import type { Principal } from '../../governance/access/principal.js';
import { EndpointWatch } from '../../perceive/endpoints/endpoint-watch.js';
import { TestRegistry } from '../../perceive/testing.js';
import { EndpointDesk } from '../endpoint-desk.js';
import { agentRoutes } from './agent.routes.js';
import { restErrors } from './errors.js';

const shop = { all: false, namespaces: new Set(['shop']) } as const;
const app: Principal = {
  caller: 'app:shop/deploy',
  kind: 'APP',
  name: 'deploy',
  namespace: 'shop',
  roles: [{ namespace: 'shop', role: 'OPERATOR' }],
  scope: shop,
  agent: undefined,
  credential: { kind: 'APP_TOKEN', id: 't1', expiresAt: undefined },
};
const TOKENS: Readonly<Record<string, Principal>> = {
  orders: {
    ...app,
    caller: 'agent:shop/orders',
    kind: 'AGENT',
    roles: [],
    agent: { uid: 'u', ref: 'shop/orders' },
    credential: { ...app.credential, kind: 'AGENT_TOKEN' },
  },
  deploy: app,
  viewer: { ...app, caller: 'app:shop/viewer', roles: [{ namespace: 'shop', role: 'VIEWER' }] },
  key: { ...app, caller: 'app:shop/key', roles: [], credential: { ...app.credential, kind: 'ENROLMENT_KEY' } },
  admin: {
    ...app,
    caller: 'user:admin',
    kind: 'USER',
    namespace: undefined,
    roles: [{ namespace: null, role: 'ADMIN' }],
    scope: { all: true },
  },
};

let t: TestRegistry;
let http: Server;
let endpoint: TestEndpoint;
let audit: AuditRecord[];
let created: string[];
let stop: () => void;

beforeEach(async () => {
  t = new TestRegistry();
  [audit, created] = [[], []];
  endpoint = await TestEndpoint.start((_seen, response) => response.end('{"ok":true}'));
  const guard = new EgressGuard({ allow: [], loopback: true });
  const probe = new HttpProbe(guard);
  const { registry, clock } = t;
  const watch = new EndpointWatch({ registry, probe, clock, random: () => 0.5, onDoubt: () => {} });
  let ids = 0;
  const routes = agentRoutes({
    endpoints: new EndpointDesk({
      registry,
      watch,
      guard,
      newId: () => `id-${++ids}`,
      agents: {
        create: async ({ caller }, { namespace, id, type }) => {
          created.push(`${caller} ${namespace}/${id} ${type}`);
          throw new ReachError('CONFLICT', 'Somebody else was faster.');
        },
      },
    }),
    authenticate: async (secret) => {
      const found = TOKENS[secret];
      if (found === undefined) throw new ReachError('UNAUTHENTICATED', 'The token is not valid.');
      return found;
    },
    audit: { record: (entry) => audit.push(entry) },
    wall: () => 1_000,
    onRefused: () => {},
    maxBytes: 65_536,
  });
  http = createServer(express().use(routes, restErrors({ error: () => {} })));
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  stop = () => probe.stop();
});
afterEach(async () => {
  stop();
  endpoint.stop();
  await new Promise((resolve) => http.close(resolve));
});

async function ask(method: string, path: string, token: string, body?: unknown) {
  const { port } = http.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const answer = (await response.json()) as { error?: { code: string; fields?: { path: string }[] } };
  const { error } = answer;
  if (error === undefined) return [response.status, answer];
  return [response.status, error.code, ...(error.fields ?? []).map((field) => field.path)];
}

function descriptor(overrides: object = {}, of: object = {}) {
  return {
    version: '1.0.0',
    agentType: 'shop.orders',
    capabilities: [
      {
        name: 'order_query',
        description: 'Use it to look up one order by its number; answers the order with its status.',
        inputSchema: { type: 'object', properties: { id: { type: 'string' } } },
      },
    ],
    endpoint: { url: `${endpoint.url}/orders`, ...of },
    ...overrides,
  };
}

describe('POST /v1/agents', () => {
  it('registers an endpoint and says whether it was reached', async () => {
    expect(await ask('POST', '/v1/agents', 'orders', descriptor())).toEqual([
      201,
      {
        agent: 'shop/orders',
        instance: 'endpoint',
        lifecycle: 'STARTING',
        reason: 'its health path answered; in its startup grace',
      },
    ]);
    expect(endpoint.seen.map(({ request }) => `${request.method} ${request.url}`)).toEqual(['GET /health']);
    expect(t.registry.record('shop/orders/endpoint')).toMatchObject({
      incarnation: 'id-1',
      settings: { maxConcurrency: 5, maxTasks: 2 },
      endpoint: {
        url: `${endpoint.url}/orders`,
        healthPath: '/health',
        encoding: 'JSON',
        probeIntervalMs: 10_000,
        probeTimeoutMs: 2_000,
      },
    });
  });

  it.each([
    [404, '/health answered with status 404'],
    [302, '/health answered with a redirect (302), which is not followed'],
  ])('keeps one that answers %i to its probe PENDING, with the reason', async (status, reason) => {
    endpoint.answer = (_seen, response) => response.writeHead(status, { location: '/ok' }).end();
    expect(await ask('POST', '/v1/agents', 'orders', descriptor())).toMatchObject([
      201,
      { lifecycle: 'PENDING', reason: `not reached yet: ${reason}` },
    ]);
  });

  it('keeps one that does not answer in time PENDING', async () => {
    endpoint.answer = () => {};
    expect(await ask('POST', '/v1/agents', 'orders', descriptor({}, { probeTimeoutMs: 100 }))).toMatchObject([
      201,
      { lifecycle: 'PENDING', reason: 'not reached yet: /health did not answer within 100 ms' },
    ]);
  });

  it('keeps one where nobody listens PENDING', async () => {
    endpoint.stop();
    const [status, answer] = await ask('POST', '/v1/agents', 'orders', descriptor());
    expect([status, answer]).toMatchObject([
      201,
      {
        lifecycle: 'PENDING',
        reason: expect.stringMatching(/^not reached yet: \/health can't be reached: .*ECONNREFUSED/),
      },
    ]);
  });

  it('names every faulty field at once', async () => {
    const faulty = descriptor({ maxConcurrency: 0, version: 'no spaces' }, { url: 'http://169.254.169.254/latest' });
    const [capability] = faulty.capabilities;
    const body = { ...faulty, capabilities: [{ ...capability, headers: ['x-tenant', 'Host', 'reach-caller'] }] };
    expect(await ask('POST', '/v1/agents', 'orders', body)).toEqual([
      400,
      'INVALID_REGISTRATION',
      'endpoint.url',
      'capabilities.0.headers.1',
      'capabilities.0.headers.2',
      'version',
      'maxConcurrency',
    ]);
    expect(t.registry.instances()).toEqual([]);
    expect(audit).toMatchObject([
      { kind: 'REFUSAL', action: 'refusal.INVALID_REGISTRATION', actor: 'agent:shop/orders', target: '/v1/agents' },
    ]);
  });

  it('names faults of shape and of value at once, each field once', async () => {
    const body = {
      version: 7,
      agentType: 'Shop Orders',
      maxConcurrency: 0,
      surprise: true,
      capabilities: [
        { name: 7, description: 'query', mode: 'LATER', inputSchema: { type: 'strin' } },
        { name: 'order/query', description: 8, tags: 'none', inputSchema: { type: 'object' }, headers: ['host'] },
      ],
      endpoint: { url: 'http://169.254.169.254/' },
    };
    expect(await ask('POST', '/v1/agents', 'orders', body)).toEqual([
      400,
      'INVALID_REGISTRATION',
      'version',
      'capabilities.0.name',
      'capabilities.1.description',
      'capabilities.1.tags',
      'surprise',
      'endpoint.url',
      'capabilities.1.headers.0',
      'agentType',
      'maxConcurrency',
      'capabilities.0.description',
      'capabilities.0.mode',
      'capabilities.0.inputSchema.type',
      'capabilities.1.name',
    ]);
  });

  it('lists the fields that a descriptor has when it knows one not', async () => {
    const { port } = http.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}/v1/agents`, {
      method: 'POST',
      headers: { authorization: 'Bearer orders' },
      body: JSON.stringify(descriptor({ endpont: {} })),
    });
    const { error } = (await response.json()) as { error: { fields: { path: string; allowed: string }[] } };
    expect(error.fields).toEqual([
      {
        path: 'endpont',
        got: 'an unknown field',
        allowed:
          'agent, instance, version, agentType, kind, description, owner, labels, zone, capabilities, lease, ' +
          'startupGraceMs, maxConcurrency, maxQueue, maxTasks, drainTimeoutMs, endpoint, namespace',
      },
    ]);
  });

  it.each([
    [{ endpoint: undefined }, ['endpoint']],
    [{ endpoint: { url: 7, healthPath: 'health', more: 1 } }, ['endpoint.url', 'endpoint.healthPath', 'endpoint.more']],
    [{ endpoint: { url: 'http://x/', healthPath: '/a\r\nb' } }, ['endpoint.healthPath']],
    [{ endpoint: { url: 'http://x/', probeIntervalMs: 1_000, probeTimeoutMs: 2_000 } }, ['endpoint.probeTimeoutMs']],
    [{ endpoint: { url: 'http://x/', probeIntervalMs: 60_000, probeTimeoutMs: 10_001 } }, ['endpoint.probeTimeoutMs']],
    [{ endpoint: { url: 'ftp://x/' } }, ['endpoint.url']],
    [
      { capabilities: [{ name: 'x', headers: 'host' }] },
      ['capabilities.0.headers', 'capabilities.0.description', 'capabilities.0.inputSchema'],
    ],
    [{ capabilities: 'none', surprise: 1 }, ['capabilities', 'surprise']],
  ])('refuses %j', async (overrides, paths) => {
    const [status, code, ...found] = await ask('POST', '/v1/agents', 'orders', descriptor(overrides));
    expect([status, code, found]).toEqual([400, 'INVALID_REGISTRATION', paths]);
  });

  it('refuses what is no JSON object', async () => {
    expect(await ask('POST', '/v1/agents', 'orders', '{')).toEqual([400, 'INVALID_INPUT', '$']);
    expect((await ask('POST', '/v1/agents', 'orders', '[]')).slice(0, 2)).toEqual([400, 'INVALID_REGISTRATION']);
  });

  it('is for the agent itself, for keys, and for those who may change agents', async () => {
    expect(await ask('POST', '/v1/agents', 'nobody', descriptor())).toEqual([401, 'UNAUTHENTICATED']);
    expect(await ask('POST', '/v1/agents', 'orders', descriptor({ agent: 'bills' }))).toEqual([403, 'DENIED', 'agent']);
    expect(await ask('POST', '/v1/agents', 'viewer', descriptor({ agent: 'orders' }))).toEqual([403, 'DENIED']);
    expect(await ask('POST', '/v1/agents', 'deploy', descriptor())).toEqual([400, 'INVALID_REGISTRATION', 'agent']);
    const elsewhere = { agent: 'orders', namespace: 'bank' };
    expect(await ask('POST', '/v1/agents', 'deploy', descriptor(elsewhere))).toEqual([404, 'NOT_FOUND']);
    expect((await ask('POST', '/v1/agents', 'deploy', descriptor({ agent: 'orders' })))[0]).toBe(201);
    expect((await ask('POST', '/v1/agents', 'key', descriptor({ agent: 'bills' })))[0]).toBe(201);
    expect((await ask('POST', '/v1/agents', 'admin', descriptor({ agent: 'mail', namespace: 'shop' })))[0]).toBe(201);
    expect(t.store.saved.map(({ agent, actor, enrolmentKeyId }) => [agent, actor, enrolmentKeyId])).toEqual([
      ['orders', 'app:shop/deploy', undefined],
      ['bills', 'app:shop/key', 't1'],
      ['mail', 'user:admin', undefined],
    ]);
    expect(created).toEqual(['app:shop/deploy shop/orders shop.orders', 'user:admin shop/mail shop.orders']);
  });
});

describe('DELETE /v1/agents/:agent/instances/:instance', () => {
  it('takes an endpoint out', async () => {
    await ask('POST', '/v1/agents', 'orders', descriptor());
    expect(await ask('DELETE', '/v1/agents/orders/instances/endpoint', 'orders')).toEqual([
      200,
      { agent: 'shop/orders', instance: 'endpoint', lifecycle: 'GONE', reason: 'removed by agent:shop/orders' },
    ]);
    expect(await ask('DELETE', '/v1/agents/orders/instances/endpoint', 'orders')).toEqual([404, 'NOT_FOUND']);
  });

  it('is for the same as registration, and for nothing but endpoints', async () => {
    await ask('POST', '/v1/agents', 'orders', descriptor());
    await t.ready({ instance: 'socket' });
    expect(await ask('DELETE', '/v1/agents/orders/instances/endpoint', 'viewer')).toEqual([403, 'DENIED']);
    expect(await ask('DELETE', '/v1/agents/orders/instances/endpoint', 'key')).toEqual([403, 'DENIED']);
    expect(await ask('DELETE', '/v1/agents/orders/instances/socket', 'orders')).toEqual([404, 'NOT_FOUND']);
    const path = '/v1/agents/orders/instances/endpoint';
    expect(await ask('DELETE', path, 'admin')).toEqual([400, 'INVALID_INPUT', 'namespace']);
    expect((await ask('DELETE', `${path}?namespace=shop`, 'admin'))[0]).toBe(200);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GraphqlTestServer } from './testing.js';

let server: GraphqlTestServer;

beforeAll(async () => {
  server = await GraphqlTestServer.open();
  await server.namespace('shop');
});
afterAll(() => server.close());

const REGISTER = `mutation ($agent: String!, $descriptor: JSON!) {
  registerEndpoint(agent: $agent, descriptor: $descriptor) { ref agent lifecycle reason transport maxConcurrency }
}`;
const REMOVE = 'mutation ($instance: String!) { removeEndpoint(instance: $instance) { ref lifecycle } }';

const descriptor = (overrides: object = {}) => ({
  version: '1.0.0',
  agentType: 'shop.bills',
  capabilities: [],
  endpoint: { url: 'http://127.0.0.1:9/' },
  ...overrides,
});

describe('an HTTP endpoint', () => {
  it('is registered with its agent, and survives a restart', async () => {
    expect(await server.ask(REGISTER, { agent: 'shop/bills', descriptor: descriptor() })).toEqual({
      ref: 'shop/bills/endpoint',
      agent: 'shop/bills',
      lifecycle: 'PENDING',
      reason: 'registered, not reached yet',
      transport: 'HTTP',
      maxConcurrency: 5,
    });
    expect(await server.audited('agent.create')).toMatchObject([{ target: 'shop/bills' }]);
    await server.instances.flush();
    const stored = await server.database.prisma.instance.findMany({ select: { name: true, endpoints: true } });
    expect(stored).toEqual([
      {
        name: 'endpoint',
        endpoints: [
          {
            url: 'http://127.0.0.1:9/',
            healthPath: '/health',
            encoding: 'JSON',
            probeIntervalMs: 10_000,
            probeTimeoutMs: 2_000,
          },
        ],
      },
    ]);
  });

  it('shows its address without what may be secret in it, its probes, and its history', async () => {
    const endpoint = { url: 'http://127.0.0.1:9/in?key=s3cret', healthPath: '/up?key=s3cret', probeTimeoutMs: 500 };
    await server.ask(REGISTER, { agent: 'shop/secretive', descriptor: descriptor({ endpoint }) });
    const found = await server.ask(`{ agent(ref: "shop/secretive") {
      instances { endpoint {
        url healthPath encoding probeIntervalMs probeTimeoutMs goodProbes failedProbes probeFailure
      } }
      history { instance from to lifecycle health reason actor }
    } }`);
    expect(found).toEqual({
      instances: [
        {
          endpoint: {
            url: 'http://127.0.0.1:9/in',
            healthPath: '/up',
            encoding: 'JSON',
            probeIntervalMs: 10_000,
            probeTimeoutMs: 500,
            goodProbes: 0,
            failedProbes: 0,
            probeFailure: '',
          },
        },
      ],
      history: [
        {
          instance: 'shop/secretive/endpoint',
          from: null,
          to: 'PENDING',
          lifecycle: 'PENDING',
          health: 'OFFLINE',
          reason: 'registered, not reached yet',
          actor: 'system',
        },
      ],
    });
    await server.ask(REMOVE, { instance: 'shop/secretive/endpoint' });
  });

  it('with a fault names its fields, and creates nothing', async () => {
    const faulty = descriptor({ endpoint: { url: 'http://169.254.169.254/' }, version: '' });
    const { extensions } = await server.fail(REGISTER, { agent: 'shop/none', descriptor: faulty });
    expect(extensions).toMatchObject({
      code: 'INVALID_REGISTRATION',
      fields: [{ path: 'endpoint.url', got: '169.254.169.254' }, { path: 'version' }],
    });
    expect((await server.fail(REGISTER, { agent: 'shop/none', descriptor: 7 })).extensions).toMatchObject({
      code: 'INVALID_INPUT',
    });
    expect(server.registry.agent('shop/none')).toBeUndefined();
  });

  it('can be removed, and then is not known', async () => {
    await server.ask(REGISTER, { agent: 'shop/bills', descriptor: descriptor() });
    expect(await server.ask(REMOVE, { instance: 'shop/bills/endpoint' })).toEqual({
      ref: 'shop/bills/endpoint',
      lifecycle: 'GONE',
    });
    for (const instance of ['shop/bills/endpoint', 'shop/bills', 'shop/bills/a/b', 'elsewhere/a/b', '']) {
      expect((await server.fail(REMOVE, { instance })).extensions).toMatchObject({ code: 'NOT_FOUND' });
    }
  });
});

import { setImmediate } from 'node:timers/promises';
import { ReachError } from '@agent-reach/sdk/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { EgressGuard, type EgressOptions } from '../deliver/egress.js';
import { HttpProbe } from '../deliver/http/probe.js';
import { TestEndpoint } from '../deliver/http/testing.js';
import { INNER_ADDRESSES, NEVER_ADDRESSES } from '../deliver/testing-addresses.js';
import type { Principal } from '../governance/access/principal.js';
import { EndpointWatch } from '../perceive/endpoints/endpoint-watch.js';
import { TestRegistry } from '../perceive/testing.js';
import { EndpointDesk } from './endpoint-desk.js';

const AGENT: Principal = {
  caller: 'agent:shop/orders',
  kind: 'AGENT',
  name: 'orders',
  namespace: 'shop',
  roles: [],
  scope: { all: false, namespaces: new Set(['shop']) },
  agent: { uid: 'u', ref: 'shop/orders' },
  credential: { kind: 'AGENT_TOKEN', id: 't', expiresAt: undefined },
};

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** Registration with a real guard and real probes, in a world of names that a test makes up. */
class Registering {
  readonly t = new TestRegistry();
  readonly names = new Map<string, string>();
  readonly watch: EndpointWatch;
  readonly desk: EndpointDesk;

  constructor(options: Partial<EgressOptions> = {}) {
    const guard = new EgressGuard({
      allow: [],
      loopback: false,
      resolve: async (host) => {
        const address = this.names.get(host);
        if (address === undefined) throw new Error(`getaddrinfo ENOTFOUND ${host}`);
        return [{ address, family: 4 }];
      },
      ...options,
    });
    const probe = new HttpProbe(guard);
    stops.push(() => probe.stop());
    const { registry, clock } = this.t;
    this.watch = new EndpointWatch({ registry, probe, clock, random: () => 0.5, onDoubt: () => {} });
    const agents = { create: () => Promise.reject(new Error('an agent with a token is there')) };
    this.desk = new EndpointDesk({ registry, watch: this.watch, guard, agents, newId: () => 'id-1' });
  }

  async register(url: string) {
    const descriptor = { version: '1.0.0', agentType: 'shop.orders', capabilities: [], endpoint: { url } };
    try {
      const { lifecycle, reason } = await this.desk.register(AGENT, descriptor, JSON.stringify(descriptor));
      return { lifecycle, reason };
    } catch (error) {
      if (!(error instanceof ReachError)) throw error;
      return { code: error.code, fields: error.fields };
    }
  }
}

describe('at registration an endpoint', () => {
  it.each(INNER_ADDRESSES)('at %s is refused with the field and the setting', async (url) => {
    const r = new Registering();
    expect(await r.register(url)).toMatchObject({
      code: 'INVALID_REGISTRATION',
      fields: [
        {
          path: 'endpoint.url',
          allowed: 'a public address, or a private one that the setting REACH_EGRESS_ALLOW lists',
        },
      ],
    });
    expect(r.t.registry.instances()).toEqual([]);
  });

  it.each(NEVER_ADDRESSES)('at %s is refused whatever is allowed', async (url) => {
    const r = new Registering({ allow: ['0.0.0.0/0', '::/0'], loopback: true });
    expect(await r.register(url)).toMatchObject({
      code: 'INVALID_REGISTRATION',
      fields: [{ path: 'endpoint.url', allowed: expect.stringContaining('REACH_EGRESS_ALLOW included') }],
    });
    expect(r.t.registry.instances()).toEqual([]);
  });

  it.each(['127.0.0.1', '10.0.0.7', '169.254.169.254', '0.0.0.0'])(
    'whose name means %s is refused',
    async (address) => {
      const r = new Registering();
      r.names.set('agent.test', address);
      expect(await r.register('https://agent.test/orders')).toMatchObject({
        fields: [{ path: 'endpoint.url', got: `agent.test, which is ${address}` }],
      });
    },
  );
});

describe('at each connection an endpoint', () => {
  it('whose name means something else by now is not reached, and says why', async () => {
    const agent = await TestEndpoint.start();
    stops.push(() => agent.stop());
    const answers = ['93.184.216.34', '127.0.0.1'];
    const rebound = new Registering({
      resolve: async () => [{ address: answers.shift() ?? '127.0.0.1', family: 4 }],
    });
    const { port } = new URL(agent.url);
    expect(await rebound.register(`http://agent.test:${port}/`)).toEqual({
      lifecycle: 'PENDING',
      reason:
        "not reached yet: /health can't be reached: endpoint.url: got agent.test, which is 127.0.0.1, allowed: a public address, or a private one that the setting REACH_EGRESS_ALLOW lists.",
    });
    expect(agent.connections).toBe(0);
    expect(await new Registering().register('http://nobody.test/')).toEqual({
      lifecycle: 'PENDING',
      reason: "not reached yet: /health can't be reached: getaddrinfo ENOTFOUND nobody.test",
    });
  });

  it('that was registered while a setting allowed it is not reached once it no longer does', async () => {
    const agent = await TestEndpoint.start();
    stops.push(() => agent.stop());
    const before = new Registering({ loopback: true });
    await before.register(agent.url);
    const record = before.t.registry.record('shop/orders/endpoint');
    const known = before.t.registry.agent('shop/orders');
    if (record === undefined || known === undefined) throw new Error('it is registered');

    const after = new Registering();
    after.t.registry.putAgent(known);
    after.t.registry.restoreInstance(record);
    const { connections } = agent;
    for (let probes = 0; probes < 3; probes++) {
      after.watch.sweep();
      await setImmediate();
      after.t.pass(10_250);
    }
    expect(after.t.registry.instance('shop/orders/endpoint')).toMatchObject({
      lifecycle: 'SUSPECT',
      health: 'OFFLINE',
      reason: expect.stringMatching(
        /^3 probes failed: .*endpoint\.url: got 127\.0\.0\.1, allowed: .*REACH_EGRESS_ALLOW/,
      ),
    });
    expect(agent.connections).toBe(connections);
  });
});

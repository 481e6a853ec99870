import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { auditUntil } from '../support/audit.js';
import { type RunningServer, startServer } from '../support/server.js';
import { joinOrders, openShop, ordersFrame, type Shop } from '../support/shop.js';
import { WireClient } from '../support/wire-client.js';

let server: RunningServer;
let shop: Shop;
beforeAll(async () => {
  server = await startServer();
  shop = await openShop(server);
});
afterAll(() => server.stop());

const ONE = 'default/orders/one';

async function lifecycle(ref: string): Promise<string | undefined> {
  return (await lifecycles()).get(ref);
}

async function lifecycles(): Promise<ReadonlyMap<string, string>> {
  const { instances } = await server.graphql<{ instances: { nodes: { ref: string; lifecycle: string }[] } }>(
    '{ instances(first: 200) { nodes { ref lifecycle } } }',
  );
  return new Map(instances.nodes.map((node) => [node.ref, node.lifecycle]));
}

describe('hello', () => {
  it('with a wrong token is answered by UNAUTHENTICATED and closed with 4401', async () => {
    const client = await WireClient.connect(server.apiUrl);
    client.send({ type: 'hello', protocol: 1, token: 'rch_agent_wrong', incarnation: 'inc-12345' });
    expect((await client.next('error')).error).toMatchObject({ code: 'UNAUTHENTICATED', retryable: false });
    expect((await client.closed).code).toBe(4401);
  });

  it('without a token closes with 4400 and names the field', async () => {
    const client = await WireClient.connect(server.apiUrl);
    client.raw('{"type":"hello","protocol":1,"incarnation":"inc-12345"}');
    expect(await client.closed).toMatchObject({
      code: 4400,
      reason: 'hello: token: got nothing, allowed: a string of 1 to 512 characters.',
    });
  });

  it('must come first', async () => {
    const client = await WireClient.connect(server.apiUrl);
    client.send({ type: 'ready', instance: ONE });
    expect(await client.closed).toEqual({ code: 4401, reason: 'the first frame must be hello' });
  });

  it('of another protocol version closes with 4409', async () => {
    const client = await WireClient.connect(server.apiUrl);
    client.send({ type: 'hello', protocol: 2, token: shop.orders, incarnation: 'inc-12345' });
    expect(await client.closed).toEqual({ code: 4409, reason: 'this server speaks protocol 1' });
  });

  it('may have 4 KiB and not more', async () => {
    const client = await WireClient.connect(server.apiUrl);
    client.raw(JSON.stringify({ type: 'hello', protocol: 1, token: 'x'.repeat(5000), incarnation: 'inc-12345' }));
    expect((await client.closed).code).toBe(1009);
  });

  it('from a foreign Origin is refused at the upgrade', async () => {
    await expect(WireClient.connect(server.apiUrl, { origin: 'https://evil.example' })).rejects.toThrow('403');
  });
});

describe('frames', () => {
  it.each([
    ['not JSON', 'hello', 'a frame must be JSON'],
    ['null', 'null', 'a frame must be a JSON object'],
    ['a list', '[]', 'a frame must be a JSON object'],
    ['of an unknown type', '{"type":"shout"}', 'unknown frame type "shout"'],
    ['of a type that only the server sends', '{"type":"welcome"}', 'unknown frame type "welcome"'],
  ])('%s: closed with 4400', async (_name, text, reason) => {
    const client = await WireClient.hello(server.apiUrl, shop.orders);
    client.raw(text);
    expect(await client.closed).toEqual({ code: 4400, reason });
  });

  it.each([
    [
      'a wrong type of a field',
      { type: 'heartbeat', instances: 'all' },
      'instances',
      '"all"',
      'a list of at most 10000',
    ],
    ['an unknown field', { type: 'ready', instance: ONE, now: true }, 'now', 'an unknown field', 'type, instance'],
    [
      'a nested wrong type',
      { type: 'heartbeat', instances: [{ instance: ONE, busy: 7 }] },
      'instances.0.busy',
      '7',
      'a number from 0 to 1',
    ],
  ])('with %s: answered with the field, and the connection goes on', async (_name, frame, path, got, allowed) => {
    const client = await WireClient.hello(server.apiUrl, shop.orders);
    client.raw(JSON.stringify(frame));
    expect((await client.next('error')).error).toMatchObject({
      code: 'INVALID_FRAME',
      fields: [{ path, got, allowed }],
    });
    client.send({ type: 'heartbeat', instances: [] });
    expect(await client.next('heartbeat')).toEqual({ type: 'heartbeat', instances: [] });
    await client.close();
  });
});

describe('registering', () => {
  it('makes the instance READY once it says so', async () => {
    const client = await joinOrders(server, shop.orders);
    client.send({ type: 'heartbeat', instances: [{ instance: ONE }] });
    expect(await client.next('heartbeat')).toEqual({
      type: 'heartbeat',
      instances: [{ instance: ONE, intervalMs: 5000, ttlMs: 15000 }],
    });
    expect(await lifecycle(ONE)).toBe('READY');
    client.send({ type: 'goodbye', instance: ONE });
    client.send({ type: 'heartbeat', instances: [{ instance: ONE }] });
    expect(await client.next('heartbeat')).toEqual({ type: 'heartbeat', instances: [], registerAgain: [ONE] });
    expect(await lifecycle(ONE)).toBeUndefined();
    await client.close();
  });

  it('with a lease of its own is answered with it; one that the network could break is refused with the range', async () => {
    const client = await WireClient.hello(server.apiUrl, shop.orders);
    client.send(ordersFrame('one', { lease: { intervalMs: 2000, ttlMs: 9000 } }));
    expect((await client.next('error')).error).toMatchObject({
      code: 'INVALID_REGISTRATION',
      fields: [
        {
          path: 'lease.ttlMs',
          got: '9000',
          allowed: "a whole number from 10000 (twice the network's recovery time) to 3600000",
        },
      ],
    });
    client.send(ordersFrame('one', { lease: { intervalMs: 2000, ttlMs: 10_000 } }));
    expect((await client.next('registered')).lease).toEqual({ profile: 'CUSTOM', intervalMs: 2000, ttlMs: 10_000 });
    client.send({ type: 'goodbye', instance: ONE });
    await client.close();
  });

  it('a hundred instances over one connection, which one heartbeat keeps alive and one close loses', async () => {
    const client = await WireClient.hello(server.apiUrl, shop.orders);
    const names = Array.from({ length: 100 }, (_, index) => `n${index}`);
    const refs = names.map((name) => `default/orders/${name}` as const);
    for (const name of names) client.send(ordersFrame(name));
    for (const name of names) expect((await client.next('registered')).instance).toBe(name);
    client.send({ type: 'heartbeat', instances: refs.map((instance) => ({ instance, busy: 0.4 })) });
    expect(await client.next('heartbeat')).toEqual({
      type: 'heartbeat',
      instances: refs.map((instance) => ({ instance, intervalMs: 5000, ttlMs: 15_000 })),
    });
    for (const instance of refs.slice(50)) client.send({ type: 'goodbye', instance });
    client.send({ type: 'heartbeat', instances: refs.map((instance) => ({ instance })) });
    const { instances, registerAgain } = await client.next('heartbeat');
    expect([instances.map(({ instance }) => instance), registerAgain]).toEqual([refs.slice(0, 50), refs.slice(50)]);
    await client.close();
    const expected = refs.map((_, index) => (index < 50 ? 'SUSPECT' : undefined));
    await vi.waitFor(async () => {
      const states = await lifecycles();
      expect(refs.map((ref) => states.get(ref))).toEqual(expected);
    });
  });

  it('twice and leaving once leaves nothing behind', async () => {
    const client = await joinOrders(server, shop.orders);
    client.send(ordersFrame('one'));
    expect((await client.next('registered')).resumed).toBe(true);
    client.send({ type: 'goodbye', instance: ONE });
    client.send({ type: 'heartbeat', instances: [] });
    await client.next('heartbeat');
    expect(await lifecycle(ONE)).toBeUndefined();
    await client.close();
  });

  it('refuses a capability that says neither when to use it nor what it answers, with an example of a good one', async () => {
    const client = await WireClient.hello(server.apiUrl, shop.orders);
    client.send(
      ordersFrame('one', { capabilities: [{ name: 'q', description: 'query', inputSchema: { type: 'object' } }] }),
    );
    const { ref, error } = await client.next('error');
    expect(ref).toBe('register-one');
    expect(error).toMatchObject({
      code: 'INVALID_REGISTRATION',
      fields: [{ path: 'capabilities.0.description', got: '5 characters' }],
    });
    expect(error.message).toContain('Use it to look up one order by its number');
    await client.close();
  });

  it('names all that is wrong with a registration at once, whether its shape or its values', async () => {
    const client = await WireClient.hello(server.apiUrl, shop.orders);
    const capability = { name: 'q', description: 'query', inputSchema: { type: 'object' }, tags: 'none' };
    client.send({ ...ordersFrame('one'), maxTasks: 0, zone: 7, capabilities: [capability] } as never);
    const { ref, error } = await client.next('error');
    expect(ref).toBe('register-one');
    expect(error.message).toMatch(/^The registration has 4 faults: /);
    expect(error).toMatchObject({
      code: 'INVALID_REGISTRATION',
      fields: [
        { path: 'zone' },
        { path: 'capabilities.0.tags' },
        { path: 'maxTasks' },
        { path: 'capabilities.0.description' },
      ],
    });
    await client.close();
  });

  it('refuses a bad schema with its path, and the connection goes on', async () => {
    const client = await WireClient.hello(server.apiUrl, shop.orders);
    const description = 'Use it to look up one order; answers the order.';
    client.send(
      ordersFrame('one', {
        capabilities: [
          { name: 'a', description, inputSchema: { type: 'object', properties: { id: { type: 'sting' } } } },
          {
            name: 'b',
            description,
            inputSchema: { type: 'object', properties: { id: { $ref: 'https://elsewhere/x' } } },
          },
          { name: 'c', description, inputSchema: { type: 'object', properties: { id: { pattern: '(?=x)' } } } },
          { name: 'd', description } as never,
        ],
      }),
    );
    const { error } = await client.next('error');
    expect(error.fields?.map(({ path, got }) => [path, got])).toEqual([
      ['capabilities.0.inputSchema.properties.id.type', 'a schema that must be equal to one of the allowed values'],
      [
        'capabilities.1.inputSchema.properties.id.$ref',
        'a schema that refers to another document; only references within the schema (#/...) are allowed',
      ],
      ['capabilities.2.inputSchema', expect.stringContaining('a schema that')],
      ['capabilities.3.inputSchema', 'nothing'],
    ]);
    client.send(ordersFrame('one'));
    await client.next('registered');
    await client.close();
  });

  it('of an agent that the token is not bound to is DENIED', async () => {
    const client = await WireClient.hello(server.apiUrl, shop.orders);
    client.send(ordersFrame('one', { agent: 'web' }));
    expect((await client.next('error')).error.code).toBe('DENIED');
    await client.close();
  });

  it('names the offending character of a bad name', async () => {
    const client = await WireClient.hello(server.apiUrl, shop.orders);
    client.send(ordersFrame('Öne'));
    expect((await client.next('error')).error.fields).toEqual([
      {
        path: 'instance',
        got: '"Öne" with "Ö" (U+00D6)',
        allowed: 'lower-case letters a-z, digits, and inner . _ -; 1 to 64 characters',
      },
    ]);
    await client.close();
  });
});

describe('a token that is revoked', () => {
  it('ends its open socket with 4403 at once', async () => {
    const { issueToken } = await server.graphql<{ issueToken: { secret: string; token: { id: string } } }>(
      'mutation { issueToken(input: { namespace: "default", kind: AGENT, agent: "default/web", name: "short" }) { secret token { id } } }',
    );
    const client = await WireClient.hello(server.apiUrl, issueToken.secret);
    await server.graphql('mutation ($id: ID!) { revokeToken(id: $id) { id } }', { id: issueToken.token.id });
    expect((await client.closed).code).toBe(4403);
  });
});

describe('what a stranger sends', () => {
  it('with characters of several bytes closes the connection and nothing else', async () => {
    const client = await WireClient.connect(server.apiUrl);
    client.raw(JSON.stringify({ type: '€'.repeat(60) }));
    expect((await client.closed).code).toBe(4400);
    expect((await fetch(`${server.apiUrl}/health`)).status).toBe(200);
  });

  it('after its connection was closed from this side counts for nothing', async () => {
    const { issueToken } = await server.graphql<{ issueToken: { secret: string; token: { id: string } } }>(
      'mutation { issueToken(input: { namespace: "default", kind: AGENT, agent: "default/web", name: "ending" }) { secret token { id } } }',
    );
    const client = await WireClient.hello(server.apiUrl, issueToken.secret);
    // It keeps its side open and goes on as if nothing had happened.
    client.socket.close = () => {};
    await server.graphql('mutation ($id: ID!) { revokeToken(id: $id) { id } }', { id: issueToken.token.id });
    client.send(ordersFrame('ghost', { agentType: 'shop.web' }));
    await client.closed;
    expect(client.pending('registered')).toEqual([]);
    expect(await lifecycle('default/web/ghost')).toBeUndefined();
  });
});

describe('a refusal after authentication', () => {
  it('is on record with its fields', async () => {
    const client = await WireClient.hello(server.apiUrl, shop.web);
    client.send(ordersFrame('one', { version: 'not a version' }));
    await client.next('error');
    await client.close();
    const [entry] = await auditUntil(
      server,
      { kinds: ['REFUSAL'], caller: 'agent:default/web' },
      (found) => found.length > 0,
    );
    expect(entry).toMatchObject({
      action: 'refusal.INVALID_REGISTRATION',
      details: { fields: [{ path: 'version', got: '"not a version"' }] },
    });
  });
});

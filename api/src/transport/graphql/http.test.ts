import { getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_TOKEN, GraphqlTestServer } from './testing.js';

let server: GraphqlTestServer;

beforeAll(async () => {
  server = await GraphqlTestServer.open();
  await server.namespace('shop');
});
afterAll(() => server.close());

const auth = { authorization: `Bearer ${ADMIN_TOKEN}` };

describe('who may ask', () => {
  it.each([
    ['without a credential', {}],
    ['with an unknown token', { authorization: 'Bearer rch_app_0000000000000000000000000000000000000000000' }],
    ['with another scheme', { authorization: 'Basic YTpi' }],
  ])('answers UNAUTHENTICATED with 401 %s, whatever is asked', async (_name, headers) => {
    const { status, errors, data } = await server.post('{ this is not even JSON', headers);
    expect(status).toBe(401);
    expect(data).toBeUndefined();
    expect(errors[0]?.extensions.code).toBe('UNAUTHENTICATED');
    expect(server.turnedAway.at(-1)).toBe('UNAUTHENTICATED');
  });

  it("refuses agents' tokens", async () => {
    await server.ask('mutation { createAgent(input: { namespace: "shop", id: "courier", type: "a" }) { ref } }');
    const { secret } = await server.ask<{ secret: string }>(
      'mutation { issueToken(input: { namespace: "shop", kind: AGENT, agent: "courier", name: "t" }) { secret } }',
    );
    const { status, errors } = await server.run('{ viewer { name } }', {}, secret);
    expect([status, errors[0]?.extensions.code]).toEqual([401, 'UNAUTHENTICATED']);
  });

  it('refuses pages of another origin, with a good token too', async () => {
    const { errors } = await server.post(JSON.stringify({ query: '{ viewer { name } }' }), {
      ...auth,
      origin: 'https://evil.example',
    });
    expect(errors[0]?.extensions.code).toBe('DENIED');
  });

  it('takes only POST with JSON', async () => {
    const get = await fetch(`${server.httpUrl}?query={viewer{name}}`, { headers: auth });
    expect(get.status).toBe(405);
    const form = await server.post('query={viewer{name}}', { ...auth, 'content-type': 'text/plain' });
    expect([form.status, form.errors[0]?.extensions.code]).toEqual([400, 'INVALID_INPUT']);
  });

  it('lets the authenticated introspect', async () => {
    const { status, errors } = await server.run(getIntrospectionQuery());
    expect([status, errors]).toEqual([200, []]);
  });

  it('tells a program who it is', async () => {
    const { secret } = await server.appToken('shop', 'VIEWER');
    const viewer = await server.ask(
      '{ viewer { name caller kind roles { namespace role } permissions(namespace: "shop") { action allowed reason } } }',
      {},
      secret,
    );
    expect(viewer).toMatchObject({
      name: 'viewer',
      caller: 'app:shop/viewer',
      kind: 'APP',
      roles: [{ namespace: 'shop', role: 'VIEWER' }],
    });
    expect((viewer as { permissions: unknown[] }).permissions).toContainEqual({
      action: 'policies.write',
      allowed: false,
      reason: 'policies.write needs the role OPERATOR in namespace shop; app:shop/viewer has the role VIEWER there',
    });
  });
});

describe('limits', () => {
  const nested = (levels: number): string => `{ ${'a { '.repeat(levels)}b${' }'.repeat(levels)} }`;

  it.each([
    ['tokens', `{ ${'viewer { name } '.repeat(500)} }`, 'query', 'more than 2000 tokens'],
    ['depth', nested(10), 'query.depth', '11'],
    [
      'depth through fragments',
      `{ agents { ...A } } fragment A on AgentConnection { edges { ...B } } fragment B on AgentEdge { node { ${'x { '.repeat(8)}y${' }'.repeat(8)} } }`,
      'query.depth',
      '12',
    ],
    ['aliases', `{ ${Array.from({ length: 31 }, (_, n) => `a${n}: __typename`).join(' ')} }`, 'query.aliases', '31'],
    [
      'aliases through fragments',
      `{ ...A ...A ...A ...A } fragment A on Query { ${Array.from({ length: 8 }, (_, n) => `a${n}: __typename`).join(' ')} }`,
      'query.aliases',
      '32',
    ],
    ['root fields', `{ ${'__typename '.repeat(21)} }`, 'query.rootFields', '21'],
    [
      'cost',
      '{ agents(first: 200) { nodes { capabilities { id } instances { ref } versions { capabilities { id name inputSchema outputSchema aliases tags description agent sensitive headers } } } } }',
      'query.cost',
      '53801',
    ],
  ])('refuses too many %s before validation', async (_name, query, path, got) => {
    const { status, errors } = await server.run(query);
    expect(status).toBe(400);
    expect(errors[0]?.extensions.code).toBe('INVALID_INPUT');
    expect(errors[0]?.extensions.fields?.[0]).toMatchObject({ path, got });
  });

  it('counts a page size that comes as a variable', async () => {
    const query = `query ($n: Int) { agents(first: $n) { nodes { versions { capabilities { id name aliases tags agent agentVersion description idempotent } } } } }`;
    expect((await server.run(query, { n: 10 })).status).toBe(200);
    const { errors } = await server.run(query, { n: 1_000 });
    expect(errors[0]?.extensions.fields?.[0]?.path).toBe('query.cost');
  });

  it('ends at a circle of fragments', async () => {
    const { status, errors } = await server.run('{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }');
    expect([status, errors[0]?.extensions.code]).toEqual([400, 'INVALID_INPUT']);
  });

  it.each([
    ['a batch', '[{"query":"{ __typename }"}]', 400, 'INVALID_INPUT'],
    ['no JSON', '{', 400, 'INVALID_INPUT'],
    ['null', 'null', 400, 'INVALID_INPUT'],
    ['no query', '{}', 400, 'INVALID_INPUT'],
    ['an unknown operation name', '{"query":"query a { __typename }","operationName":"b"}', 400, 'INVALID_INPUT'],
    ['a fault of syntax', '{"query":"{ viewer "}', 400, 'INVALID_INPUT'],
    ['an unknown field', '{"query":"{ vieuer { name } }"}', 400, 'INVALID_INPUT'],
    ['a subscription', '{"query":"subscription { healthChanges { position } }"}', 400, 'INVALID_INPUT'],
    [
      'large variables',
      JSON.stringify({ query: '{ __typename }', variables: { a: 'x'.repeat(65_536) } }),
      413,
      'PAYLOAD_TOO_LARGE',
    ],
    ['a large body', JSON.stringify({ query: `{ __typename } # ${'x'.repeat(1_048_576)}` }), 413, 'PAYLOAD_TOO_LARGE'],
    [
      'deep variables',
      `{"query":"{ __typename }","variables":{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}}`,
      400,
      'INVALID_INPUT',
    ],
  ])('refuses %s with a clear error', async (_name, body, status, code) => {
    const answer = await server.post(body, auth);
    expect([answer.status, answer.errors[0]?.extensions.code]).toEqual([status, code]);
    expect(answer.errors[0]?.extensions).toHaveProperty('requestId');
    expect(JSON.stringify(answer.errors)).not.toContain('node_modules');
  });
});

describe('errors', () => {
  it('tell a fault of the server by its requestId alone', async () => {
    server.logged.length = 0;
    const error = await server.fail(
      '{ explainRoute(input: { caller: "user:ann", target: { namespace: "shop", capability: "x" } }) { outcome } }',
    );
    expect(error.message).toBe('A fault of the server; its log has the details under the requestId.');
    expect(error.extensions).toEqual({ code: 'INTERNAL', retryable: false, requestId: error.extensions.requestId });
    expect(server.logged).toHaveLength(1);
    expect(server.logged[0]?.details).toMatchObject({
      requestId: error.extensions.requestId,
      err: { message: 'a secret of the server' },
    });
  });

  it('name the faulty fields', async () => {
    const error = await server.fail('mutation { createNamespace(input: { id: "Überall" }) { id } }');
    expect(error.extensions).toEqual({
      code: 'INVALID_INPUT',
      retryable: false,
      requestId: error.extensions.requestId,
      fields: [
        {
          path: 'input.id',
          got: '"Überall" with "Ü" (U+00DC)',
          allowed: 'lower-case letters a-z, digits, and inner . _ -; 1 to 64 characters',
        },
      ],
    });
  });

  it('call a variable of the wrong kind a fault of the input', async () => {
    const { status, errors } = await server.run('query ($n: Int) { agents(first: $n) { nodes { ref } } }', {
      n: 'many',
    });
    expect([status, errors[0]?.extensions.code]).toEqual([400, 'INVALID_INPUT']);
    const nulled = await server.fail('query ($r: String = "a/b") { agent(ref: $r) { ref } }', { r: null });
    expect(nulled.extensions.code).toBe('INVALID_INPUT');
  });

  it.each([
    [{ first: 0 }, 'first', '0', '1 to 200'],
    [{ first: 201 }, 'first', '201', '1 to 200'],
    [{ last: -1 }, 'last', '-1', '1 to 200'],
    [{ after: 'nonsense' }, 'after', '"nonsense"', 'a cursor that a page of this list, in this order, gave'],
  ])('refuse the page %j', async (page, path, got, allowed) => {
    const query = `query ($first: Int, $after: String, $last: Int, $before: String) {
      policies(first: $first, after: $after, last: $last, before: $before) { nodes { id } } }`;
    const error = await server.fail(query, page);
    expect(error.extensions.fields).toEqual([{ path, got, allowed }]);
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { GraphqlTestServer } from './testing.js';
import { denied } from './testing-answers.js';

let server: GraphqlTestServer;

beforeAll(async () => {
  server = await GraphqlTestServer.open();
  await server.namespace('shop');
  await server.namespace('bank');
});
afterAll(() => server.close());

const ACTOR = 'app:default/admin-token';
const MISSING = '01900000-0000-7000-8000-000000000000';

describe('namespaces', () => {
  it('are created, changed and deleted, each with its audit entry', async () => {
    const created = await server.ask<{ version: number }>(
      'mutation { createNamespace(input: { id: "depot", description: "goods" }) { id description version } }',
    );
    expect(created).toEqual({ id: 'depot', description: 'goods', version: 1 });
    const updated = await server.ask(
      'mutation { updateNamespace(id: "depot", patch: { description: null }, expectedVersion: 1) { description version } }',
    );
    expect(updated).toEqual({ description: '', version: 2 });
    expect(await server.ask('mutation { deleteNamespace(id: "depot") { id version } }')).toEqual({
      id: 'depot',
      version: 2,
    });
    expect(await server.ask('{ namespaces { nodes { id } } }')).toEqual({
      nodes: [{ id: 'bank' }, { id: 'shop' }],
    });

    const entry = { actor: ACTOR, target: 'depot', namespace: 'depot' };
    const canary = {
      ...{ enabled: false, sharePercent: 5, promoteAfterMs: 120_000, promoteMinCalls: 0, maxErrorPercent: 10 },
    };
    const first = { id: 'depot', description: 'goods', canary, version: 1 };
    const second = { id: 'depot', description: '', canary, version: 2 };
    expect((await server.audited('namespace.create')).at(-1)).toEqual({ ...entry, details: { after: first } });
    expect(await server.audited('namespace.update')).toEqual([{ ...entry, details: { before: first, after: second } }]);
    expect(await server.audited('namespace.delete')).toEqual([{ ...entry, details: { before: second } }]);
  });

  it('are not created twice', async () => {
    const error = await server.fail('mutation { createNamespace(input: { id: "shop" }) { id } }');
    expect(error.extensions).toMatchObject({ code: 'CONFLICT', fields: [{ path: 'id' }] });
  });

  it('tell an update that was based on an older version what there is now', async () => {
    await server.ask(
      'mutation { updateNamespace(id: "bank", patch: { description: "a" }, expectedVersion: 1) { id } }',
    );
    const error = await server.fail(
      'mutation { updateNamespace(id: "bank", patch: { description: "b" }, expectedVersion: 1) { id } }',
    );
    expect(error.extensions).toMatchObject({ code: 'CONFLICT', current: { id: 'bank', description: 'a', version: 2 } });
  });

  it('are not deleted while there is something in them, and say what', async () => {
    await server.namespace('full');
    await server.ask('mutation { createAgent(input: { namespace: "full", id: "a", type: "t" }) { ref } }');
    await server.ask('mutation { createAgent(input: { namespace: "full", id: "b", type: "t" }) { ref } }');
    const { secret, id } = await server.appToken('full', 'VIEWER');
    expect(secret).toMatch(/^rch_app_/);
    const error = await server.fail('mutation { deleteNamespace(id: "full") { id } }');
    expect(error.message).toBe('Namespace full still holds 2 agents, 1 token; delete them first.');
    expect(error.extensions.code).toBe('CONFLICT');
    await server.ask('mutation { deleteAgent(ref: "full/a") { ref } }');
    await server.ask('mutation { deleteAgent(ref: "full/b") { ref } }');
    await server.ask(`mutation { revokeToken(id: "${id}") { id } }`);
    expect(await server.ask('mutation { deleteNamespace(id: "full") { id } }')).toEqual({ id: 'full' });
  });
});

describe('agents', () => {
  it('are created, changed, paused and deleted, each with its audit entry, and seen at once', async () => {
    await server.ask(
      'mutation { createAgent(input: { namespace: "shop", id: "orders", type: "shop.orders", owner: "ann", labels: { team: "a" } }) { ref } }',
    );
    const updated = await server.ask(
      `mutation { updateAgent(ref: "shop/orders", expectedVersion: 1,
         patch: { weight: 50, roles: ["clerk", "clerk"], labelOverrides: { team: "b", tier: "1" } }) {
         weight roles labels labelOverrides owner version } }`,
    );
    expect(updated).toEqual({
      weight: 50,
      roles: ['clerk'],
      labels: { team: 'a' },
      labelOverrides: { team: 'b', tier: '1' },
      owner: 'ann',
      version: 2,
    });
    const merged = await server.ask(
      `mutation { updateAgent(ref: "shop/orders", expectedVersion: 2, patch: { weight: null, labelOverrides: { tier: null } }) {
         weight roles labelOverrides } }`,
    );
    expect(merged).toEqual({ weight: 100, roles: ['clerk'], labelOverrides: { team: 'b' } });

    await server.ask('mutation { pauseAgent(ref: "shop/orders", reason: "stocktaking") { paused } }');
    expect(server.registry.agent('shop/orders')?.settings.paused).toBe(true);
    await server.ask('mutation { resumeAgent(ref: "shop/orders") { paused } }');
    expect(server.registry.agent('shop/orders')?.settings.paused).toBe(false);
    expect(await server.ask('mutation { deleteAgent(ref: "shop/orders") { ref } }')).toEqual({ ref: 'shop/orders' });
    expect(await server.ask('{ agent(ref: "shop/orders") { ref } }')).toBeNull();

    const entry = { actor: ACTOR, target: 'shop/orders', namespace: 'shop' };
    expect(await server.audited('agent.update')).toMatchObject([
      { ...entry, details: { before: { weight: 100, version: 1 }, after: { weight: 50, version: 2 } } },
      { ...entry, details: { before: { version: 2 }, after: { weight: 100, version: 3 } } },
    ]);
    expect(await server.audited('agent.pause')).toMatchObject([
      { ...entry, details: { before: { paused: false }, after: { paused: true, reason: 'stocktaking' } } },
    ]);
    expect(await server.audited('agent.resume')).toMatchObject([{ ...entry, details: { after: { paused: false } } }]);
    expect((await server.audited('agent.delete')).at(-1)).toMatchObject({
      ...entry,
      details: { before: { version: 5 } },
    });
  });

  it('get the traffic of a version as an operator says, at once and after it registered again', async () => {
    await server.ask('mutation { createAgent(input: { namespace: "shop", id: "clerk", type: "t" }) { ref } }');
    await server.join('shop/clerk');
    const domains = 'versions { version domain } instances { name domain }';
    expect(
      await server.ask(
        `mutation { setVersionDomain(ref: "shop/clerk", version: "1.0.0", domain: CANARY) { ${domains} } }`,
      ),
    ).toEqual({
      versions: [{ version: '1.0.0', domain: 'CANARY' }],
      instances: [{ name: 'one', domain: 'CANARY' }],
    });
    await server.join('shop/clerk', { description: 'changed' });
    expect(await server.ask(`{ agent(ref: "shop/clerk") { ${domains} } }`)).toMatchObject({
      instances: [{ name: 'one', domain: 'CANARY' }],
    });
    expect(await server.audited('agent.domain')).toMatchObject([
      {
        actor: ACTOR,
        target: 'shop/clerk',
        namespace: 'shop',
        details: {
          before: { agentVersion: '1.0.0', domain: 'PRODUCTION' },
          after: { agentVersion: '1.0.0', domain: 'CANARY' },
        },
      },
    ]);
    const { secret } = await server.appToken('shop', 'VIEWER', 'reader');
    const change = 'mutation { setVersionDomain(ref: "shop/clerk", version: "9.9.9", domain: STAGING) { ref } }';
    expect((await server.fail(change)).extensions.code).toBe('NOT_FOUND');
    expect((await server.fail(change, {}, secret)).extensions.code).toBe('DENIED');
    await server.ask('mutation { deleteAgent(ref: "shop/clerk") { ref } }');
  });

  it('take the rules that name them along when they are deleted, and leave others', async () => {
    await server.ask('mutation { createAgent(input: { namespace: "shop", id: "till", type: "t" }) { ref } }');
    const rule = (caller: string, target: string): Promise<{ id: string }> =>
      server.ask('mutation ($i: CreatePermissionInput!) { createPermission(input: $i) { id } }', {
        i: { caller, target, capability: '*', effect: 'ALLOW' },
      });
    const asTarget = await rule('user:ann', 'shop/till');
    const asCaller = await rule('agent:shop/till', 'shop/other');
    const elsewhere = await rule('agent:shop/till', 'bank/ledger');
    const pattern = await rule('agent:shop/*', 'shop/other');
    expect(server.rules.set.check('user:ann', [], 'shop/till', 'x', Date.now()).allowed).toBe(true);

    await server.ask('mutation { deleteAgent(ref: "shop/till") { ref } }');

    const left = await server.ask<{ nodes: { id: string }[] }>('{ permissions { nodes { id } } }');
    const ids = left.nodes.map(({ id }) => id);
    expect(ids).toContain(pattern.id);
    for (const gone of [asTarget, asCaller, elsewhere]) expect(ids).not.toContain(gone.id);
    expect(server.rules.set.check('user:ann', [], 'shop/till', 'x', Date.now()).allowed).toBe(false);
    expect((await server.audited('agent.delete')).at(-1)).toMatchObject({
      namespace: 'shop',
      details: { before: { permissions: [{ id: asTarget.id }, { id: asCaller.id }] } },
    });
    expect((await server.audited('permission.delete')).at(-1)).toMatchObject({
      namespace: 'bank',
      target: elsewhere.id,
      details: { before: { reason: 'agent shop/till was deleted' } },
    });
  });

  it('refuse faulty input with every fault', async () => {
    const error = await server.fail(
      `mutation { createAgent(input: { namespace: "shop", id: "Bad", type: "", labels: { a: 1 } }) { ref } }`,
    );
    expect(error.extensions.fields?.map(({ path }) => path)).toEqual(['input.id', 'input.type', 'input.labels.a']);
  });

  it.each([
    ['mutation { updateAgent(ref: "shop/none", patch: {}, expectedVersion: 1) { ref } }'],
    ['mutation { deleteAgent(ref: "shop/none") { ref } }'],
    ['mutation { drainAgent(ref: "shop/none") { ref } }'],
    ['mutation { drainInstance(instance: "shop/none/one") { ref } }'],
    [`mutation { updatePolicy(id: "${MISSING}", patch: {}, expectedVersion: 1) { warnings } }`],
    ['mutation { deletePolicy(id: "nonsense") { id } }'],
    [`mutation { deletePermission(id: "${MISSING}") { id } }`],
    [`mutation { revokeToken(id: "${MISSING}") { id } }`],
    [`mutation { revokeEnrolmentKey(id: "${MISSING}") { id } }`],
  ])('%s is NOT_FOUND', async (mutation) => {
    expect((await server.fail(mutation)).extensions.code).toBe('NOT_FOUND');
  });

  it('drain and pause by instance', async () => {
    await server.ask('mutation { createAgent(input: { namespace: "shop", id: "lamp", type: "t" }) { ref } }');
    await server.join('shop/lamp', { instance: 'one' });
    await server.join('shop/lamp', { instance: 'two' }, { id: 'other', isOpen: true });
    expect(await server.ask('mutation { pauseInstance(instance: "shop/lamp/one") { lifecycle } }')).toEqual({
      lifecycle: 'PAUSED',
    });
    expect(await server.ask('mutation { resumeInstance(instance: "shop/lamp/one") { lifecycle } }')).toEqual({
      lifecycle: 'READY',
    });
    const drained = await server.ask(
      'mutation { drainAgent(ref: "shop/lamp") { readyCount instanceCount instances { lifecycle } } }',
    );
    expect(drained).toEqual({
      readyCount: 0,
      instanceCount: 2,
      instances: [{ lifecycle: 'DRAINING' }, { lifecycle: 'DRAINING' }],
    });
  });
});

describe('permissions', () => {
  const CREATE =
    'mutation ($i: CreatePermissionInput!) { createPermission(input: $i) { id namespace target status version } }';

  it('count at once, are changed and deleted, each with its audit entry', async () => {
    const before = (await server.audited('permission.create')).length;
    const rule = await server.ask<{ id: string }>(CREATE, {
      i: { caller: 'app:shop/web', target: 'shop/orders', capability: 'order_query', effect: 'ALLOW', comment: 'web' },
    });
    expect(rule).toEqual({ id: rule.id, namespace: 'shop', target: 'shop/orders', status: 'ACTIVE', version: 1 });
    const question =
      '{ checkPermission(caller: "app:shop/web", target: "shop/orders", capability: "order_query") { allowed rule { id } reason } }';
    expect(await server.ask(question)).toEqual({
      allowed: true,
      rule: { id: rule.id },
      reason:
        'The rule ALLOW app:shop/web → shop/orders:order_query decides on app:shop/web → shop/orders:order_query.',
    });
    await server.ask(
      `mutation { updatePermission(id: "${rule.id}", patch: { effect: DENY }, expectedVersion: 1) { version } }`,
    );
    expect(await server.ask(question)).toMatchObject({ allowed: false, rule: { id: rule.id } });
    await server.ask(`mutation { deletePermission(id: "${rule.id}") { id } }`);
    expect(await server.ask(question)).toEqual({
      allowed: false,
      rule: null,
      reason: 'No rule allows app:shop/web → shop/orders:order_query, so it is denied.',
    });
    const entry = { actor: ACTOR, target: rule.id, namespace: 'shop' };
    expect((await server.audited('permission.create')).slice(before)).toMatchObject([
      { ...entry, details: { after: { comment: 'web' } } },
    ]);
    expect(await server.audited('permission.update')).toMatchObject([
      { ...entry, details: { before: { effect: 'ALLOW' }, after: { effect: 'DENY' } } },
    ]);
    expect((await server.audited('permission.delete')).at(-1)).toMatchObject({
      ...entry,
      details: { before: { effect: 'DENY' } },
    });
  });

  it('for callers of another namespace are PENDING and do not count', async () => {
    const rule = await server.ask<{ id: string }>(CREATE, {
      i: { caller: 'agent:bank/*', target: 'shop/orders', capability: '*', effect: 'ALLOW' },
    });
    expect(rule).toMatchObject({ status: 'PENDING' });
    expect(
      await server.ask(
        '{ checkPermission(caller: "agent:bank/ledger", target: "shop/orders", capability: "x") { allowed } }',
      ),
    ).toEqual({ allowed: false });
  });

  it.each([
    [{ caller: 'everybody', target: 'shop/a', capability: '*' }, 'input.caller'],
    [{ caller: 'agent:shop/o*', target: 'shop/a', capability: '*' }, 'input.caller'],
    [{ caller: 'role:*', target: 'shop/a', capability: '*' }, 'input.caller'],
    [{ caller: '*', target: 'shop/A', capability: '*' }, 'input.target'],
    [{ caller: '*', target: 'shop-*', capability: '*' }, 'input.target'],
    [{ caller: '*', target: '*', capability: '*' }, 'input.namespace'],
    [{ caller: '*', target: 'shop/a', capability: '*', namespace: 'bank' }, 'input.namespace'],
    [{ caller: '*', target: 'shop/a', capability: 'a b' }, 'input.capability'],
    [{ caller: '*', target: 'shop/a', capability: '*', expiresAt: '2020-01-01T00:00:00Z' }, 'input.expiresAt'],
  ])('refuse %j', async (input, path) => {
    const error = await server.fail(CREATE, { i: { ...input, effect: 'ALLOW' } });
    expect(error.extensions.fields?.map((field) => field.path)).toEqual([path]);
  });

  it('for every agent of a namespace say so', async () => {
    const rule = await server.ask(CREATE, {
      i: { namespace: 'bank', caller: 'user:ann', target: '*', capability: 'a.*', effect: 'DENY' },
    });
    expect(rule).toMatchObject({ namespace: 'bank', target: 'bank/*' });
  });
});

describe('credentials', () => {
  it('are issued once and revoked, each with its audit entry and never the secret', async () => {
    const issued = await server.ask<{ secret: string; token: { id: string } }>(
      'mutation { issueToken(input: { namespace: "shop", kind: APP, name: "web", role: OPERATOR }) { secret token { id kind name role } } }',
    );
    expect(issued.token).toMatchObject({ kind: 'APP', name: 'web', role: 'OPERATOR' });
    expect((await server.run('{ viewer { name } }', {}, issued.secret)).status).toBe(200);
    await server.ask(`mutation { revokeToken(id: "${issued.token.id}") { revokedAt } }`);
    expect((await server.run('{ viewer { name } }', {}, issued.secret)).status).toBe(401);
    const entries = [...(await server.audited('token.issue')), ...(await server.audited('token.revoke'))];
    expect(entries.filter(({ target }) => target === 'app:shop/web')).toHaveLength(2);
    expect(JSON.stringify(entries)).not.toContain(issued.secret);

    const key = await server.ask<{ secret: string; key: { id: string } }>(
      'mutation { issueEnrolmentKey(input: { namespace: "shop", name: "fleet", maxUses: 2 }) { secret key { id uses maxUses } } }',
    );
    expect(key).toMatchObject({ key: { uses: 0, maxUses: 2 } });
    await server.ask(`mutation { revokeEnrolmentKey(id: "${key.key.id}") { revokedAt } }`);
    expect(await server.ask('{ enrolmentKeys(namespace: "shop") { nodes { name revokedAt } } }')).toMatchObject({
      nodes: [{ name: 'fleet' }],
    });
  });
});

describe('dispatch', () => {
  const DISPATCH = `mutation ($i: DispatchInput!) { dispatch(input: $i) { __typename
    ... on CallCompleted { requestId attempts result instance replayed durationMs }
    ... on CallFailed { requestId attempts code message retryable details } } }`;
  const target = { namespace: 'shop', capability: 'order_query' };

  beforeEach(() => {
    server.called.length = 0;
  });

  it('answers how the call ended', async () => {
    expect(await server.ask(DISPATCH, { i: { requestId: 'r1', target, params: { id: '7' }, timeoutMs: 500 } })).toEqual(
      {
        __typename: 'CallCompleted',
        requestId: 'r1',
        attempts: 1,
        result: { status: 'paid' },
        instance: 'shop/orders/one',
        replayed: false,
        durationMs: 12,
      },
    );
    expect(server.called[0]).toMatchObject({
      request: { requestId: 'r1', target, params: { id: '7' }, timeoutMs: 500 },
      caller: { caller: ACTOR, namespace: 'shop', sentBy: undefined },
    });
  });

  it('answers a failure as CallFailed', async () => {
    const usual = server.outcome;
    server.outcome = denied;
    expect(await server.ask(DISPATCH, { i: { requestId: 'r2', target, params: {} } })).toEqual({
      __typename: 'CallFailed',
      requestId: 'r2',
      attempts: 0,
      code: 'DENIED',
      message: 'No rule allows it.',
      retryable: false,
      details: { rule: 'none' },
    });
    server.outcome = usual;
  });

  it('sends as somebody else for an ADMIN alone', async () => {
    const input = { i: { target, params: {}, onBehalfOf: 'agent:shop/till' } };
    await server.ask(DISPATCH, input);
    expect(server.called[0]?.caller).toMatchObject({ caller: 'agent:shop/till', sentBy: ACTOR });
    const { secret } = await server.appToken('shop', 'OPERATOR', 'op');
    expect((await server.fail(DISPATCH, input, secret)).extensions.code).toBe('DENIED');
    expect(await server.ask(DISPATCH, { i: { target: { capability: 'x' }, params: {} } }, secret)).toMatchObject({
      __typename: 'CallCompleted',
    });
    expect(server.called.at(-1)).toMatchObject({
      request: { target: { namespace: 'shop' } },
      caller: { caller: 'app:shop/op', namespace: 'shop' },
    });
  });

  it.each([
    [{ target: { namespace: 'shop' }, params: {} }, 'input.target'],
    [{ target: { capability: 'x' }, params: {} }, 'input.target.namespace'],
    [{ target, params: [] }, 'input.params'],
    [{ target, params: {}, timeoutMs: 0 }, 'input.timeoutMs'],
    [{ target, params: {}, requestId: '' }, 'input.requestId'],
    [{ target, params: {}, onBehalfOf: 'somebody' }, 'input.onBehalfOf'],
  ])('refuses %j', async (input, path) => {
    expect((await server.fail(DISPATCH, { i: input })).extensions.fields?.[0]?.path).toBe(path);
    expect(server.called).toEqual([]);
  });

  it('refuses numbers that would not survive', async () => {
    const { status, errors } = await server.post(
      `{"query":"mutation ($i: DispatchInput!) { dispatch(input: $i) { __typename } }","variables":{"i":{"target":{"namespace":"shop","capability":"x"},"params":{"n":9007199254740993}}}}`,
      { authorization: 'Bearer the-admin-token-of-the-tests-0123456789' },
    );
    expect([status, errors[0]?.extensions.code]).toEqual([400, 'INVALID_INPUT']);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GraphqlTestServer } from './testing.js';

let server: GraphqlTestServer;

beforeAll(async () => {
  server = await GraphqlTestServer.open();
  await server.namespace('shop');
});
afterAll(() => server.close());

const CANARY = 'canary { enabled sharePercent promoteAfterMs promoteMinCalls maxErrorPercent }';
const UPDATE = `mutation ($patch: NamespacePatch!, $v: Int!) {
  updateNamespace(id: "shop", patch: $patch, expectedVersion: $v) { version ${CANARY} }
}`;
const USUAL = { enabled: false, sharePercent: 5, promoteAfterMs: 120_000, promoteMinCalls: 0, maxErrorPercent: 10 };

describe('how a namespace tries new versions out', () => {
  it('is changed field by field, and given back', async () => {
    expect(await server.ask(`{ namespace(id: "shop") { version ${CANARY} } }`)).toEqual({ version: 1, canary: USUAL });
    const first = { canary: { enabled: true, sharePercent: 12.5 } };
    expect(await server.ask(UPDATE, { patch: first, v: 1 })).toEqual({
      version: 2,
      canary: { ...USUAL, enabled: true, sharePercent: 12.5 },
    });
    expect([...server.registry.table.canaryShares]).toEqual([['shop', 12.5]]);
    const second = { canary: { promoteMinCalls: 3, sharePercent: null } };
    expect(await server.ask(UPDATE, { patch: second, v: 2 })).toEqual({
      version: 3,
      canary: { ...USUAL, enabled: true, promoteMinCalls: 3 },
    });
    expect(await server.ask(UPDATE, { patch: { description: 'goods' }, v: 3 })).toMatchObject({
      canary: { enabled: true, promoteMinCalls: 3 },
    });
    const error = await server.fail(UPDATE, { patch: { canary: null }, v: 3 });
    expect(error.extensions).toMatchObject({ code: 'CONFLICT', current: { version: 4, canary: { enabled: true } } });
    expect(await server.ask(UPDATE, { patch: { canary: null }, v: 4 })).toEqual({ version: 5, canary: USUAL });
    expect([...server.registry.table.canaryShares]).toEqual([]);
    expect((await server.audited('namespace.update')).at(-1)).toMatchObject({
      details: { before: { canary: { enabled: true } }, after: { canary: USUAL } },
    });
  });

  it('is refused with the field and its range', async () => {
    const canary = { sharePercent: 100.5, promoteAfterMs: 999, promoteMinCalls: -1, maxErrorPercent: -0.1 };
    const error = await server.fail(UPDATE, { patch: { canary }, v: 5 });
    expect(error.extensions).toMatchObject({
      code: 'INVALID_INPUT',
      fields: [
        { path: 'patch.canary.sharePercent', got: '100.5', allowed: 'a number from 0 to 100' },
        { path: 'patch.canary.promoteAfterMs', got: '999', allowed: 'a whole number from 1000 to 604800000' },
        { path: 'patch.canary.promoteMinCalls', got: '-1', allowed: 'a whole number from 0 to 1000000' },
        { path: 'patch.canary.maxErrorPercent', got: '-0.1', allowed: 'a number from 0 to 100' },
      ],
    });
  });

  it('is an administrator’s to change, and nobody’s outside to see', async () => {
    const { secret } = await server.appToken('shop', 'OPERATOR');
    expect((await server.fail(UPDATE, { patch: { canary: { enabled: true } }, v: 5 }, secret)).extensions.code).toBe(
      'DENIED',
    );
    await server.namespace('bank');
    expect(await server.ask('{ namespace(id: "shop") { id } }', {}, secret)).toEqual({ id: 'shop' });
    expect(await server.ask('{ namespace(id: "bank") { id } }', {}, secret)).toBeNull();
    expect(await server.ask('{ namespace(id: "nowhere") { id } }', {}, secret)).toBeNull();
  });
});

describe('a version on trial', () => {
  const VERSIONS = `versions { version domain canary {
    state reason since endedAt promoteAt calls failures errorRate
  } }`;
  const MOVE = `mutation ($d: Domain!, $e: Domain) {
    setVersionDomain(ref: "shop/orders", version: "2.0.0", domain: $d, expectedDomain: $e) { ${VERSIONS} }
  }`;

  it('is seen with what counts for it, and moved by an operator', async () => {
    await server.ask(UPDATE, { patch: { canary: { enabled: true } }, v: 5 });
    await server.ask('mutation { createAgent(input: { namespace: "shop", id: "orders", type: "t" }) { ref } }');
    await server.join('shop/orders');
    await server.join('shop/orders', { instance: 'two', version: '2.0.0' });
    await server.canaries.look();
    const instance = server.registry.table.instance('shop/orders/two');
    if (instance === undefined) throw new Error('the instance did not join');
    for (const failed of [false, false, false, true]) server.trials.ended(instance, failed, performance.now());

    expect(await server.ask(`{ agent(ref: "shop/orders") { ${VERSIONS} } }`)).toEqual({
      versions: [
        {
          version: '2.0.0',
          domain: 'CANARY',
          canary: {
            state: 'ON_TRIAL',
            reason: '1 of 4 calls failed, at most 10 % may',
            since: expect.any(String),
            endedAt: null,
            promoteAt: expect.any(String),
            calls: 4,
            failures: 1,
            errorRate: 0.25,
          },
        },
        { version: '1.0.0', domain: 'PRODUCTION', canary: null },
      ],
    });
    expect(await server.ask(MOVE, { d: 'STAGING', e: 'CANARY' })).toMatchObject({
      versions: [
        { version: '2.0.0', domain: 'STAGING', canary: { state: 'STOPPED', calls: 4, failures: 1, promoteAt: null } },
        { version: '1.0.0' },
      ],
    });
    const late = await server.fail(MOVE, { d: 'PRODUCTION', e: 'CANARY' });
    expect(late.message).toBe(
      'Version 2.0.0 of shop/orders is in STAGING by now, not CANARY; look at the current state and decide anew.',
    );
    expect(late.extensions).toMatchObject({ code: 'CONFLICT', current: { version: '2.0.0', domain: 'STAGING' } });
    expect(await server.ask(MOVE, { d: 'CANARY' })).toMatchObject({
      versions: [{ domain: 'CANARY', canary: { state: 'ON_TRIAL', calls: 0, errorRate: null } }, {}],
    });
    expect(await server.ask(MOVE, { d: 'PRODUCTION', e: 'CANARY' })).toMatchObject({
      versions: [
        { domain: 'PRODUCTION', canary: { state: 'RELEASED', reason: expect.stringMatching(/^released by/) } },
        {},
      ],
    });
  });
});

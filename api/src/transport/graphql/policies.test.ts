import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GraphqlTestServer } from './testing.js';

let server: GraphqlTestServer;

beforeAll(async () => {
  server = await GraphqlTestServer.open();
  await server.namespace('shop');
  await server.namespace('bank');
});
afterAll(() => server.close());

const ACTOR = 'app:default/admin-token';
const POLICY = 'id name version content tests rolloutPercent stableVersion author comment worstCaseMs';
const SAVED = `{ policy { ${POLICY} } warnings tests { name passed faults { path expected got } } }`;
const CREATE = `mutation ($i: CreatePolicyInput!) { createPolicy(input: $i) ${SAVED} }`;
const UPDATE = `mutation ($id: ID!, $p: PolicyPatch!, $v: Int!) {
  updatePolicy(id: $id, patch: $p, expectedVersion: $v) ${SAVED} }`;
const ROLLBACK = `mutation ($id: ID!, $to: Int!, $v: Int!, $c: String) {
  rollbackPolicy(id: $id, toVersion: $to, expectedVersion: $v, comment: $c) ${SAVED} }`;
const SHARE = `mutation ($id: ID!, $p: Int!, $v: Int!) { setPolicyRollout(id: $id, percent: $p, expectedVersion: $v) ${SAVED} }`;
const CHECK = `query ($d: PolicyDraftInput!) { checkPolicy(draft: $d) {
  faults { path got allowed } warnings worstCaseMs tests { name passed faults { path expected got } }
  changes { path before after } } }`;

interface Saved {
  readonly policy: { readonly id: string; readonly version: number };
}

async function create(name: string, content: object = {}, more: object = {}): Promise<string> {
  const { policy } = await server.ask<Saved>(CREATE, { i: { namespace: 'shop', name, content, ...more } });
  return policy.id;
}

/** The version that calls to a capability would use, by request id. */
const versionFor = (requestId: string, capability = 'order_query'): string => {
  const policy = server.registry.table.policies.find('shop', capability, [], 'agent:shop/web', requestId);
  return `${policy.name} ${policy.version}`;
};

const PASSING = {
  name: 'the less busy one',
  table: {
    instances: [
      { ref: 'shop/orders/a', inFlight: 4, capabilities: { q: {} } },
      { ref: 'shop/orders/b', capabilities: { q: {} } },
    ],
  },
  request: { caller: 'agent:shop/web', target: { capability: 'q' } },
  expect: { agent: 'shop/orders', chosen: 'shop/orders/b' },
};
const FAILING = { ...PASSING, name: 'the busier one', expect: { chosen: 'shop/orders/a' } };

describe('policies', () => {
  it('make a version at each save, with author, comment and audit entry', async () => {
    const created = await server.ask<Saved>(CREATE, {
      i: {
        namespace: 'shop',
        name: 'quick',
        comment: 'first',
        content: { match: { capability: 'order_*' }, timeoutMs: 1000, candidates: ['shop/nobody'] },
      },
    });
    expect(created).toMatchObject({
      policy: {
        name: 'quick',
        version: 1,
        author: ACTOR,
        comment: 'first',
        worstCaseMs: 4200,
        rolloutPercent: 100,
        stableVersion: 1,
        tests: [],
        content: { match: { capability: 'order_*', tags: [], caller: '*' }, timeoutMs: 1000, retry: { maxRetries: 2 } },
      },
      warnings: ['candidates.0: there is no agent shop/nobody; it counts once there is one.'],
      tests: [],
    });
    const { id } = created.policy;
    expect(versionFor('r1')).toBe('quick 1');
    const patch = { content: { retry: { maxRetries: 0 }, timeoutMs: null, candidates: [] }, comment: 'second' };
    expect(await server.ask(UPDATE, { id, p: patch, v: 1 })).toMatchObject({
      policy: {
        version: 2,
        comment: 'second',
        content: {
          match: { capability: 'order_*' },
          timeoutMs: null,
          retry: { maxRetries: 0, baseMs: 300 },
          candidates: [],
        },
      },
      warnings: [],
    });
    expect(versionFor('r1')).toBe('quick 2');
    const conflict = await server.fail(UPDATE, { id, p: { name: 'other' }, v: 1 });
    expect(conflict.extensions).toMatchObject({
      code: 'CONFLICT',
      current: { version: 2, author: ACTOR, comment: 'second', content: { retry: { maxRetries: 0 } } },
    });
    expect(await server.database.prisma.policyVersion.count({ where: { policyUid: id } })).toBe(2);

    await server.ask(`mutation { deletePolicy(id: "${id}") { id } }`);
    expect(versionFor('r1')).toBe('default 1');
    expect(await server.ask(`{ policy(id: "${id}") { id } }`)).toBeNull();
    const entry = { actor: ACTOR, target: 'quick', namespace: 'shop' };
    expect(await server.audited('policy.create')).toMatchObject([{ ...entry, details: { after: { version: 1 } } }]);
    expect(await server.audited('policy.update')).toMatchObject([
      { ...entry, details: { before: { version: 1 }, after: { version: 2, author: ACTOR } } },
    ]);
    expect(await server.audited('policy.delete')).toMatchObject([{ ...entry, details: { before: { version: 2 } } }]);
  });

  it('refuse content with every fault named', async () => {
    const error = await server.fail(CREATE, {
      i: {
        namespace: 'shop',
        name: 'bad',
        content: { timeoutMs: -1, retry: { maxRetries: 99 }, colour: 'red', domainSplit: { CANARY: 10 } },
      },
    });
    expect(error.extensions.code).toBe('INVALID_INPUT');
    const { fields } = error.extensions;
    expect(fields).toContainEqual({
      path: 'input.content.timeoutMs',
      got: '-1',
      allowed: 'a whole number from 1 to 3600000',
    });
    expect(fields?.map(({ path }) => path).sort()).toEqual([
      'input.content.colour',
      'input.content.domainSplit',
      'input.content.retry.maxRetries',
      'input.content.timeoutMs',
    ]);
  });

  it('keep tests that must pass, and say what they expect and what came', async () => {
    const i = { namespace: 'shop', name: 'tested', content: { strategy: { name: 'LEAST_IN_FLIGHT' } } };
    const { extensions } = await server.fail(CREATE, { i: { ...i, tests: [PASSING, FAILING] } });
    expect([extensions.code, extensions.fields]).toEqual([
      'INVALID_INPUT',
      [{ path: 'input.tests.1.expect.chosen', got: 'shop/orders/b', allowed: 'shop/orders/a' }],
    ]);
    expect(await server.ask(CREATE, { i: { ...i, tests: [PASSING] } })).toMatchObject({
      policy: { tests: [PASSING] },
      tests: [{ name: 'the less busy one', passed: true, faults: [] }],
    });
  });

  it('warn of policies that nobody would ever use', async () => {
    await create('narrow', { match: { capability: 'stock_query' }, priority: 1 });
    const { warnings } = await server.ask<{ warnings: string[] }>(CREATE, {
      i: { namespace: 'shop', name: 'never', content: { match: { capability: 'stock_query' } } },
    });
    expect(warnings).toEqual([
      'This policy would never be used: narrow is for the same calls and has the higher priority, 1 over 0.',
    ]);
  });

  it('warn of a fallback whose answer is none by the outputSchema of the capability', async () => {
    await server.ask(`mutation { createAgent(input: { namespace: "shop", id: "clerk", type: "shop.clerk" }) { ref } }`);
    await server.join('shop/clerk');
    const match = { capability: 'order_query' };
    const fallback = [{ kind: 'ANSWER', result: { nonsense: 1 } }];
    expect(await server.ask(CHECK, { d: { namespace: 'shop', content: { match, fallback } } })).toMatchObject({
      faults: [],
      warnings: [
        'fallback.0.result does not match the outputSchema of order_query (shop/clerk 1.0.0): status: got nothing, allowed: a value: it is required.',
      ],
    });
  });

  it('go to a share of the calls first, the same calls each time, and to all of them step by step', async () => {
    const id = await create('slowly', { match: { capability: 'slow_query' }, timeoutMs: 1 });
    await server.ask(UPDATE, { id, p: { content: { timeoutMs: 2 }, rolloutPercent: 20 }, v: 1 });
    const requests = Array.from({ length: 1_000 }, (_, index) => `request-${index}`);
    const inShare = () => requests.filter((each) => versionFor(each, 'slow_query') === 'slowly 2');
    const first = inShare();
    expect(first.length).toBeGreaterThan(150);
    expect(first.length).toBeLessThan(250);
    expect(inShare()).toEqual(first);
    expect(await server.ask(SHARE, { id, p: 60, v: 2 })).toMatchObject({
      policy: { version: 2, rolloutPercent: 60, stableVersion: 1 },
    });
    const wider = inShare();
    expect(wider.length).toBeGreaterThan(550);
    expect(first.every((each) => wider.includes(each))).toBe(true);
    await server.ask(SHARE, { id, p: 100, v: 2 });
    expect(inShare()).toEqual(requests);
    const { extensions } = await server.fail(SHARE, { id, p: 0, v: 2 });
    expect(extensions.fields).toEqual([{ path: 'percent', got: '0', allowed: 'a whole number from 1 to 100' }]);
  });

  it('of which the first version has a share leave the rest of the calls alone', async () => {
    const wide = await create('wide', { match: { capability: 'new_*' } });
    const id = await create('first', { match: { capability: 'new_query' } }, { rolloutPercent: 30 });
    const requests = Array.from({ length: 1_000 }, (_, index) => `request-${index}`);
    const names = requests.map((each) => versionFor(each, 'new_query'));
    const inShare = names.filter((name) => name === 'first 1').length;
    expect(inShare).toBeGreaterThan(240);
    expect(inShare).toBeLessThan(360);
    expect(names.filter((name) => name === 'wide 1').length).toBe(1_000 - inShare);
    expect(await server.ask(`{ policy(id: "${id}") { rolloutPercent stableVersion } }`)).toEqual({
      rolloutPercent: 30,
      stableVersion: 0,
    });
    for (const each of [wide, id]) await server.ask(`mutation { deletePolicy(id: "${each}") { id } }`);
  });

  it('go back to an earlier version in one step', async () => {
    const id = await create('undone', { match: { capability: 'undo_query' }, timeoutMs: 1 });
    await server.ask(UPDATE, { id, p: { content: { timeoutMs: 2 } }, v: 1 });
    expect(await server.ask(ROLLBACK, { id, to: 1, v: 2, c: 'a mistake' })).toMatchObject({
      policy: { version: 3, content: { timeoutMs: 1 }, comment: 'a mistake', rolloutPercent: 100 },
    });
    expect(versionFor('r1', 'undo_query')).toBe('undone 3');
    expect((await server.fail(ROLLBACK, { id, to: 3, v: 3 })).extensions).toMatchObject({
      code: 'INVALID_INPUT',
      fields: [{ path: 'toVersion', got: '3', allowed: 'an earlier version, 1 to 2' }],
    });
    expect((await server.fail(ROLLBACK, { id, to: 1, v: 2 })).extensions).toMatchObject({
      code: 'CONFLICT',
      current: { version: 3, restoredFrom: 1 },
    });
  });
});

describe('versions of a policy', () => {
  let id: string;
  beforeAll(async () => {
    id = await create('history', { match: { capability: 'history' }, timeoutMs: 100 }, { comment: 'one' });
    await server.ask(UPDATE, { id, p: { content: { timeoutMs: 200, candidates: ['shop/a'] }, comment: 'two' }, v: 1 });
    await server.ask(ROLLBACK, { id, to: 1, v: 2, c: 'three' });
  });

  it('come newest first, each with what it changed, and page both ways', async () => {
    const query = `query ($id: ID!, $first: Int, $after: String, $last: Int, $before: String) {
      policyVersions(id: $id, first: $first, after: $after, last: $last, before: $before) {
        nodes { version author comment rolloutPercent restoredFrom tests content changes { path before after } }
        pageInfo { hasNextPage hasPreviousPage endCursor startCursor } } }`;
    const page = await server.ask<{ nodes: object[]; pageInfo: { endCursor: string } }>(query, { id, first: 2 });
    expect(page.nodes).toMatchObject([
      {
        version: 3,
        author: ACTOR,
        comment: 'three',
        restoredFrom: 1,
        changes: [
          { path: 'timeoutMs', before: 200, after: 100 },
          { path: 'candidates', before: ['shop/a'], after: [] },
        ],
      },
      { version: 2, comment: 'two', restoredFrom: null, content: { timeoutMs: 200 } },
    ]);
    const rest = await server.ask<{ nodes: object[] }>(query, { id, first: 2, after: page.pageInfo.endCursor });
    expect(rest).toMatchObject({
      nodes: [
        {
          version: 1,
          changes: [
            { path: 'match.capability', before: '*', after: 'history' },
            { path: 'timeoutMs', before: null, after: 100 },
          ],
        },
      ],
      pageInfo: { hasNextPage: false, hasPreviousPage: true },
    });
    expect(await server.ask(query, { id, last: 1 })).toMatchObject({ nodes: [{ version: 1 }] });
  });

  it('come with the policies of a list too, by one read for all of them', async () => {
    const found = await server.ask<{ nodes: { name: string; versions: { nodes: { version: number }[] } }[] }>(
      '{ policies(namespace: "shop") { nodes { name versions(first: 2) { nodes { version } } } } }',
    );
    const versions = found.nodes.map(({ name, versions: { nodes } }) => [name, nodes.map(({ version }) => version)]);
    expect(versions).toContainEqual(['history', [3, 2]]);
    expect(versions).toContainEqual(['undone', [3, 2]]);
    expect(versions).toContainEqual(['narrow', [1]]);
  });

  it('are compared, any two', async () => {
    const diff = (from: number, to: number) =>
      `{ policyDiff(id: "${id}", from: ${from}, to: ${to}) { path before after } }`;
    expect(await server.ask(diff(1, 2))).toEqual([
      { path: 'timeoutMs', before: 100, after: 200 },
      { path: 'candidates', before: [], after: ['shop/a'] },
    ]);
    expect(await server.ask(diff(1, 3))).toEqual([]);
    expect((await server.fail(diff(1, 9))).extensions.fields).toEqual([
      { path: 'to', got: '9', allowed: 'a version of this policy, 1 to 3' },
    ]);
  });
});

describe('a draft', () => {
  it('is checked without being saved', async () => {
    const id = await create('checked', { match: { capability: 'checked' }, timeoutMs: 100 }, { tests: [PASSING] });
    const good = { namespace: 'shop', id, content: { match: { capability: 'checked' }, timeoutMs: 50 } };
    expect(await server.ask(CHECK, { d: good })).toEqual({
      faults: [],
      warnings: [],
      worstCaseMs: 1350,
      tests: [{ name: 'the less busy one', passed: true, faults: [] }],
      changes: [{ path: 'timeoutMs', before: 100, after: 50 }],
    });
    expect(await server.ask(CHECK, { d: { ...good, tests: [FAILING] } })).toMatchObject({
      faults: [{ path: 'tests.0.expect.chosen', got: 'shop/orders/b', allowed: 'shop/orders/a' }],
      tests: [{ passed: false, faults: [{ path: 'expect.chosen', expected: 'shop/orders/a', got: 'shop/orders/b' }] }],
    });
    const bad = { namespace: 'shop', name: 'checked', content: { retry: { factor: 0 } }, tests: 'none' };
    expect(await server.ask(CHECK, { d: bad })).toMatchObject({
      faults: [
        { path: 'name', got: '"checked"' },
        { path: 'content.retry.factor', got: '0', allowed: 'a number from 1 to 100' },
        { path: 'tests' },
      ],
      worstCaseMs: null,
      tests: [],
      changes: [],
    });
    expect(await server.ask(`{ policy(id: "${id}") { version } }`)).toEqual({ version: 1 });
    expect(versionFor('r1', 'checked')).toBe('checked 1');
  });

  it('of a new policy is compared with the defaults', async () => {
    const d = { namespace: 'shop', content: { match: { capability: 'x' }, candidates: ['shop/none'] } };
    expect(await server.ask(CHECK, { d })).toMatchObject({
      faults: [],
      warnings: ['candidates.0: there is no agent shop/none; it counts once there is one.'],
      changes: [
        { path: 'match.capability', before: '*', after: 'x' },
        { path: 'candidates', before: [], after: ['shop/none'] },
      ],
    });
  });
});

describe('who may', () => {
  const DRAFT = { namespace: 'shop', content: {} };
  let id: string;
  let viewer: string;
  let stranger: string;
  beforeAll(async () => {
    id = await create('guarded', { match: { capability: 'guarded' } });
    ({ secret: viewer } = await server.appToken('shop', 'VIEWER', 'eyes'));
    ({ secret: stranger } = await server.appToken('bank', 'ADMIN', 'far'));
  });
  const writes = (): readonly (readonly [string, object])[] => [
    [CREATE, { i: { namespace: 'shop', name: 'mine', content: {} } }],
    [UPDATE, { id, p: {}, v: 1 }],
    [ROLLBACK, { id, to: 1, v: 1 }],
    [SHARE, { id, p: 50, v: 1 }],
    ['mutation ($id: ID!) { deletePolicy(id: $id) { id } }', { id }],
  ];

  it('only look may look, check and replay, and write nothing', async () => {
    for (const [query, variables] of writes()) {
      expect((await server.fail(query, { ...variables }, viewer)).extensions.code).toBe('DENIED');
    }
    expect(await server.ask(`{ policyVersions(id: "${id}") { nodes { version } } }`, {}, viewer)).toEqual({
      nodes: [{ version: 1 }],
    });
    expect(await server.ask(`{ policyDiff(id: "${id}", from: 1, to: 1) { path } }`, {}, viewer)).toEqual([]);
    expect(await server.ask(CHECK, { d: DRAFT }, viewer)).toMatchObject({ faults: [] });
  });

  it('belong elsewhere hear the same as of policies that do not exist', async () => {
    const gone = '01900000-0000-7000-8000-000000000000';
    const replayed = 'query ($d: PolicyDraftInput!) { replayDraft(draft: $d) { recorded } }';
    const reads = (which: string): readonly (readonly [string, object])[] => [
      [`{ policyVersions(id: "${which}") { nodes { version } } }`, {}],
      [`{ policyDiff(id: "${which}", from: 1, to: 1) { path } }`, {}],
      [CHECK, { d: { namespace: 'bank', id: which, content: {} } }],
      [replayed, { d: { namespace: 'bank', id: which, content: {} } }],
    ];
    const told = async (which: string): Promise<string[]> => {
      const texts: string[] = [];
      for (const [query, variables] of reads(which)) {
        const { message, extensions } = await server.fail(query, { ...variables }, stranger);
        texts.push(`${extensions.code} ${message.replace(which, '…')}`);
      }
      return texts;
    };
    expect(await told(id)).toEqual(await told(gone));
    for (const [query, variables] of [...writes(), [CHECK, { d: DRAFT }] as const, [replayed, { d: DRAFT }] as const]) {
      expect((await server.fail(query, { ...variables }, stranger)).extensions.code).toBe('NOT_FOUND');
    }
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GraphqlTestServer } from './testing.js';
import type { AnswerError } from './testing-answers.js';

let server: GraphqlTestServer;
/** An ADMIN of `bank`, who may see nothing else. */
let banker: string;
const ids: Record<string, string> = {};
const MISSING = '01900000-0000-7000-8000-000000000000';

beforeAll(async () => {
  server = await GraphqlTestServer.open();
  await server.namespace('shop');
  await server.namespace('bank');
  for (const namespace of ['shop', 'bank']) {
    await server.ask(`mutation { createAgent(input: { namespace: "${namespace}", id: "desk", type: "t" }) { ref } }`);
    await server.join(`${namespace}/desk`, {}, { id: namespace, isOpen: true });
    const { policy } = await server.ask<{ policy: { id: string } }>(
      `mutation { createPolicy(input: { namespace: "${namespace}", name: "p", content: {} }) { policy { id } } }`,
    );
    const rule = await server.ask<{ id: string }>(
      `mutation { createPermission(input: { caller: "*", target: "${namespace}/desk", capability: "*", effect: ALLOW }) { id } }`,
    );
    const token = await server.appToken(namespace, 'ADMIN');
    const key = await server.ask<{ key: { id: string } }>(
      `mutation { issueEnrolmentKey(input: { namespace: "${namespace}", name: "k" }) { key { id } } }`,
    );
    ids[`${namespace} policy`] = policy.id;
    ids[`${namespace} rule`] = rule.id;
    ids[`${namespace} token`] = token.id;
    ids[`${namespace} key`] = key.key.id;
    if (namespace === 'bank') banker = token.secret;
  }
  const [entry] = await server.database.prisma.auditEntry.findMany({ where: { namespaceId: 'shop' }, take: 1 });
  ids['shop entry'] = String(entry?.sequence);
});
afterAll(() => server.close());

/** An error without what differs from request to request, and with the thing's own name left out. */
function shape({ message, extensions }: AnswerError, name: string): unknown {
  return { message: message.replaceAll(name, '…'), code: extensions.code, fields: extensions.fields };
}

describe('lists', () => {
  it.each([
    ['namespaces', '{ namespaces { nodes { id } } }', [{ id: 'bank' }]],
    ['agents', '{ agents { nodes { ref } } }', [{ ref: 'bank/desk' }]],
    ['instances', '{ instances { nodes { ref } } }', [{ ref: 'bank/desk/one' }]],
    ['capabilities', '{ capabilities { nodes { agent } } }', [{ agent: 'bank/desk' }]],
    ['policies', '{ policies { nodes { namespace } } }', [{ namespace: 'bank' }]],
    ['permissions', '{ permissions { nodes { target } } }', [{ target: 'bank/desk' }]],
    ['tokens', '{ tokens { nodes { namespace } } }', [{ namespace: 'bank' }]],
    ['enrolmentKeys', '{ enrolmentKeys { nodes { namespace } } }', [{ namespace: 'bank' }]],
  ])('%s show what is in the scope', async (_name, query, nodes) => {
    expect(await server.ask(query, {}, banker)).toEqual({ nodes });
  });

  it('audit shows what is in the scope', async () => {
    const { nodes } = await server.ask<{ nodes: { namespace: string }[] }>(
      '{ auditEntries { nodes { namespace } } }',
      {},
      banker,
    );
    expect(nodes.length).toBeGreaterThan(4);
    expect(new Set(nodes.map(({ namespace }) => namespace))).toEqual(new Set(['bank']));
  });

  it.each([
    'agents(namespace: "…") { nodes { ref } }',
    'instances(namespace: "…") { nodes { ref } }',
    'capabilities(namespace: "…") { nodes { name } }',
    'findCapabilities(text: "order", namespace: "…") { capability }',
    'findCapabilities(text: "order", caller: "agent:…/desk") { capability }',
    'policies(namespace: "…") { nodes { id } }',
    'tasks(namespace: "…") { nodes { taskId } }',
    'permissions(namespace: "…") { nodes { id } }',
    'tokens(namespace: "…") { nodes { id } }',
    'enrolmentKeys(namespace: "…") { nodes { id } }',
    'auditEntries(namespace: "…") { nodes { sequence } }',
    'topology(namespace: "…") { nodes { id } }',
    'viewer { permissions(namespace: "…") { action } }',
    'checkPermission(caller: "user:ann", target: "…/desk", capability: "x") { allowed }',
    'explainRoute(input: { caller: "user:ann", target: { namespace: "…", agent: "desk" } }) { outcome }',
  ])('%s answers for a hidden namespace like for none', async (field) => {
    const ask = async (namespace: string): Promise<unknown> =>
      shape(await server.fail(`{ ${field.replace('…', namespace)} }`, {}, banker), namespace);
    const hidden = await ask('shop');
    expect(hidden).toEqual(await ask('none'));
    expect(hidden).toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('single things', () => {
  it.each([
    ['agent', () => '{ agent(ref: "shop/desk") { ref } }'],
    ['policy', () => `{ policy(id: "${ids['shop policy']}") { id } }`],
    ['audit entry', () => `{ auditEntry(sequence: "${ids['shop entry']}") { sequence } }`],
  ])('a hidden %s is null', async (_name, query) => {
    expect(await server.ask(query(), {}, banker)).toBeNull();
  });

  it.each([
    ['updateNamespace(id: "#", patch: {}, expectedVersion: 1) { id }', 'shop', 'none'],
    ['deleteNamespace(id: "#") { id }', 'shop', 'none'],
    ['createAgent(input: { namespace: "#", id: "x", type: "t" }) { ref }', 'shop', 'none'],
    ['updateAgent(ref: "#/desk", patch: {}, expectedVersion: 1) { ref }', 'shop', 'none'],
    ['deleteAgent(ref: "#/desk") { ref }', 'shop', 'none'],
    ['drainAgent(ref: "#/desk") { ref }', 'shop', 'none'],
    ['pauseAgent(ref: "#/desk") { ref }', 'shop', 'none'],
    ['resumeAgent(ref: "#/desk") { ref }', 'shop', 'none'],
    ['setVersionDomain(ref: "#/desk", version: "1.0.0", domain: CANARY) { ref }', 'shop', 'none'],
    ['drainInstance(instance: "#/desk/one") { ref }', 'shop', 'none'],
    ['pauseInstance(instance: "#/desk/one") { ref }', 'shop', 'none'],
    ['resumeInstance(instance: "#/desk/one") { ref }', 'shop', 'none'],
    ['createPolicy(input: { namespace: "#", name: "x", content: {} }) { warnings }', 'shop', 'none'],
    ['updatePolicy(id: "#", patch: {}, expectedVersion: 1) { warnings }', 'shop policy', MISSING],
    ['deletePolicy(id: "#") { id }', 'shop policy', MISSING],
    [
      'createPermission(input: { caller: "*", target: "#/desk", capability: "*", effect: DENY }) { id }',
      'shop',
      'none',
    ],
    ['updatePermission(id: "#", patch: {}, expectedVersion: 1) { id }', 'shop rule', MISSING],
    ['deletePermission(id: "#") { id }', 'shop rule', MISSING],
    ['issueToken(input: { namespace: "#", kind: APP, name: "x", role: VIEWER }) { secret }', 'shop', 'none'],
    ['revokeToken(id: "#") { id }', 'shop token', MISSING],
    ['issueEnrolmentKey(input: { namespace: "#", name: "x" }) { secret }', 'shop', 'none'],
    ['revokeEnrolmentKey(id: "#") { id }', 'shop key', MISSING],
    ['dispatch(input: { target: { namespace: "#", agent: "desk" }, params: {} }) { __typename }', 'shop', 'none'],
    ['broadcast(input: { target: { namespace: "#", agent: "desk" }, params: {} }) { requestId }', 'shop', 'none'],
  ])('%s fails for a hidden thing like for none', async (field, hiddenName, missing) => {
    const hidden = ids[hiddenName] ?? hiddenName;
    const ask = async (name: string): Promise<unknown> =>
      shape(await server.fail(`mutation { ${field.replace('#', name)} }`, {}, banker), name);
    const answer = await ask(hidden);
    expect(answer).toEqual(await ask(missing));
    expect(answer).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('and nothing of it happened', async () => {
    expect(await server.ask('{ agents { nodes { ref paused } } }')).toEqual({
      nodes: [
        { ref: 'bank/desk', paused: false },
        { ref: 'shop/desk', paused: false },
      ],
    });
    expect(server.called).toEqual([]);
  });
});

describe('roles', () => {
  it('a VIEWER reads, and is told what is missing for more', async () => {
    const { secret } = await server.appToken('bank', 'VIEWER');
    expect(await server.ask('{ agents { nodes { ref } } }', {}, secret)).toEqual({ nodes: [{ ref: 'bank/desk' }] });
    const error = await server.fail('mutation { pauseAgent(ref: "bank/desk") { ref } }', {}, secret);
    expect(error.extensions.code).toBe('DENIED');
    expect(error.message).toBe(
      'agents.drain needs the role OPERATOR in namespace bank; app:bank/viewer has the role VIEWER there.',
    );
    expect(server.refused.at(-1)).toMatchObject({
      kind: 'REFUSAL',
      action: 'refusal.DENIED',
      namespace: 'bank',
      actor: 'app:bank/viewer',
      target: 'agents.drain',
      requestId: error.extensions.requestId,
    });
    expect(await server.ask('{ tokens { nodes { id } } }', {}, secret)).toEqual({ nodes: [] });
    expect((await server.fail('{ agent(ref: "bank/desk") { tokens { id } } }', {}, secret)).extensions.code).toBe(
      'DENIED',
    );
  });

  it('an ADMIN of one namespace creates no other', async () => {
    const error = await server.fail('mutation { createNamespace(input: { id: "mine" }) { id } }', {}, banker);
    expect(error.extensions.code).toBe('DENIED');
  });
});

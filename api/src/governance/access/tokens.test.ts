import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../storage/testing.js';
import { Changes } from '../changes.js';
import { wipe } from '../testing.js';
import { person } from './access.testing.js';
import { hashSecret } from './secrets.js';
import { Tokens } from './tokens.js';

const ADMIN = person('ann', 'ADMIN');
const NOW = Date.now();

let database: TestDatabase;
let tokens: Tokens;

beforeAll(async () => {
  database = await openTestDatabase();
});
beforeEach(async () => {
  await wipe(database.prisma);
  tokens = new Tokens(database.prisma, new Changes(database.prisma), { now: () => NOW });
  await database.prisma.namespace.create({ data: { id: 'default' } });
  await database.prisma.agent.create({ data: { namespaceId: 'default', id: 'orders' } });
});
afterAll(() => database.close());

const agentToken = (name = 'main') =>
  tokens.issue(ADMIN, { namespace: 'default', kind: 'AGENT', agent: 'orders', name });

describe('Tokens', () => {
  it('shows the secret once and stores its hash', async () => {
    const { token, secret } = await agentToken();
    expect(secret).toMatch(/^rch_agent_[A-Za-z0-9_-]{43}$/);
    expect(token.prefix).toBe(secret.slice(0, 16));
    const row = await database.prisma.token.findUniqueOrThrow({ where: { uid: token.id } });
    expect(row.hash).toBe(hashSecret(secret));
    const everything = JSON.stringify([row, await database.prisma.auditEntry.findMany()], (_, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    expect(everything).not.toContain(secret.slice(16));
  });

  it('lets two tokens live for an agent, and a third when one is revoked', async () => {
    const first = await agentToken('a');
    await agentToken('b');
    await expect(agentToken('c')).rejects.toMatchObject({ code: 'CONFLICT' });
    await tokens.revoke(ADMIN, first.token.id);
    await agentToken('c');
  });

  it('counts tokens that are issued at the same time', async () => {
    const results = await Promise.allSettled(['a', 'b', 'c', 'd', 'e'].map(agentToken));
    expect(results.filter((result) => result.status === 'fulfilled').length).toBe(2);
  });

  it('names every fault of an input', async () => {
    const issue = tokens.issue(ADMIN, {
      namespace: 'default',
      kind: 'AGENT',
      name: 'Main',
      role: 'ADMIN',
      expiresAt: new Date(NOW - 1),
    });
    await expect(issue).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      fields: [
        { path: 'input.name' },
        { path: 'input.agent', got: 'nothing' },
        { path: 'input.role' },
        { path: 'input.expiresAt' },
      ],
    });
    const reserved = tokens.issue(ADMIN, { namespace: 'default', kind: 'APP', name: 'admin-token' });
    await expect(reserved).rejects.toMatchObject({ code: 'INVALID_INPUT', fields: [{ path: 'input.name' }] });
  });

  it('answers for what is outside the scope like for what does not exist', async () => {
    const { token } = await agentToken();
    const stranger = person('eve', 'ADMIN', 'other');
    expect(await tokens.find(stranger, token.id)).toBeNull();
    await expect(tokens.revoke(stranger, token.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(agentTokenOf('nobody')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(
      tokens.issue(person('bob', 'OPERATOR', 'default'), { namespace: 'default', kind: 'APP', name: 'x' }),
    ).rejects.toMatchObject({ code: 'DENIED' });
  });

  it('pages tokens and finds those of agents', async () => {
    const first = await agentToken('a');
    const second = await agentToken('b');
    const app = await tokens.issue(ADMIN, { namespace: 'default', kind: 'APP', name: 'ci' });
    const request = { limit: 2, direction: 'FORWARD', after: undefined, before: undefined } as const;
    const page = await tokens.page(ADMIN, {}, request);
    expect([page.items.map((token) => token.id), page.hasNextPage]).toEqual([[first.token.id, second.token.id], true]);
    const rest = await tokens.page(ADMIN, {}, { ...request, after: [second.token.id] });
    expect([rest.items.map((token) => token.id), rest.hasNextPage]).toEqual([[app.token.id], false]);
    const own = await tokens.page(ADMIN, { agent: 'default/orders' }, request);
    expect(own.items.map((token) => token.agent)).toEqual(['default/orders', 'default/orders']);
    const agent = await database.prisma.agent.findFirstOrThrow();
    const byAgent = await tokens.ofAgents([agent.uid]);
    expect(byAgent.get(agent.uid)?.map((token) => token.name)).toEqual(['b', 'a']);
  });

  const agentTokenOf = (agent: string) =>
    tokens.issue(ADMIN, { namespace: 'default', kind: 'AGENT', agent, name: 'x' });
});

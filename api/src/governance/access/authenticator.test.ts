import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../storage/testing.js';
import { Changes } from '../changes.js';
import { wipe } from '../testing.js';
import { person, switchable } from './access.testing.js';
import { Authenticator } from './authenticator.js';
import { PrismaCredentialStore } from './credential.store.js';
import { CredentialEnds } from './credential-ends.js';
import { EnrolmentKeys } from './enrolment-keys.js';
import { newSecret } from './secrets.js';
import { Tokens } from './tokens.js';

const ADMIN = person('ann', 'ADMIN');
const PRESET = 'preset-token-of-automation-0123456789';

let database: TestDatabase;
let link: ReturnType<typeof switchable>;
let clock: { now: number };
let changes: Changes;
let tokens: Tokens;
let keys: EnrolmentKeys;
let authenticator: Authenticator;
let ended: string[];

function makeAuthenticator(): Authenticator {
  const ends = new CredentialEnds();
  ends.onEnded((id, reason) => ended.push(`${id} ${reason}`));
  return new Authenticator({
    store: new PrismaCredentialStore(link.prisma),
    ends,
    presets: [{ name: 'admin-token', secret: PRESET }],
    now: () => clock.now,
  });
}

beforeAll(async () => {
  database = await openTestDatabase();
});
beforeEach(async () => {
  await wipe(database.prisma);
  link = switchable(database.prisma);
  clock = { now: Date.now() };
  ended = [];
  changes = new Changes(database.prisma);
  tokens = new Tokens(database.prisma, changes, { now: () => clock.now });
  keys = new EnrolmentKeys(database.prisma, changes, { now: () => clock.now });
  authenticator = makeAuthenticator();
  changes.onCommitted((change) => authenticator.changed(change));
  await database.prisma.namespace.create({ data: { id: 'default' } });
  await database.prisma.agent.create({ data: { namespaceId: 'default', id: 'orders' } });
});
afterEach(async () => {
  await authenticator.close();
  await link.close();
});
afterAll(() => database.close());

const agentToken = (name = 'main') =>
  tokens.issue(ADMIN, { namespace: 'default', kind: 'AGENT', agent: 'orders', name });

describe('Authenticator', () => {
  it('knows an agent by its token', async () => {
    const { token, secret } = await agentToken();
    const agent = await database.prisma.agent.findFirstOrThrow();
    expect(await authenticator.authenticate(secret)).toEqual({
      caller: 'agent:default/orders',
      kind: 'AGENT',
      name: 'orders',
      namespace: 'default',
      roles: [],
      scope: { all: false, namespaces: new Set(['default']) },
      agent: { uid: agent.uid, ref: 'default/orders' },
      credential: { kind: 'AGENT_TOKEN', id: token.id, expiresAt: undefined },
    });
  });

  it('knows a program by its token, with its role in its namespace', async () => {
    const { secret } = await tokens.issue(ADMIN, { namespace: 'default', kind: 'APP', name: 'ci', role: 'OPERATOR' });
    expect(await authenticator.authenticate(secret)).toMatchObject({
      caller: 'app:default/ci',
      kind: 'APP',
      roles: [{ namespace: 'default', role: 'OPERATOR' }],
      scope: { all: false, namespaces: new Set(['default']) },
    });
  });

  it('knows an enrolment key, which is no agent yet', async () => {
    const { key, secret } = await keys.issue(ADMIN, { namespace: 'default', name: 'fleet' });
    expect(await authenticator.authenticate(secret)).toMatchObject({
      caller: 'app:default/enrol.fleet',
      agent: undefined,
      roles: [],
      credential: { kind: 'ENROLMENT_KEY', id: key.id },
    });
    await keys.revoke(ADMIN, key.id);
    await expect(authenticator.authenticate(secret)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(ended).toEqual([`${key.id} REVOKED`]);
  });

  it('gives the preset token ADMIN everywhere, and nothing to a text like it', async () => {
    expect(await authenticator.authenticate(PRESET)).toMatchObject({
      caller: 'app:default/admin-token',
      namespace: undefined,
      roles: [{ namespace: null, role: 'ADMIN' }],
      scope: { all: true },
    });
    await expect(authenticator.authenticate(`${PRESET}x`)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  it.each(['', 'x', newSecret('agent'), newSecret('session'), newSecret('link')])(
    'refuses a secret that is nobody’s (%#)',
    async (secret) => {
      await expect(authenticator.authenticate(secret)).rejects.toMatchObject({
        code: 'UNAUTHENTICATED',
        retryable: false,
      });
    },
  );

  it('refuses a revoked token at once and says that it ended', async () => {
    const { token, secret } = await agentToken();
    await authenticator.authenticate(secret);
    await tokens.revoke(ADMIN, token.id);
    expect(ended).toEqual([`${token.id} REVOKED`]);
    await expect(authenticator.authenticate(secret)).rejects.toThrow('The token was revoked at 20');
  });

  it('does not bring a token back that was revoked while it was looked up', async () => {
    const { token, secret } = await agentToken();
    const slow = makeSlowStore();
    const other = new Authenticator({
      store: slow.store,
      ends: new CredentialEnds(),
      presets: [],
      now: () => clock.now,
    });
    changes.onCommitted((change) => other.changed(change));
    const authenticating = other.authenticate(secret);
    await slow.read;
    await tokens.revoke(ADMIN, token.id);
    slow.answer();
    await expect(authenticating).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  it('ends a token when it expires', async () => {
    const { token, secret } = await tokens.issue(ADMIN, {
      namespace: 'default',
      kind: 'APP',
      name: 'ci',
      expiresAt: new Date(clock.now + 60_000),
    });
    await authenticator.authenticate(secret);
    clock.now += 59_999;
    authenticator.tick();
    expect(ended).toEqual([]);
    clock.now += 1;
    authenticator.tick();
    expect(ended).toEqual([`${token.id} EXPIRED`]);
    await expect(authenticator.authenticate(secret)).rejects.toThrow('The token expired at');
  });

  it('ends the tokens of an agent that is deleted', async () => {
    const { token, secret } = await agentToken();
    await authenticator.authenticate(secret);
    await changes.run(ADMIN, async (tx) => {
      await tx.agent.deleteMany();
      return { action: 'agent.delete', namespace: 'default', target: 'default/orders', result: undefined };
    });
    expect(ended).toEqual([`${token.id} REVOKED`]);
    await expect(authenticator.authenticate(secret)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  it('lets known tokens in while the database is away, and never calls others unknown', async () => {
    const first = await agentToken();
    const restarted = makeAuthenticator();
    await restarted.refresh();
    const second = await agentToken('spare');
    link.setAway(true);
    expect(await restarted.authenticate(first.secret)).toMatchObject({ caller: 'agent:default/orders' });
    await expect(restarted.authenticate(second.secret)).rejects.toMatchObject({
      code: 'STORAGE_UNAVAILABLE',
      retryable: true,
    });
    await expect(restarted.authenticate(newSecret('agent'))).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    link.setAway(false);
    expect(await restarted.authenticate(second.secret)).toMatchObject({ caller: 'agent:default/orders' });
  });

  it('knows a token from its issue on, before its first use', async () => {
    const { secret } = await agentToken();
    await authenticator.close();
    link.setAway(true);
    expect(await authenticator.authenticate(secret)).toMatchObject({ caller: 'agent:default/orders' });
  });

  it('finds at a refresh what another process revoked', async () => {
    const { token, secret } = await agentToken();
    await authenticator.authenticate(secret);
    await database.prisma.token.update({ where: { uid: token.id }, data: { revokedAt: new Date() } });
    await authenticator.refresh();
    expect(ended).toEqual([`${token.id} REVOKED`]);
  });

  it('reads everything again, as soon as the database answers, when a change may stand or not', async () => {
    const { token, secret } = await agentToken();
    await authenticator.authenticate(secret);
    await database.prisma.token.update({ where: { uid: token.id }, data: { revokedAt: new Date() } });
    link.setAway(true);
    authenticator.doubt();
    authenticator.tick();
    await authenticator.close();
    expect(ended).toEqual([]);
    link.setAway(false);
    authenticator.tick();
    await authenticator.close();
    expect(ended).toEqual([`${token.id} REVOKED`]);
  });

  it('looks a flood of made-up tokens up with few queries', async () => {
    const store = new PrismaCredentialStore(link.prisma);
    const byHashes = vi.spyOn(store, 'byHashes');
    const flooded = new Authenticator({ store, ends: new CredentialEnds(), presets: [] });
    const results = await Promise.allSettled(
      Array.from({ length: 400 }, () => flooded.authenticate(newSecret('agent'))),
    );
    expect(results.every((result) => result.status === 'rejected')).toBe(true);
    expect(byHashes).toHaveBeenCalledTimes(1);
  });

  it('writes down when a token was last used, once in a while', async () => {
    const { token, secret } = await agentToken();
    await authenticator.authenticate(secret);
    expect((await tokens.find(ADMIN, token.id))?.lastUsedAt).toBeNull();
    const usedAt = new Date(clock.now);
    clock.now += 60_000;
    authenticator.tick();
    await vi.waitFor(async () => expect((await tokens.find(ADMIN, token.id))?.lastUsedAt).toEqual(usedAt));
  });

  it('keeps last uses for later while the database is away', async () => {
    const { token, secret } = await agentToken();
    await authenticator.authenticate(secret);
    link.setAway(true);
    await authenticator.noteUses();
    link.setAway(false);
    await authenticator.noteUses();
    expect((await tokens.find(ADMIN, token.id))?.lastUsedAt).toEqual(new Date(clock.now));
  });
});

function makeSlowStore() {
  const real = new PrismaCredentialStore(database.prisma);
  let answer: () => void = () => {};
  let started: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const read = new Promise<void>((resolve) => {
    started = resolve;
  });
  return {
    answer,
    read,
    store: {
      live: real.live.bind(real),
      byId: real.byId.bind(real),
      noteUses: real.noteUses.bind(real),
      byHashes: async (hashes: readonly string[]) => {
        const found = await real.byHashes(hashes);
        started();
        await held;
        return found;
      },
    },
  };
}

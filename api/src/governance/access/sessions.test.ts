import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../storage/testing.js';
import { Changes } from '../changes.js';
import { wipe } from '../testing.js';
import { switchable } from './access.testing.js';
import { CredentialEnds } from './credential-ends.js';
import { Sessions } from './sessions.js';
import { issueSignInLink, SignInLinks } from './sign-in-links.js';
import { ensureFirstStart } from './users.js';

const PASSWORD = 'correct horse battery';
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let database: TestDatabase;
let link: ReturnType<typeof switchable>;
let clock: { now: number };
let changes: Changes;
let sessions: Sessions;
let links: SignInLinks;
let ended: string[];

beforeAll(async () => {
  database = await openTestDatabase();
});
beforeEach(async () => {
  await wipe(database.prisma);
  link = switchable(database.prisma);
  clock = { now: Date.parse('2026-03-01T10:00:00.000Z') };
  const now = () => clock.now;
  ended = [];
  changes = new Changes(database.prisma, { now });
  const ends = new CredentialEnds();
  ends.onEnded((_, reason) => ended.push(reason));
  sessions = new Sessions({ prisma: link.prisma, changes, ends, now });
  links = new SignInLinks(database.prisma, changes, sessions, { now });
  await ensureFirstStart(database.prisma);
});
afterEach(async () => {
  await sessions.close();
  await link.close();
});
afterAll(() => database.close());

const newLink = () => issueSignInLink(database.prisma, 'admin', { changes, now: () => clock.now });
const spend = (token: string, password: unknown = PASSWORD) => links.spend(token, password, '127.0.0.1');
/** Begins a session without the cost of a password. */
const signedIn = () =>
  changes.run({ caller: 'system' }, async (tx) => {
    const user = await tx.user.findFirstOrThrow();
    const { secret } = await sessions.begin(tx, user, '127.0.0.1');
    return { action: 'session.start', namespace: '', target: 'user:admin', result: secret };
  });
const caller = async (secret: string) => (await sessions.principalOfSession(secret))?.caller;

describe('the first start', () => {
  it('makes the namespace and the person, once, on record', async () => {
    await ensureFirstStart(database.prisma);
    expect(await database.prisma.namespace.findMany({ select: { id: true } })).toEqual([{ id: 'default' }]);
    expect(await database.prisma.user.findMany({ select: { name: true, passwordHash: true } })).toEqual([
      { name: 'admin', passwordHash: null },
    ]);
    const entries = await database.prisma.auditEntry.findMany({ orderBy: { sequence: 'asc' } });
    expect(entries.map(({ action, actor, target }) => [action, actor, target])).toEqual([
      ['namespace.create', 'system', 'default'],
      ['user.create', 'system', 'user:admin'],
    ]);
  });
});

describe('a sign-in link', () => {
  it('sets the password and signs in, with ADMIN everywhere for the first person', async () => {
    const { token, expiresAt } = await newLink();
    expect(expiresAt).toEqual(new Date('2026-03-01T10:15:00.000Z'));
    const { secret } = await spend(token);
    expect(await sessions.principalOfSession(secret)).toMatchObject({
      caller: 'user:admin',
      kind: 'USER',
      roles: [{ namespace: null, role: 'ADMIN' }],
      scope: { all: true },
      credential: { kind: 'SESSION', expiresAt: new Date('2026-03-01T22:00:00.000Z') },
    });
    expect(await caller((await sessions.signIn('admin', PASSWORD, '::1')).secret)).toBe('user:admin');
  });

  it('works once', async () => {
    const { token } = await newLink();
    const results = await Promise.allSettled([spend(token), spend(token), spend(token)]);
    expect(results.map((result) => result.status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
    await expect(spend(token)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  it('works for 15 minutes', async () => {
    const { token } = await newLink();
    clock.now += 15 * MINUTE;
    await expect(spend(token)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  it('is void when a newer one was made', async () => {
    const older = await newLink();
    const newer = await newLink();
    await expect(spend(older.token)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    await spend(newer.token);
  });

  it('stays usable when the password is refused', async () => {
    const { token } = await newLink();
    await expect(spend(token, 'short')).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      fields: [{ path: 'password', got: '5 characters', allowed: '12 to 1024 characters' }],
    });
    await spend(token);
  });

  it('ends the sessions that there were', async () => {
    const before = await signedIn();
    expect(await caller(before)).toBe('user:admin');
    const after = (await spend((await newLink()).token)).secret;
    expect(ended).toEqual(['REVOKED']);
    expect([await caller(before), await caller(after)]).toEqual([undefined, 'user:admin']);
  });

  it('is for people who exist', async () => {
    await expect(issueSignInLink(database.prisma, 'nobody')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(spend('rch_link_made-up')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  it('leaves neither secret nor password on record', async () => {
    const { token } = await newLink();
    const { secret } = await spend(token);
    const kept = JSON.stringify(
      [
        await database.prisma.auditEntry.findMany(),
        await database.prisma.signInLink.findMany(),
        await database.prisma.session.findMany(),
        await database.prisma.user.findMany(),
      ],
      (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
    );
    for (const text of [token, secret, PASSWORD]) expect(kept).not.toContain(text);
  });
});

describe('a session', () => {
  it('begins with the right password only, whatever else is wrong', async () => {
    await spend((await newLink()).token);
    const answers = await Promise.all(
      [
        ['admin', 'wrong password!'],
        ['nobody', PASSWORD],
        ['admin', ''],
      ].map(([name = '', password = '']) => sessions.signIn(name, password, '::1').catch((error: Error) => error)),
    );
    for (const answer of answers) {
      expect(answer).toMatchObject({ code: 'UNAUTHENTICATED', message: 'The name or the password is wrong.' });
    }
  });

  it('ends 12 hours after its last use', async () => {
    const secret = await signedIn();
    clock.now += 11 * HOUR;
    expect(await caller(secret)).toBe('user:admin');
    await expect
      .poll(async () => (await database.prisma.session.findFirst())?.expiresAt)
      .toEqual(new Date('2026-03-02T09:00:00.000Z'));
    clock.now += 11 * HOUR;
    expect(await caller(secret)).toBe('user:admin');
    await expect
      .poll(async () => (await database.prisma.session.findFirst())?.expiresAt)
      .toEqual(new Date('2026-03-02T20:00:00.000Z'));
    clock.now += 12 * HOUR;
    sessions.tick();
    expect(ended).toEqual(['EXPIRED']);
    expect(await caller(secret)).toBeUndefined();
  });

  it('ends after 7 days in any case', async () => {
    const secret = await signedIn();
    for (let hours = 0; hours < 7 * 24 - 10; hours += 10) {
      clock.now += 10 * HOUR;
      expect(await caller(secret)).toBe('user:admin');
      const expected = Math.min(clock.now + 12 * HOUR, Date.parse('2026-03-08T10:00:00.000Z'));
      await expect.poll(async () => (await database.prisma.session.findFirst())?.expiresAt.getTime()).toBe(expected);
    }
    clock.now = Date.parse('2026-03-08T10:00:00.000Z');
    expect(await caller(secret)).toBeUndefined();
  });

  it('ends at once when its person signs out', async () => {
    const secret = await signedIn();
    await sessions.end(secret);
    expect(ended).toEqual(['REVOKED']);
    expect(await caller(secret)).toBeUndefined();
    await sessions.end(secret);
    const last = await database.prisma.auditEntry.findFirst({ orderBy: { sequence: 'desc' } });
    expect(last).toMatchObject({ action: 'session.end', actor: 'user:admin' });
  });

  it('is seen to have ended within seconds when another process ended it', async () => {
    const secret = await signedIn();
    expect(await caller(secret)).toBe('user:admin');
    await database.prisma.session.updateMany({ data: { revokedAt: new Date(clock.now) } });
    clock.now += 3_001;
    expect(await caller(secret)).toBeUndefined();
    expect(ended).toEqual(['REVOKED']);
  });

  it('goes on while the database is away', async () => {
    const secret = await signedIn();
    expect(await caller(secret)).toBe('user:admin');
    link.setAway(true);
    clock.now += 10 * MINUTE;
    expect(await caller(secret)).toBe('user:admin');
    const unseen = 'rch_session_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
    await expect(sessions.principalOfSession(unseen)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
    link.setAway(false);
  });
});

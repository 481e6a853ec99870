import { ReachError } from '@agent-reach/sdk/protocol';
import { describe, expect, it } from 'vitest';
import { person } from './access.testing.js';
import { createPrincipalOf } from './principal-of.js';

const byToken = person('token', 'ADMIN');
const byCookie = person('cookie', 'ADMIN');

const principalOf = createPrincipalOf({
  authenticator: {
    authenticate: async (secret) => {
      if (secret === 'good') return byToken;
      throw new ReachError('UNAUTHENTICATED', 'The token is not known.');
    },
  },
  sessions: { principalOfSession: async (secret) => (secret === 'live' ? byCookie : undefined) },
  cookiesCount: ({ headers }) => headers.origin === 'http://ours',
});

const cookies = { cookies: true };
const cookie = 'other=1; reach_session=live';

describe('principalOf', () => {
  it('takes a bearer token on every way in', async () => {
    expect(await principalOf({ headers: { authorization: 'Bearer good' } }, { cookies: false })).toBe(byToken);
    expect(await principalOf({ headers: { authorization: 'bearer good', cookie } }, cookies)).toBe(byToken);
  });

  it('takes the session cookie where cookies count and our own page sends it', async () => {
    expect(await principalOf({ headers: { cookie, origin: 'http://ours' } }, cookies)).toBe(byCookie);
    expect(await principalOf({ headers: { cookie, origin: 'http://ours' } }, { cookies: false })).toBeUndefined();
    expect(await principalOf({ headers: { cookie, origin: 'http://theirs' } }, cookies)).toBeUndefined();
    expect(await principalOf({ headers: { cookie } }, cookies)).toBeUndefined();
  });

  it('knows nobody without credentials or with a session that ended', async () => {
    expect(await principalOf({ headers: {} }, cookies)).toBeUndefined();
    const headers = { cookie: 'reach_session=over', origin: 'http://ours' };
    expect(await principalOf({ headers }, cookies)).toBeUndefined();
  });

  it.each(['Bearer bad', 'Basic Zm9vOmJhcg==', 'Bearer', 'Bearer a b'])(
    'refuses a wrong Authorization, cookie or not: %s',
    async (authorization) => {
      const head = { headers: { authorization, cookie, origin: 'http://ours' } };
      await expect(principalOf(head, cookies)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    },
  );
});

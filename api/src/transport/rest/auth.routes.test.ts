import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AuditRecord, ReachError } from '@agent-reach/sdk/protocol';
import express from 'express';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SignInThrottle } from '../../governance/access/sign-in-throttle.js';
import { authRoutes } from './auth.routes.js';

const expiresAt = new Date('2026-03-01T22:00:00.000Z');
let server: Server;
let base: string;
let records: AuditRecord[];
let endedSessions: string[];
let failure: unknown;

beforeEach(async () => {
  records = [];
  endedSessions = [];
  failure = undefined;
  const app = express();
  app.use(
    authRoutes({
      sessions: {
        signIn: async (name, password) => {
          if (failure !== undefined) throw failure;
          if (password !== 'right password') throw new ReachError('UNAUTHENTICATED', 'Wrong.');
          return { secret: `session-of-${name}`, user: name, expiresAt };
        },
        end: async (secret) => {
          endedSessions.push(secret);
        },
      },
      links: { spend: async (token) => ({ secret: `session-by-${token}`, user: 'admin', expiresAt }) },
      throttle: new SignInThrottle(),
      recorder: { record: (entry) => records.push(entry) },
      fromOwnPage: (req) => req.headers.origin === 'http://ours',
      addressOf: () => '10.0.0.1',
      secureCookies: true,
      now: () => 1_000,
    }),
  );
  app.post('/other', (_req, res) => {
    res.send('untouched');
  });
  server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${base}${path}`, {
    method: 'POST',
    headers: { origin: 'http://ours', 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

const signIn = (password: string) => post('/auth/sign-in', { name: 'ann', password });

describe('authRoutes', () => {
  it('signs in by password with a cookie for the server only', async () => {
    const response = await signIn('right password');
    expect(response.status).toBe(204);
    expect(response.headers.get('set-cookie')).toBe(
      'reach_session=session-of-ann; Max-Age=604800; Path=/; HttpOnly; Secure; SameSite=Lax',
    );
    expect(records).toEqual([]);
  });

  it('signs in by link', async () => {
    const response = await post('/auth/link', { token: 't', password: 'right password' });
    expect([response.status, response.headers.get('set-cookie')?.split(';')[0]]).toEqual([
      204,
      'reach_session=session-by-t',
    ]);
  });

  it('answers a wrong password with 401 and has it on record', async () => {
    const response = await signIn('wrong password');
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({
      error: { code: 'UNAUTHENTICATED', message: 'Wrong.', retryable: false },
    });
    expect(response.headers.get('set-cookie')).toBeNull();
    expect(records).toEqual([
      {
        occurredAt: 1_000,
        kind: 'REFUSAL',
        namespace: '',
        action: 'refusal.UNAUTHENTICATED',
        actor: 'system',
        target: 'user:ann',
        outcome: 'UNAUTHENTICATED',
        details: { address: '10.0.0.1', way: '/auth/sign-in', reason: 'Wrong.' },
      },
    ]);
  });

  it('slows guessing down', async () => {
    for (let n = 0; n < 10; n += 1) await signIn('wrong password');
    const response = await signIn('right password');
    expect([response.status, Number(response.headers.get('retry-after')) > 0]).toEqual([429, true]);
    expect(records.length).toBe(10);
  });

  it('does not count a database that is away as guessing', async () => {
    failure = new ReachError('STORAGE_UNAVAILABLE', 'away');
    for (let n = 0; n < 12; n += 1) expect((await signIn('right password')).status).toBe(503);
    failure = undefined;
    expect((await signIn('right password')).status).toBe(204);
  });

  it('signs out and clears the cookie', async () => {
    const response = await post('/auth/sign-out', '', { cookie: 'reach_session=abc' });
    expect([response.status, response.headers.get('set-cookie')]).toEqual([
      204,
      'reach_session=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax',
    ]);
    expect(endedSessions).toEqual(['abc']);
  });

  it('takes requests of its own pages only', async () => {
    const response = await post('/auth/sign-in', {}, { origin: 'http://theirs' });
    expect([response.status, await response.json()]).toMatchObject([403, { error: { code: 'DENIED' } }]);
  });

  it.each([
    ['no JSON', '{', {}, 'INVALID_INPUT', 400],
    ['a wrong type', { name: 1, password: 'x' }, {}, 'INVALID_INPUT', 400],
    ['null', 'null', {}, 'INVALID_INPUT', 400],
    ['a form', 'name=a', { 'content-type': 'text/plain' }, 'INVALID_INPUT', 400],
    ['5 kB', { name: 'a', password: 'x'.repeat(5_000) }, {}, 'PAYLOAD_TOO_LARGE', 413],
  ])('refuses %s', async (_, body, headers, code, status) => {
    const response = await post('/auth/sign-in', body, headers);
    expect([response.status, await response.json()]).toMatchObject([status, { error: { code } }]);
  });

  it('shows nothing of its own faults', async () => {
    failure = new Error('internals');
    const response = await signIn('right password');
    expect([response.status, await response.text()]).toEqual([
      500,
      '{"error":{"code":"INTERNAL","message":"A fault of the server; its log has the details.","retryable":false}}',
    ]);
  });

  it('leaves other routes alone', async () => {
    const response = await post('/other', 'x', { origin: 'http://theirs' });
    expect(await response.text()).toBe('untouched');
  });
});

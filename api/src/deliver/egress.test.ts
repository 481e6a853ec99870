import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ReachError } from '@agent-reach/sdk/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { EgressGuard, type EgressOptions } from './egress.js';
import { INNER_ADDRESSES, NEVER_ADDRESSES } from './testing-addresses.js';

const servers: Server[] = [];
const guards: EgressGuard[] = [];

afterEach(async () => {
  for (const guard of guards.splice(0)) await guard.close();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

function guard(options: Partial<EgressOptions> = {}): EgressGuard {
  const made = new EgressGuard({ allow: [], loopback: false, ...options });
  guards.push(made);
  return made;
}

async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** The names of a small world. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  'public.test': ['93.184.216.34'],
  'inner.test': ['10.1.2.3'],
  'both.test': ['93.184.216.34', '::ffff:10.0.0.1'],
  'metadata.test': ['169.254.169.254'],
  'here.test': ['127.0.0.1'],
};
const resolve = (host: string) =>
  Promise.resolve(
    (NAMES[host.replace(/\.$/, '')] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
  );

function faultOf(check: () => void) {
  try {
    check();
    return undefined;
  } catch (error) {
    if (!(error instanceof ReachError)) throw error;
    return { code: error.code, ...error.fields?.[0] };
  }
}

describe('an address that a stranger names', () => {
  it.each(INNER_ADDRESSES)('%s is refused unless a setting allows it', (url) => {
    expect(faultOf(() => guard().check(url, 'endpoint.url'))).toMatchObject({
      code: 'INVALID_INPUT',
      path: 'endpoint.url',
      allowed: 'a public address, or a private one that the setting REACH_EGRESS_ALLOW lists',
    });
  });

  it.each(NEVER_ADDRESSES)('%s is refused whatever is allowed', (url) => {
    const generous = guard({ allow: ['0.0.0.0/0', '::/0'], loopback: true });
    expect(faultOf(() => generous.check(url, 'callback.url'))).toMatchObject({
      code: 'INVALID_INPUT',
      path: 'callback.url',
      allowed: expect.stringContaining('no setting allows this one'),
    });
  });

  it.each([
    'ftp://example.com/',
    'file:///etc/passwd',
    'javascript:1',
    'example.com',
    '',
    'http://',
    'http://1.2.3.256/',
  ])('%s is no address of an endpoint', (url) => {
    expect(faultOf(() => guard().check(url, 'endpoint.url'))?.allowed).toMatch(/^an http or https address/);
  });

  it('must not carry a user name or password, and neither is repeated', () => {
    expect(faultOf(() => guard().check('https://user:s3cret@example.com/', 'endpoint.url'))).toEqual({
      code: 'INVALID_INPUT',
      path: 'endpoint.url',
      got: 'an address with a user name or password in it',
      allowed: 'an http or https address such as https://agents.example.com/orders',
    });
  });

  it.each([
    ['ftp://bob:hunter2@h/', '"ftp://h"'],
    ['https//bob:hunter2@h/', '"h"'],
    ['http://bob:hunter2@h:99999/', '"http://h:99999"'],
    ['http://bob:hunter2@2@h:x/?token=hunter2', '"http://h:x"'],
    ['http://h:99999/hunter2?token=hunter2#hunter2', '"http://h:99999"'],
    ['bob:hunter2@h', '"h"'],
    ['example.com?token=hunter2', '"example.com"'],
  ])('%s is named by its host only', async (url, got) => {
    expect(faultOf(() => guard().check(url, 'endpoint.url'))).toMatchObject({ path: 'endpoint.url', got });
    await expect(guard().checkResolved(url, 'callback.url')).rejects.toMatchObject({
      message: expect.not.stringContaining('hunter2'),
    });
  });

  it('may be public, or what the settings allow', () => {
    guard().check('https://93.184.216.34/x', 'url');
    guard().check('https://[2606:2800:220:1::1]/', 'url');
    guard().check('https://example.com/', 'url');
    guard({ loopback: true }).check('http://127.0.0.1:3000/', 'url');
    guard({ loopback: true }).check('http://[::1]:3000/', 'url');
    const inner = guard({ allow: ['10.0.0.0/8', 'fd12::/16', '127.0.0.1'] });
    inner.check('http://10.9.8.7/', 'url');
    inner.check('http://[::ffff:10.9.8.7]/', 'url');
    inner.check('http://[fd12::7]/', 'url');
    inner.check('http://127.0.0.1/', 'url');
    expect(faultOf(() => inner.check('http://192.168.0.1/', 'url'))?.got).toBe('192.168.0.1');
    expect(faultOf(() => guard({ loopback: true }).check('http://10.0.0.1/', 'url'))?.got).toBe('10.0.0.1');
  });

  it('is refused by name when any of its addresses is refused', async () => {
    const strict = guard({ resolve });
    expect(await strict.fault('http://public.test/', 'url')).toBeUndefined();
    expect((await strict.fault('http://both.test/', 'url'))?.got).toBe('both.test, which is ::ffff:10.0.0.1');
    await expect(strict.checkResolved('http://inner.test/', 'callback.url')).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message:
        'callback.url: got inner.test, which is 10.1.2.3, allowed: a public address, or a private one that the setting REACH_EGRESS_ALLOW lists.',
    });
    const generous = guard({ resolve, allow: ['10.0.0.0/8', '169.254.0.0/16'] });
    expect(await generous.fault('http://both.test/', 'url')).toBeUndefined();
    expect((await generous.fault('http://metadata.test/', 'url'))?.got).toBe('metadata.test, which is 169.254.169.254');
  });

  it.each([
    ['http://here.test/', 'here.test, which is 127.0.0.1'],
    ['http://HERE.test/', 'here.test, which is 127.0.0.1'],
    ['http://here.test./', 'here.test., which is 127.0.0.1'],
    ['http://user@here.test/', 'an address with a user name or password in it'],
    ['http://public.test@here.test/', 'an address with a user name or password in it'],
    ['http://inner.test/', 'inner.test, which is 10.1.2.3'],
    ['http://metadata.test/', 'metadata.test, which is 169.254.169.254'],
  ])('%s is refused by what its name means', async (url, got) => {
    expect(await guard({ resolve }).fault(url, 'endpoint.url')).toMatchObject({ path: 'endpoint.url', got });
  });

  it('by the name that this machine gives itself is refused by the resolver of the system too', async () => {
    const fault = await guard().fault('http://localhost:5432/', 'endpoint.url');
    expect(fault?.got).toMatch(/^localhost, which is (?:127\.0\.0\.1|::1)$/);
  });

  it('whose name nobody knows now is judged when it is connected to', async () => {
    const away = guard({ resolve: () => Promise.reject(new Error('ENOTFOUND')) });
    expect(await away.fault('http://later.test/', 'url')).toBeUndefined();
  });
});

describe('a guarded request', () => {
  it('does not connect to a name that is refused, and does where it is allowed', async () => {
    let requests = 0;
    const port = await serve((_request, response) => {
      requests++;
      response.end('hello');
    });
    const url = `http://here.test:${port}/`;
    await expect(guard({ resolve }).fetch(url, {}, 'callback.url')).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      fields: [{ path: 'callback.url', got: 'here.test, which is 127.0.0.1' }],
    });
    expect(requests).toBe(0);
    const response = await guard({ resolve, loopback: true }).fetch(url);
    expect(await response.text()).toBe('hello');
  });

  it('asks for the name again with every connection, so that a changed one is caught', async () => {
    const port = await serve((_request, response) => response.end());
    const answers = ['93.184.216.34', '127.0.0.1'];
    const rebound = guard({ resolve: () => Promise.resolve([{ address: answers.shift() ?? '', family: 4 }]) });
    await rebound.checkResolved(`http://rebound.test:${port}/`, 'url');
    await expect(rebound.fetch(`http://rebound.test:${port}/`)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  it('follows a redirect that repeats it, and leaves credentials behind', async () => {
    const seen: unknown[] = [];
    const last = await serve((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        seen.push([request.method, request.headers.authorization, request.headers['x-signature'], body]);
        response.end('done');
      });
    });
    const first = await serve((_request, response) => {
      response.writeHead(307, { location: `http://127.0.0.1:${last}/hook` }).end();
    });
    const response = await guard({ loopback: true }).fetch(`http://127.0.0.1:${first}/`, {
      method: 'POST',
      headers: { authorization: 'Bearer x', 'x-signature': 's' },
      body: 'payload',
    });
    expect(await response.text()).toBe('done');
    expect(seen).toEqual([['POST', undefined, 's', 'payload']]);
  });

  // Where it comes from is on this machine, which therefore is allowed; and a header holds no more than ASCII.
  const elsewhere = [...INNER_ADDRESSES, ...NEVER_ADDRESSES].filter(
    (url) => /^[!-~]+$/.test(url) && faultOf(() => guard({ loopback: true }).check(url, 'url')) !== undefined,
  );
  it.each([...elsewhere, 'http://inner.test./', 'http://metadata.test/'])('is not sent on to %s', async (location) => {
    const port = await serve((_request, response) => response.writeHead(302, { location }).end());
    await expect(
      guard({ loopback: true, resolve }).fetch(`http://here.test:${port}/`, {}, 'callback.url'),
    ).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      fields: [{ path: 'callback.url', allowed: expect.stringContaining('REACH_EGRESS_ALLOW') }],
    });
  });

  it('does not turn a POST into a GET, and gives up after three redirects', async () => {
    let requests = 0;
    const port = await serve((request, response) => {
      requests++;
      response.writeHead(request.url === '/found' ? 302 : 308, { location: '/again' }).end();
    });
    const client = guard({ loopback: true });
    const found = await client.fetch(`http://127.0.0.1:${port}/found`, { method: 'POST', body: 'x' });
    expect([found.status, requests]).toEqual([302, 1]);
    await expect(
      client.fetch(`http://127.0.0.1:${port}/again?token=s3cret`, { method: 'POST', body: 'x' }),
    ).rejects.toThrow(new Error(`more than 3 redirects from 127.0.0.1:${port}`));
    expect(requests).toBe(5);
  });
});

import { describe, expect, it } from 'vitest';
import { cookiesCount, type OriginSettings, originVerdict } from './origin.js';

const local: OriginSettings = { host: '127.0.0.1', port: 4000, consolePort: 3000, publicUrl: undefined };
const open: OriginSettings = { ...local, host: '0.0.0.0' };
const published: OriginSettings = { ...open, publicUrl: 'https://reach.example.com' };

describe('originVerdict', () => {
  it.each([
    ['http://127.0.0.1:3000', 'ALLOWED'],
    ['http://localhost:3000', 'ALLOWED'],
    ['http://[::1]:3000', 'ALLOWED'],
    ['http://localhost:4000', 'ALLOWED'],
    ['https://localhost:3000', 'ALLOWED'],
    ['http://localhost:3001', 'FOREIGN'],
    ['http://localhost', 'FOREIGN'],
    ['http://evil.example.com', 'FOREIGN'],
    ['http://localhost.evil.example.com:3000', 'FOREIGN'],
    ['http://localhost:3000@evil.example.com', 'FOREIGN'],
    ['http://localhost:3000/', 'FOREIGN'],
    ['file://', 'FOREIGN'],
    ['null', 'FOREIGN'],
    ['', 'FOREIGN'],
  ])('on a loopback address: %s is %s', (origin, verdict) => {
    expect(originVerdict(local, { headers: { origin } })).toBe(verdict);
  });

  it('takes no name of a stranger that points to loopback', () => {
    const headers = { origin: 'http://evil.example.com:3000', host: 'evil.example.com:3000' };
    expect(originVerdict(local, { headers })).toBe('FOREIGN');
  });

  it('takes the public address only, where one is set', () => {
    const verdict = (origin: string) => originVerdict(published, { headers: { origin, host: 'other:3000' } });
    expect(verdict('https://reach.example.com')).toBe('ALLOWED');
    expect(verdict('http://reach.example.com')).toBe('FOREIGN');
    expect(verdict('http://other:3000')).toBe('FOREIGN');
  });

  it('takes the host that the browser asked for, where any may be', () => {
    const verdict = (headers: Record<string, string>) => originVerdict(open, { headers });
    expect(verdict({ origin: 'http://server.lan:4000', host: 'server.lan:4000' })).toBe('ALLOWED');
    const proxied = { host: '127.0.0.1:4000', 'x-forwarded-host': 'server.lan:3000' };
    expect(verdict({ origin: 'http://server.lan:3000', ...proxied })).toBe('ALLOWED');
    expect(verdict({ origin: 'http://evil.example.com', ...proxied })).toBe('FOREIGN');
  });
});

describe('cookiesCount', () => {
  it.each([
    [{ origin: 'http://localhost:3000' }, true],
    [{ origin: 'http://evil.example.com', 'sec-fetch-site': 'same-origin' }, false],
    [{ 'sec-fetch-site': 'same-origin' }, true],
    [{ 'sec-fetch-site': 'none' }, true],
    [{ 'sec-fetch-site': 'same-site' }, false],
    [{ 'sec-fetch-site': 'cross-site' }, false],
    [{}, false],
  ])('%j: %s', (headers, counts) => {
    expect(cookiesCount(local, { headers })).toBe(counts);
  });
});

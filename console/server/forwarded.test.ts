import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { forwarder } from './forwarded.mjs';

const requestFrom = (remoteAddress: string, headers: Record<string, string>) =>
  ({ socket: { remoteAddress }, headers: { host: 'console.example', ...headers } }) as unknown as IncomingMessage;

test('what an unknown client claims about itself is replaced', () => {
  const request = requestFrom('::ffff:203.0.113.9', {
    'x-forwarded-for': '127.0.0.1',
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'https',
    forwarded: 'for=127.0.0.1',
  });
  forwarder([])(request);
  expect(request.headers).toEqual({
    host: 'console.example',
    'x-forwarded-for': '203.0.113.9',
    'x-forwarded-host': 'console.example',
    'x-forwarded-proto': 'http',
  });
});

test('a trusted proxy is believed, and the chain grows by it', () => {
  const request = requestFrom('10.1.2.3', {
    'x-forwarded-for': '198.51.100.7',
    'x-forwarded-host': 'reach.example',
    'x-forwarded-proto': 'https',
  });
  forwarder(['10.0.0.0/8'])(request);
  expect(request.headers['x-forwarded-for']).toBe('198.51.100.7, 10.1.2.3');
  expect(request.headers['x-forwarded-host']).toBe('reach.example');
  expect(request.headers['x-forwarded-proto']).toBe('https');
});

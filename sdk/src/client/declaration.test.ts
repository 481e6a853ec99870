import { expect, test } from 'vitest';
import { ReachError } from '../protocol/index.js';
import { capabilityOf, defaultInstance, registrationOf } from './declaration.js';
import { checkConnectOptions } from './options.js';

function faultsOf(run: () => unknown): (readonly [string, string])[] {
  try {
    run();
  } catch (error) {
    if (error instanceof ReachError && error.code === 'INVALID_INPUT')
      return (error.fields ?? []).map((fault) => [fault.path, fault.got] as const);
    throw error;
  }
  return [];
}

test('a lease is a profile or times of its own', () => {
  const options = { type: 'shop.orders', version: '1', description: 'Orders of the shop' };
  const lease = { intervalMs: 2_000, ttlMs: 10_000 };
  expect(registrationOf({ ...options, lease }).lease).toEqual(lease);
  expect(faultsOf(() => registrationOf({ ...options, lease: { intervalMs: 2_000, ttlMs: 5_000 } }))).toEqual([
    ['lease.ttlMs', '5000'],
  ]);
});

test('reports all faults of the connection at once, and never the token', () => {
  expect(faultsOf(() => checkConnectOptions({ url: 'ftp://x', token: '', reconnectCapMs: -1 }))).toEqual([
    ['url', '"ftp://x"'],
    ['token', '0 characters'],
    ['reconnectCapMs', '-1'],
  ]);
});

test.each([
  ['http://127.0.0.1:4000', 'ws://127.0.0.1:4000/reach'],
  ['https://reach.example.com/', 'wss://reach.example.com/reach'],
  ['wss://example.com/teams/reach', 'wss://example.com/teams/reach'],
])('takes %s as %s', (given, expected) => {
  expect(checkConnectOptions({ url: given, token: 't' }).url).toBe(expected);
});

test('reports all faults of an agent at once', () => {
  const options = { id: 'Order', type: '', version: '1', description: 'Orders', instance: 'a b', maxConcurrency: 0 };
  expect(faultsOf(() => registrationOf(options))).toEqual([
    ['id', '"Order" with "O" (U+004F)'],
    ['instance', '"a b" with " " (U+0020)'],
    ['type', '0 characters'],
    ['maxConcurrency', '0'],
  ]);
});

test('turns options into the registration', () => {
  const options = { type: 'commerce.order', version: '1.0.0', description: 'Orders', instance: 'a', onDrain: () => {} };
  expect(registrationOf(options)).toEqual({
    type: 'register',
    agentType: 'commerce.order',
    version: '1.0.0',
    description: 'Orders',
    instance: 'a',
    maxConcurrency: 100,
    maxQueue: 0,
    maxTasks: 100,
    drainTimeoutMs: 30_000,
  });
});

test('reports all faults of a capability at once', () => {
  const options = { description: 'Too short', input: [] as never, aliases: ['ok', 'ä'] };
  expect(faultsOf(() => capabilityOf('order query', options, undefined))).toEqual([
    ['name', '"order query" with " " (U+0020)'],
    ['description', '"Too short"'],
    ['input', 'a list'],
    ['aliases.1', '"ä" with "ä" (U+00E4)'],
    ['handler', 'nothing'],
  ]);
});

test('names an instance after host and process', () => {
  expect(defaultInstance('Build_Host.Local', 42)).toBe('build_host.local-42');
  expect(defaultInstance('---', 42)).toBe('host-42');
  expect(defaultInstance('x'.repeat(100), 12345)).toBe(`${'x'.repeat(58)}-12345`);
});

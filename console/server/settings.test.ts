import { expect, test } from 'vitest';
import { readSettings } from './settings.mjs';

test('without anything the console listens on this machine only', () => {
  const settings = readSettings({});
  expect(settings).toMatchObject({ host: '127.0.0.1', port: 3000, trustedProxies: [] });
  expect(settings.api.href).toBe('http://127.0.0.1:4000/');
});

test('all faults are told at once', () => {
  expect(() => readSettings({ REACH_CONSOLE_PORT: '70000', REACH_API_URL: 'ftp://x' })).toThrow(
    'REACH_CONSOLE_PORT: got "70000", allowed are 0 to 65535 (0 takes a free port)\n' +
      'REACH_API_URL: got "ftp://x", allowed is an http or https address',
  );
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ReachError } from '@agent-reach/sdk/protocol';
import { expect, test } from 'vitest';
import { CHECKOUT, readSettings, settingsTable } from './settings.js';

const read = (env: Record<string, string>, yaml?: string) => readSettings({ env, yaml, baseDir: '/opt/reach' });

function faultsOf(env: Record<string, string>, yaml?: string): ReachError {
  try {
    read(env, yaml);
  } catch (error) {
    if (error instanceof ReachError) return error;
  }
  throw new Error('the settings were taken');
}

test('without any setting the documented defaults hold', () => {
  expect(read({})).toEqual({
    host: '127.0.0.1',
    port: 4000,
    consolePort: 3000,
    console: 'on',
    publicUrl: undefined,
    trustedProxies: [],
    dataDir: '/opt/reach/.reach',
    adminToken: undefined,
    secretKey: undefined,
    databaseUrl: undefined,
    databasePool: 10,
    logLevel: 'info',
    egressAllow: [],
    auditRetentionDays: 30,
    maxFrameBytes: 1_048_576,
    networkRecoveryMs: 5000,
    stopTimeoutMs: 5000,
  });
});

test('the environment wins over the file, and an empty variable counts as absent', () => {
  const yaml = 'port: 4100\nconsolePort: 3100\ntrustedProxies: [10.0.0.1, "fd00::/8"]\n';
  expect(read({ REACH_PORT: '0', REACH_CONSOLE_PORT: '' }, yaml)).toMatchObject({
    port: 0,
    consolePort: 3100,
    trustedProxies: ['10.0.0.1', 'fd00::/8'],
  });
});

test('all faults are reported at once, secrets without their value', () => {
  const error = faultsOf(
    { REACH_PORT: '65536', REACH_ADMIN_TOKEN: 'too-short', REACH_LOG_LEVEL: 'loud', REACH_EGRESS_ALLOW: '10.0.0.0/33' },
    'consolePort: many\nprot: 1\n',
  );
  expect(error.code).toBe('INVALID_INPUT');
  expect(error.message).toBe(
    [
      '6 settings are wrong:',
      '  prot in reach.yaml: got an unknown key; allowed: one of host, port, consolePort, console, publicUrl, ' +
        'trustedProxies, dataDir, adminToken, secretKey, databaseUrl, databasePool, logLevel, egressAllow, ' +
        'auditRetentionDays, maxFrameBytes, networkRecoveryMs, stopTimeoutMs',
      '  REACH_PORT: got "65536"; allowed: 0 to 65535; 0 takes a free port',
      '  REACH_CONSOLE_PORT (consolePort in reach.yaml): got "many"; allowed: 0 to 65535; 0 takes a free port',
      '  REACH_ADMIN_TOKEN: got a secret of 9 characters; allowed: 32 to 512 characters without white space',
      '  REACH_LOG_LEVEL: got "loud"; allowed: trace, debug, info, warn, error or fatal',
      '  REACH_EGRESS_ALLOW: got "10.0.0.0/33"; allowed: IP addresses and CIDR ranges, separated by commas',
    ].join('\n'),
  );
});

test.each([
  ['REACH_PORT', '-1'],
  ['REACH_PORT', '4000.5'],
  ['REACH_PORT', '0x10'],
  ['REACH_PORT', ' 80'],
  ['REACH_PUBLIC_URL', 'reach.example.com'],
  ['REACH_PUBLIC_URL', 'https://reach.example.com/console'],
  ['DATABASE_URL', 'mysql://localhost/reach'],
  ['REACH_TRUSTED_PROXIES', 'proxy.example.com'],
  ['REACH_MAX_FRAME_BYTES', '1000'],
])('%s=%s is refused', (variable, value) => {
  expect(faultsOf({ [variable]: value }).fields?.map(({ path }) => path)).toEqual([variable]);
});

test('a file that is no YAML is refused without quoting it', () => {
  const error = faultsOf({}, 'adminToken: "secret-secret-secret\n');
  expect(error.fields?.map(({ path }) => path)).toEqual(['reach.yaml']);
  expect(error.message).not.toContain('secret-secret');
});

test('docs/OPERATIONS.md has the table of settings as the code declares it', () => {
  expect(readFileSync(join(CHECKOUT, 'docs/OPERATIONS.md'), 'utf8')).toContain(settingsTable());
});

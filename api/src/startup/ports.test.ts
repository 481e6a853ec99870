import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readSettings } from '../settings.js';
import { withFreePorts } from './ports.js';

let other: Server;
let taken: number;

beforeEach(async () => {
  other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = other.address();
  taken = typeof address === 'object' && address !== null ? address.port : 0;
});

afterEach(() => other.close());

const settings = (env: Record<string, string>) => readSettings({ env, baseDir: '/' });

test('a port 0 becomes a free one', async () => {
  const { port, consolePort } = await withFreePorts(settings({ REACH_PORT: '0', REACH_CONSOLE_PORT: '0' }));
  expect(port).toBeGreaterThan(0);
  expect(consolePort).toBeGreaterThan(0);
});

test('a taken port is named with the setting that chooses another', async () => {
  const wanted = settings({ REACH_PORT: '0', REACH_CONSOLE_PORT: String(taken) });
  await expect(withFreePorts(wanted)).rejects.toMatchObject({
    code: 'CONFLICT',
    message: `Port ${taken} on 127.0.0.1 is taken by another program. Choose another with REACH_CONSOLE_PORT.`,
  });
});

test('without a console its port is of no interest', async () => {
  const wanted = settings({ REACH_PORT: '0', REACH_CONSOLE_PORT: String(taken), REACH_CONSOLE: 'off' });
  expect(await withFreePorts(wanted)).toMatchObject({ consolePort: taken });
});

test('an address that this machine does not have is named with REACH_HOST', async () => {
  const wanted = settings({ REACH_HOST: '203.0.113.7', REACH_PORT: '0', REACH_CONSOLE_PORT: '0' });
  await expect(withFreePorts(wanted)).rejects.toThrow(
    '203.0.113.7 is not an address of this machine. Choose another with REACH_HOST.',
  );
});

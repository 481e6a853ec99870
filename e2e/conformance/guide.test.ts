import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { terminate } from '../support/child.js';
import { CHECKOUT, type RunningServer, startServer } from '../support/server.js';
import { joinOrders, openShop, type Shop } from '../support/shop.js';

/** Examples of the guide that are marked by name, run as they stand. */
const GUIDE = readFileSync(join(CHECKOUT, 'docs/GUIDE.md'), 'utf8');

let server: RunningServer;
let shop: Shop;
beforeAll(async () => {
  server = await startServer();
  shop = await openShop(server);
});
afterAll(() => server.stop());

function example(name: string): string {
  const [, code] = GUIDE.split(`<!-- example: ${name} -->\n\`\`\`js\n`);
  if (code === undefined) throw new Error(`the guide has no example ${name}`);
  return code.split('\n```')[0] ?? '';
}

it('an agent is told when those on whom it depends come and go', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', example('depending')], {
    cwd: join(CHECKOUT, 'e2e'),
    env: { PATH: process.env.PATH, REACH_URL: server.apiUrl, REACH_TOKEN: shop.web },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const lines = () => output.split('\n').filter((line) => line !== '');
  const orders = await joinOrders(server, shop.orders);
  const there = 'orders are looked up by default/orders/one';
  await expect.poll(lines, { timeout: 10_000 }).toEqual([there]);
  orders.socket.terminate();
  await expect.poll(lines).toEqual([there, 'nobody can look up orders']);
  const back = await joinOrders(server, shop.orders);
  await expect.poll(lines).toEqual([there, 'nobody can look up orders', there]);
  await back.close();
  await terminate(child, 2_000);
});

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { allow } from '../support/shop.js';
import { expect, test } from './support/console-test.js';

/** An agent that is only an HTTP endpoint, on a free port or on the one that it had before. */
async function startEndpoint(port = 0): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(request.method === 'GET' ? '{"ok":true}' : '{"state":"SHIPPED"}');
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

async function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}

test('an HTTP endpoint is registered, called, lost and back, as the console shows it', async ({
  page,
  agents,
  server,
}) => {
  const endpoint = await startEndpoint();
  const web = await agents.caller('endpoint-web');
  await allow(server, 'agent:default/endpoint-web', 'default/order-desk', 'order_query');
  await page.goto('/agents');
  await expect(page.getByRole('group', { name: 'Live connection' })).toHaveText(/Live/);

  await page.getByRole('button', { name: 'Register HTTP agent' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Agent', { exact: true }).fill('order-desk');
  const descriptor = dialog.getByLabel('Descriptor as JSON');
  const text = await descriptor.inputValue();
  const own = text.replace(
    '"url": "http://127.0.0.1:8080/"',
    `"url": "http://127.0.0.1:${endpoint.port}/", "probeIntervalMs": 1000, "probeTimeoutMs": 500`,
  );
  await descriptor.fill(own.replace('http://127.0.0.1', 'http://169.254.169.254'));
  await dialog.getByRole('button', { name: 'Register endpoint' }).click();
  await expect(dialog.getByRole('alert')).toContainText('endpoint.url: got 169.254.169.254');
  await descriptor.fill(own);
  await dialog.getByRole('button', { name: 'Register endpoint' }).click();
  await expect(dialog.getByRole('status', { name: 'State of the endpoint' })).toContainText('Starting');
  await dialog.getByRole('button', { name: 'Done' }).click();

  const link = page.getByRole('link', { name: 'default/order-desk', exact: true });
  const row = page.getByRole('row').filter({ has: link });
  await expect(row).toContainText('1 / 1');
  await expect(row).toContainText('Healthy');
  const call = () => web.call({ capability: 'order_query', params: { orderId: 'A-1017' } });
  expect(await call()).toEqual({ state: 'SHIPPED' });

  await stop(endpoint.server);
  await expect(row).toContainText('Offline');
  await expect(call()).rejects.toMatchObject({ code: 'NO_ROUTE' });

  const again = await startEndpoint(endpoint.port);
  await expect(row).toContainText('Healthy');
  expect(await call()).toEqual({ state: 'SHIPPED' });
  await stop(again.server);
});

test('an endpoint that is not reached yet says why, with its address, until it is', async ({
  page,
  agents,
  server,
}) => {
  await agents.create('slow-desk');
  let isUp = false;
  const http = createServer((_request, response) => {
    response.writeHead(isUp ? 200 : 503).end(isUp ? '{"ok":true,"busy":0.4}' : '{"reason":"the database is away"}');
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/desk`;
  await server.graphql(
    'mutation ($d: JSON!) { registerEndpoint(agent: "default/slow-desk", descriptor: $d) { ref } }',
    {
      d: { version: '1.0.0', agentType: 'shop.desk', capabilities: [], endpoint: { url, probeIntervalMs: 1_000 } },
    },
  );

  await page.goto('/agents/default/slow-desk');
  const row = page.getByRole('table', { name: 'Instances' }).getByRole('row', { name: 'endpoint' });
  await expect(row).toContainText(`POST ${url}`);
  await expect(row).toContainText('/health every 1 s');
  await expect(row).toContainText('Pending');
  await expect(row).toContainText('not reached yet: /health answered with status 503: the database is away');
  const verified = page
    .getByRole('list', { name: 'Checklist' })
    .getByRole('listitem')
    .filter({ hasText: /^Verified/ });
  await expect(verified).toContainText('endpoint is PENDING and OFFLINE');
  isUp = true;
  await expect(verified).toContainText('The server has reached its health path.');
  await expect(row).toContainText('Ready');
  await expect(row).toContainText('40 %');
  await stop(http);
});

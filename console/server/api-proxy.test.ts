import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { belongsToApi, createApiProxy } from './api-proxy.mjs';

const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function proxyTo(api: string): Promise<string> {
  const proxy = createApiProxy({ host: '127.0.0.1', port: 0, api: new URL(api), trustedProxies: [] });
  opened.push(() => proxy.close());
  const server = createServer((request, response) => proxy.web(request, response));
  server.on('upgrade', (request, socket, head) => proxy.upgrade(request, socket, head));
  return listen(server);
}

test('only what the API answers goes to the API', () => {
  const urls = [
    '/graphql',
    '/graphql?x=1',
    '/reach',
    '/v1/call',
    '/auth/link',
    '/health',
    '/metrics',
    '/graphqlx',
    '/agents',
    '/',
  ];
  expect(urls.filter(belongsToApi)).toEqual([
    '/graphql',
    '/graphql?x=1',
    '/reach',
    '/v1/call',
    '/auth/link',
    '/health',
    '/metrics',
  ]);
});

test('host, origin and cookies arrive as the browser sent them', async () => {
  let seen: IncomingMessage['headers'] = {};
  const api = await listen(
    createServer((request, response) => {
      seen = request.headers;
      response.setHeader('set-cookie', 'session=1; HttpOnly').end('answer');
    }),
  );
  const url = await proxyTo(api);
  const response = await fetch(`${url}/graphql`, { headers: { origin: url, cookie: 'session=0' } });
  expect(await response.text()).toBe('answer');
  expect(response.headers.get('set-cookie')).toBe('session=1; HttpOnly');
  expect(seen).toMatchObject({
    host: new URL(url).host,
    origin: url,
    cookie: 'session=0',
    'x-forwarded-for': '127.0.0.1',
  });
});

test('an API that is away gives an answer that says so', async () => {
  const gone = await listen(createServer());
  await opened.pop()?.();
  const response = await fetch(`${await proxyTo(gone)}/graphql`);
  expect(response.status).toBe(502);
  expect(await response.json()).toMatchObject({ error: { code: 'CONNECT_FAILED', retryable: true } });
});

test('a WebSocket goes through, and ends when the API ends it', async () => {
  const server = createServer();
  const sockets = new WebSocketServer({ server, path: '/reach' });
  sockets.on('connection', (socket) => {
    socket.on('message', (data) => {
      socket.send(`echo ${data}`);
      socket.close(4408, 'enough');
    });
  });
  opened.push(() => sockets.close());
  const url = await proxyTo(await listen(server));
  const client = new WebSocket(`${url.replace('http', 'ws')}/reach`);
  const message = new Promise((resolve) => client.on('message', (data) => resolve(String(data))));
  const closed = new Promise((resolve) => client.on('close', resolve));
  client.on('open', () => client.send('hello'));
  expect(await message).toBe('echo hello');
  expect(await closed).toBe(4408);
});

// The console's server: Next's pages, and a proxy to the API whose address is a setting of the run.
import { createServer } from 'node:http';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import next from 'next';
import nextConfig from './next.config.mjs';
import { belongsToApi, createApiProxy } from './server/api-proxy.mjs';
import { tell, whenParentLeaves } from './server/parent.mjs';
import { secure } from './server/security-headers.mjs';
import { readSettings } from './server/settings.mjs';

/** Open connections get this long to end when the server stops. */
const STOP_LIMIT_MS = 1_000;

async function main() {
  const settings = readSettings(process.env);
  const pages = next({
    dev: false,
    dir: dirname(fileURLToPath(import.meta.url)),
    hostname: settings.host,
    port: settings.port,
    quiet: true,
    conf: nextConfig,
  });
  const api = createApiProxy(settings);
  const sockets = new Set();
  let servePage;

  const server = createServer((request, response) => {
    if (belongsToApi(request.url)) {
      api.web(request, response);
      return;
    }
    secure(request, response);
    if (servePage === undefined) {
      response.writeHead(503, { 'retry-after': '1' }).end('The console is starting.');
      return;
    }
    servePage(request, response).catch((error) => {
      console.error('a page could not be served:', error);
      response.destroy();
    });
  });
  server.on('upgrade', (request, socket, head) => {
    if (!belongsToApi(request.url)) {
      socket.destroy();
      return;
    }
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    api.upgrade(request, socket, head);
  });

  let stopping = false;
  const stop = () => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(0), STOP_LIMIT_MS).unref();
    server.close(() => process.exit(0));
    server.closeIdleConnections();
    for (const socket of sockets) socket.destroy();
    api.close();
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  whenParentLeaves(stop);

  // The port first: a taken one is reported at once, not after Next has loaded.
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(settings.port, settings.host, resolve);
  });
  await pages.prepare();
  servePage = pages.getRequestHandler();

  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : settings.port;
  const url = `http://${settings.host.includes(':') ? `[${settings.host}]` : settings.host}:${port}`;
  await tell({ type: 'listening', url });
}

main().catch(async (error) => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'FAILED';
  await tell({ type: 'failed', code, message: error instanceof Error ? error.message : String(error) });
  process.exit(1);
});

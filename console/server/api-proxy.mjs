import httpProxy from 'http-proxy';
import { forwarder } from './forwarded.mjs';

const EXACT = new Set(['/graphql', '/reach', '/health', '/metrics']);
const PREFIXES = ['/auth/', '/v1/', '/health/'];

/** Whether the API answers this address, so that the browser sees one origin. */
export function belongsToApi(url) {
  const path = (url ?? '/').split('?', 1)[0] ?? '/';
  return EXACT.has(path) || PREFIXES.some((prefix) => path.startsWith(prefix));
}

/**
 * Carries requests and WebSocket upgrades to the API. The Host and Origin of the browser stay as they are: the API
 * compares them with the console's public address.
 *
 * @param {import('./settings.mjs').ConsoleSettings} settings
 */
export function createApiProxy(settings) {
  const proxy = httpProxy.createProxyServer({ target: settings.api.href, ws: true, changeOrigin: false });
  const forward = forwarder(settings.trustedProxies);

  proxy.on('error', (_error, _request, target) => {
    if (!('writeHead' in target)) {
      target.destroy();
      return;
    }
    if (target.headersSent) {
      target.destroy();
      return;
    }
    target.writeHead(502, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' });
    target.end(
      JSON.stringify({
        error: {
          code: 'CONNECT_FAILED',
          message: 'The API server does not answer. It may be starting or stopped.',
          retryable: true,
        },
      }),
    );
  });

  return {
    /** @param {import('node:http').IncomingMessage} request @param {import('node:http').ServerResponse} response */
    web(request, response) {
      forward(request);
      proxy.web(request, response);
    },
    /** @param {import('node:http').IncomingMessage} request @param {import('node:stream').Duplex} socket @param {Buffer} head */
    upgrade(request, socket, head) {
      // A browser that vanishes in mid-handshake must not end this process.
      socket.on('error', () => socket.destroy());
      forward(request);
      proxy.ws(request, socket, head);
    },
    close() {
      proxy.close();
    },
  };
}

import { randomBytes } from 'node:crypto';

/**
 * Sets the security headers of a page and hands Next the nonce: it reads it from the request's own policy header and
 * puts it on each of its scripts. Styles may be inline because Mantine writes them at run time.
 *
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 */
export function secure(request, response) {
  const nonce = randomBytes(16).toString('base64');
  const policy = [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');

  // Whatever a client sent under these names is replaced, so that nobody else chooses the nonce.
  request.headers['content-security-policy'] = policy;
  delete request.headers['content-security-policy-report-only'];
  request.headers['x-nonce'] = nonce;

  response.setHeader('Content-Security-Policy', policy);
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('X-Frame-Options', 'DENY');
  response.setHeader('Referrer-Policy', 'no-referrer');
  response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
  response.setHeader('Permissions-Policy', 'camera=(), microphone=(), geolocation=()');
}

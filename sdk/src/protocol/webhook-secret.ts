import { text } from './shape.js';

/** Begins a secret whose rest is base64, as the Standard Webhooks specification has them. */
export const ENCODED_SECRET_PREFIX = 'whsec_';

const ALLOWED = 'a string of 16 to 256 characters; one that begins with whsec_ goes on in base64';
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const length = text(16, 256);

/** What is wrong with the secret of a webhook, without showing it; undefined when nothing is. */
export function webhookSecretFault(secret: unknown): { readonly got: string; readonly allowed: string } | undefined {
  if (secret === undefined) return { got: 'nothing', allowed: ALLOWED };
  if (typeof secret !== 'string') return { got: 'no text', allowed: ALLOWED };
  if (length(secret) !== undefined) return { got: `${secret.length} characters`, allowed: length(secret) ?? ALLOWED };
  if (!secret.startsWith(ENCODED_SECRET_PREFIX)) return undefined;
  const encoded = secret.slice(ENCODED_SECRET_PREFIX.length);
  const stray = encoded.replace(/=+$/, '').length % 4 === 1 || (encoded.endsWith('=') && encoded.length % 4 !== 0);
  return BASE64.test(encoded) && !stray ? undefined : { got: 'whsec_ before what is no base64', allowed: ALLOWED };
}

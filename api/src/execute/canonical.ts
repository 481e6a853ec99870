import { createHmac } from 'node:crypto';

/** JSON with the keys of every object in order: key order doesn't matter, array order does, 1 and 1.0 are the same. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson((value as Record<string, unknown>)[key])}`);
  return `{${members.join(',')}}`;
}

/** Makes the keyed hash (HMAC-SHA-256) that audit and idempotency keep instead of parameters. */
export function paramsHasher(key: Buffer): (params: unknown) => string {
  return (params) => createHmac('sha256', key).update(canonicalJson(params)).digest('base64url');
}

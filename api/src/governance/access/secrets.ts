import { createHash, randomBytes } from 'node:crypto';

/** What a secret is for; part of its text, so that a leaked one is recognised. */
export type SecretKind = 'agent' | 'app' | 'enrol' | 'admin' | 'link' | 'session';

const SECRET = /^rch_(agent|app|enrol|admin|link|session)_[A-Za-z0-9_-]{43}$/;
/** Characters shown to tell secrets apart: the prefix and 36 bits of the random part. */
const SHOWN_RANDOM = 6;

/** A new secret of 256 random bits, base64url with a prefix. */
export function newSecret(kind: SecretKind): string {
  return `rch_${kind}_${randomBytes(32).toString('base64url')}`;
}

/** SHA-256 in hex. Enough for secrets of 256 random bits; a person's password needs scrypt. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** What a text that has the form of a secret is for, or undefined for any other text. */
export function secretKind(text: string): SecretKind | undefined {
  return SECRET.exec(text)?.[1] as SecretKind | undefined;
}

/** The first characters of a secret, which may be stored and shown. */
export function shownPrefix(secret: string): string {
  return secret.slice(0, secret.indexOf('_', 4) + 1 + SHOWN_RANDOM);
}

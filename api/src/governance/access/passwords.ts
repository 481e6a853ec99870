import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import type { FieldFault } from '@agent-reach/sdk/protocol';

export const MIN_PASSWORD_LENGTH = 12;
/** So that nobody makes the server digest megabytes. */
const MAX_PASSWORD_LENGTH = 1024;

/**
 * OWASP's smallest recommendation for scrypt that keeps memory at 32 MiB: N = 2^15, r = 8, p = 3; about a quarter of a
 * second. They are kept in each hash, so that raising them later leaves old passwords valid.
 * https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html#scrypt
 */
const PARAMETERS = { N: 32_768, r: 8, p: 3 } as const;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

const STORED = /^scrypt\$(\d{1,8})\$(\d{1,3})\$(\d{1,3})\$([A-Za-z0-9+/=]+)\$([A-Za-z0-9+/=]+)$/;

/** What is wrong with a new password, or undefined. */
export function passwordFault(path: string, password: unknown): FieldFault | undefined {
  const allowed = `${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters`;
  if (typeof password !== 'string') return { path, got: password === undefined ? 'nothing' : typeof password, allowed };
  const { length } = [...password.normalize('NFC')];
  if (length >= MIN_PASSWORD_LENGTH && length <= MAX_PASSWORD_LENGTH) return undefined;
  return { path, got: `${length} characters`, allowed };
}

/** The form that is stored: `scrypt$N$r$p$salt$hash`, the last two in base64. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(password, salt, HASH_BYTES, PARAMETERS);
  const { N, r, p } = PARAMETERS;
  return ['scrypt', N, r, p, salt.toString('base64'), hash.toString('base64')].join('$');
}

/**
 * Whether the password belongs to the stored hash. Without one (no such user, no password set) it takes the same time
 * and answers false, so that the time tells nobody which names exist.
 */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const parts = stored === null ? null : STORED.exec(stored);
  if (parts === null || password.length > MAX_PASSWORD_LENGTH) {
    await derive('', Buffer.alloc(SALT_BYTES), HASH_BYTES, PARAMETERS);
    return false;
  }
  const [, N, r, p, salt = '', hash = ''] = parts;
  const expected = Buffer.from(hash, 'base64');
  const parameters = { N: Number(N), r: Number(r), p: Number(p) };
  return timingSafeEqual(await derive(password, Buffer.from(salt, 'base64'), expected.length, parameters), expected);
}

function derive(
  password: string,
  salt: Buffer,
  bytes: number,
  parameters: { readonly N: number; readonly r: number; readonly p: number },
): Promise<Buffer> {
  const options: ScryptOptions = { ...parameters, maxmem: 256 * parameters.N * parameters.r };
  return new Promise((resolve, reject) => {
    // The same letters typed on another keyboard may come in another normal form.
    scrypt(password.normalize('NFC'), salt, bytes, options, (error, key) => {
      if (error === null) resolve(key);
      else reject(error);
    });
  });
}

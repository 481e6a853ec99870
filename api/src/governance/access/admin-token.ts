import { timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import { readIfExists, writePrivate } from '../../storage/files.js';
import type { Principal } from './principal.js';
import { hashSecret, newSecret } from './secrets.js';

/** Names that no issued app token may have, because the preset ones act under them. */
export const RESERVED_APP_NAMES: readonly string[] = ['admin-token', 'local-admin'];

/** A token that is not in the database: the preset one, or this machine's own. ADMIN everywhere. */
export interface PresetToken {
  readonly name: 'admin-token' | 'local-admin';
  readonly secret: string;
}

/**
 * The token of programs on this machine (demo, bench, CLI): in `<data dir>/admin.token`, mode 0600, made at the first
 * start. Who can read that file owns the server's data anyway.
 */
export function localAdminToken(dataDir: string): string {
  const file = join(dataDir, 'admin.token');
  const found = readIfExists(file)?.trim();
  if (found !== undefined && found.length >= 32) return found;
  const made = newSecret('admin');
  writePrivate(file, `${made}\n`);
  return made;
}

/** Compares in constant time, whatever the lengths. */
export function presetPrincipal(tokens: readonly PresetToken[], secretHash: string): Principal | undefined {
  const got = Buffer.from(secretHash, 'hex');
  const match = tokens.find(({ secret }) => timingSafeEqual(Buffer.from(hashSecret(secret), 'hex'), got));
  if (match === undefined) return undefined;
  return {
    caller: `app:default/${match.name}`,
    kind: 'APP',
    name: match.name,
    namespace: undefined,
    roles: [{ namespace: null, role: 'ADMIN' }],
    scope: { all: true },
    agent: undefined,
    credential: { kind: 'ADMIN_TOKEN', id: match.name, expiresAt: undefined },
  };
}

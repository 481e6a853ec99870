import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ReachError } from '@agent-reach/sdk/protocol';

const FILE = 'server.key';
const BYTES = 32;

/**
 * The server key: what parameter hashes are keyed with and stored results are encrypted with. From REACH_SECRET_KEY,
 * else from a 0600 file in the data directory, made at the first start.
 *
 * @param hasData whether the database holds data of an earlier run; then a missing key is a fault, because a new one
 *   could neither read nor compare what the old one wrote
 * @throws ReachError INVALID_INPUT
 */
export function openServerKey(dataDir: string, fromSettings: string | undefined, hasData: boolean): Buffer {
  if (fromSettings !== undefined) return Buffer.from(fromSettings, 'utf8');
  const file = join(dataDir, FILE);
  const existing = read(file);
  if (existing !== undefined) return existing;
  if (hasData) {
    throw new ReachError(
      'INVALID_INPUT',
      `The server key ${file} is missing, but the database holds data that was written with it. Put the file back, or set REACH_SECRET_KEY to the key.`,
      { fields: [{ path: 'REACH_SECRET_KEY', got: 'nothing', allowed: 'the key that the data was written with' }] },
    );
  }
  const key = randomBytes(BYTES);
  // `wx`: of two that start at once, only one makes the key.
  writeFileSync(file, `${key.toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
  return key;
}

function read(file: string): Buffer | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  const key = Buffer.from(text, 'base64url');
  if (key.length === BYTES) return key;
  throw new ReachError('INVALID_INPUT', `The server key ${file} is damaged: it must hold ${BYTES} bytes as base64url.`);
}

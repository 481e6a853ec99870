import { mkdirSync, realpathSync } from 'node:fs';
import { ReachError } from '@agent-reach/sdk/protocol';
import { canWrite } from './embedded/account.js';

/**
 * Makes the data directory where it is missing and returns its real path. Others may pass through it (the embedded
 * database runs as another user when started as root) but neither list nor read it.
 * @throws ReachError INVALID_INPUT when it cannot be made or written.
 */
export function openDataDir(path: string): string {
  try {
    mkdirSync(path, { recursive: true, mode: 0o711 });
  } catch (error) {
    throw unusable(path, error instanceof Error ? error.message : String(error));
  }
  if (!canWrite(path)) throw unusable(path, 'not writable');
  return realpathSync(path);
}

function unusable(path: string, reason: string): ReachError {
  return new ReachError('INVALID_INPUT', `The data directory ${path} cannot be used (${reason}).`, {
    fields: [{ path: 'REACH_DATA_DIR', got: `${path}: ${reason}`, allowed: 'a directory that the server can write' }],
  });
}

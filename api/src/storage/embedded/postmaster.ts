import { join } from 'node:path';
import { readIfExists } from '../files.js';
import { commandLine, isAlive } from '../processes.js';

/** What a running server wrote about itself into its cluster. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  readonly ready: boolean;
}

/** What `postmaster.pid` in the cluster says: the server that runs on it, an id left by a dead one, or nothing. */
export type PostmasterState =
  | { readonly kind: 'NONE' }
  | { readonly kind: 'STALE'; readonly pid: number }
  | ({ readonly kind: 'RUNNING' } & Postmaster);

/**
 * Reads the state of a cluster. An id counts as this cluster's server only if that process was started on this very
 * directory: after a crash of the machine the id may belong to anything.
 */
export function postmasterOf(cluster: string): PostmasterState {
  // Lines: pid, directory, start time, port, socket directory, listen address, shared memory, status.
  const lines = readIfExists(join(cluster, 'postmaster.pid'))?.split('\n');
  const pid = Number(lines?.[0]);
  if (lines === undefined || !Number.isInteger(pid) || pid <= 0) return { kind: 'NONE' };
  const isOurs = isAlive(pid) && (commandLine(pid)?.includes(`-D ${cluster} `) ?? false);
  if (!isOurs) return { kind: 'STALE', pid };
  return { kind: 'RUNNING', pid, port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' };
}

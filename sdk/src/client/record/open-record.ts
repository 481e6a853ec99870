import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { InstanceRef } from '../../protocol/index.js';
import type { Clock } from '../clock.js';
import type { LogLevel } from '../options.js';
import { FileRecord } from './file-record.js';
import { MemoryRecord } from './memory-record.js';
import { RECORD_KEPT_MS, type RequestRecord } from './request-record.js';

/** Where an agent keeps its record: in a directory of your choice, in a place of your own, or (false) in memory only. */
export type RecordOption = RequestRecord | { readonly directory: string } | false;

/** Relative to the working directory of the process. */
const DEFAULT_DIRECTORY = '.agent-reach';
/** Names that this file gives, those of unfinished rewrites included. No id holds a `~`. */
const OWN_NAME = /^[a-z0-9._-]+~[a-z0-9._-]+~[a-z0-9._-]+\.jsonl(?:\.\d+\.new)?$/;

export interface RecordHost {
  readonly clock: Pick<Clock, 'wall'>;
  log(level: LogLevel, message: string): void;
}

/** Opens the record of one instance, whose name is known once it is registered. Never throws. */
export function openRecord(option: RecordOption | undefined, instance: InstanceRef, host: RecordHost): RequestRecord {
  const { clock } = host;
  if (option === false) return new MemoryRecord(() => clock.wall());
  if (option !== undefined && !('directory' in option)) return option;
  const directory = option?.directory ?? DEFAULT_DIRECTORY;
  removeStale(directory, clock.wall());
  const path = join(directory, `${instance.replaceAll('/', '~')}.jsonl`);
  return new FileRecord(path, clock, (level, message) => host.log(level, message));
}

/**
 * Removes the files that nobody wrote to for as long as requests are kept: all that is in them is over. Instances whose
 * names hold a process id leave such files behind.
 */
function removeStale(directory: string, now: number): void {
  try {
    for (const name of readdirSync(directory)) {
      if (!OWN_NAME.test(name)) continue;
      const path = join(directory, name);
      if (now - statSync(path).mtimeMs > RECORD_KEPT_MS) rmSync(path, { force: true });
    }
  } catch {
    // There is no directory yet, or another process removed the file first: nothing is lost by leaving it.
  }
}

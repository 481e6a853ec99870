import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** A disk for a server's journal that becomes full, and then has room again. */
export interface SmallDisk {
  /** Before the server starts. */
  prepare(dataDir: string): void;
  /** Makes it small, once the server runs. */
  limit(pid: number): void;
  /** Makes it large. */
  grow(pid: number): void;
  /** When the server has ended. */
  remove(): void;
  /** What the system says when it is full. */
  readonly reason: RegExp;
}

const BYTES = 262_144;

/** A real file system in memory; for root, where mounting is allowed. */
export function mountedDisk(): SmallDisk {
  let directory = '';
  return {
    prepare: (dataDir) => {
      directory = join(dataDir, 'journal');
      mkdirSync(directory, { mode: 0o700 });
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${BYTES},mode=0700`, 'tmpfs', directory]);
    },
    limit: () => {},
    grow: () => void execFileSync('mount', ['-o', `remount,size=${BYTES * 100}`, directory]),
    remove: () => void execFileSync('umount', [directory]),
    reason: /ENOSPC/,
  };
}

/** The system's limit for the size of a file, which anybody may set for what is theirs. */
export function limitedFiles(): SmallDisk {
  const set = (pid: number, limit: string): void =>
    void execFileSync('prlimit', ['--pid', String(pid), `--fsize=${limit}:unlimited`]);
  return {
    prepare: () => {},
    limit: (pid) => set(pid, String(BYTES)),
    grow: (pid) => set(pid, 'unlimited'),
    remove: () => {},
    reason: /EFBIG/,
  };
}

/** Whether a disk can be made here. */
export function works(disk: 'mounted' | 'limited', directory: string): boolean {
  try {
    if (disk === 'limited') return execFileSync('prlimit', ['--fsize']).length > 0;
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4096', 'tmpfs', directory], { stdio: 'ignore' });
    execFileSync('umount', [directory]);
    return true;
  } catch {
    return false;
  }
}

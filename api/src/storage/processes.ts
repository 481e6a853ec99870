import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';

/**
 * Whether a process runs under this id. A zombie does not count: it holds nothing any more, and in a container without
 * a reaping init it would stay for ever.
 */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it runs, but belongs to somebody else.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  return statFields(pid)?.[0] !== 'Z';
}

/**
 * When the process began, in a form to compare with itself only; tells a process from a later one under the same id.
 * Undefined when it does not run or the platform does not tell.
 */
export function startMark(pid: number): string | undefined {
  // Field 22 of proc(5) stat: start time in clock ticks after boot. The fields here begin with the third.
  const ticks = statFields(pid)?.[19];
  return ticks ?? ps(pid, 'lstart=');
}

/** The command line of a process; undefined when it does not run or cannot be read. */
export function commandLine(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return ps(pid, 'command=');
  }
}

/** Names the space in which a process id means something: this boot of this machine, this container. */
export function processSpace(hostname: string): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname;
  }
}

/** The fields of /proc/<pid>/stat after the command's name, which may itself contain spaces and brackets. */
function statFields(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

function ps(pid: number, column: string): string | undefined {
  try {
    const output = execFileSync('ps', ['-p', String(pid), '-o', column], { stdio: ['ignore', 'pipe', 'ignore'] });
    return output.toString().trim() || undefined;
  } catch {
    return undefined;
  }
}

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** What a process has used. */
export interface Usage {
  /** User and system time of all its threads since its start, in ms. */
  readonly cpuMs: number;
  /** Memory that it holds now, in bytes. */
  readonly residentBytes: number;
}

/** A tick of /proc is 1/100 s on every Linux that Node runs on. */
const TICK_MS = 10;
const PAGE_BYTES = 4096;

/** Reads what a process has used so far: from /proc where there is one, else from `ps`. Throws when it has ended. */
export function usageOf(pid: number): Usage {
  return process.platform === 'linux' ? fromProc(pid) : fromPs(pid);
}

function fromProc(pid: number): Usage {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field, the name, may hold blanks and brackets; what follows its last bracket begins with field 3.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const field = (number: number): number => Number(fields[number - 3]);
  return { cpuMs: (field(14) + field(15)) * TICK_MS, residentBytes: field(24) * PAGE_BYTES };
}

function fromPs(pid: number): Usage {
  const [time = '0', kibibytes = '0'] = execFileSync('ps', ['-o', 'time=,rss=', '-p', String(pid)], {
    encoding: 'utf8',
  })
    .trim()
    .split(/\s+/);
  const seconds = time.split(/[:-]/).reduce((sum, part) => sum * 60 + Number(part), 0);
  return { cpuMs: seconds * 1000, residentBytes: Number(kibibytes) * 1024 };
}

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * The process id of the embedded Postgres of a data directory, or undefined when none runs. It reads the files that
 * the server keeps, so that it also finds a database whose server was killed.
 */
export function databasePid(dataDir: string): number | undefined {
  const cluster = clusterOf(dataDir);
  const pid = Number(read(join(cluster, 'postmaster.pid'))?.split('\n')[0]);
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  // After a crash the id may belong to anything by now.
  const commandLine = read(`/proc/${pid}/cmdline`);
  if (process.platform === 'linux' && !commandLine?.includes(cluster)) return undefined;
  return isAlive(pid) ? pid : undefined;
}

/** The process ids of the embedded Postgres of a data directory: its main process and all that it started. */
export function databaseProcesses(dataDir: string): number[] {
  const main = databasePid(dataDir);
  if (main === undefined) throw new Error('no database runs');
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === main);
  return [main, ...children.map(Number)];
}

function parentOf(pid: string): number | undefined {
  return Number(read(`/proc/${pid}/stat`)?.split(') ')[1]?.split(' ')[1]);
}

/** How the server reaches its embedded Postgres, by the file that it keeps. */
export function embeddedDatabase(dataDir: string): { readonly url: string; readonly port: number } {
  const { password, port } = JSON.parse(readFileSync(join(dataDir, 'postgres.json'), 'utf8')) as {
    readonly password: string;
    readonly port: number;
  };
  return { url: `postgresql://reach:${password}@127.0.0.1:${port}/reach`, port };
}

/** Stops the embedded Postgres of a data directory when its server has left it running. */
export async function stopDatabase(dataDir: string): Promise<void> {
  const pid = databasePid(dataDir);
  if (pid === undefined) return;
  // Fast shutdown; the immediate one, when that takes too long.
  process.kill(pid, 'SIGINT');
  for (let waited = 0; isAlive(pid); waited += 50) {
    if (waited === 10_000) process.kill(pid, 'SIGQUIT');
    await sleep(50);
  }
}

/** The cluster may lie outside the data directory, when the account that runs Postgres cannot enter that. */
export function clusterOf(dataDir: string): string {
  const record = read(join(dataDir, 'postgres.json'));
  const home = record === undefined ? dataDir : (JSON.parse(record) as { home?: string }).home;
  return join(home ?? dataDir, 'postgres');
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

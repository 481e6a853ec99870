import type { ChildProcess } from 'node:child_process';

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Resolves when the process has ended, at once if it already has. */
export function exited(child: ChildProcess): Promise<Exit> {
  if (child.exitCode !== null || child.signalCode !== null)
    return Promise.resolve({ code: child.exitCode, signal: child.signalCode });
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
    // A process that could not be started does not exit.
    child.once('error', () => resolve({ code: null, signal: null }));
  });
}

/** Ends a process: SIGTERM, and SIGKILL when it has not ended after `patienceMs`. */
export async function terminate(child: ChildProcess, patienceMs: number): Promise<Exit> {
  const end = exited(child);
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs);
  try {
    return await end;
  } finally {
    clearTimeout(timer);
  }
}

/** The last output of a process, for the message of a failure. */
export class OutputTail {
  private text = '';

  constructor(
    child: ChildProcess,
    private readonly maxLength = 8000,
  ) {
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (chunk: string) => {
        this.text = (this.text + chunk).slice(-this.maxLength);
      });
  }

  toString(): string {
    return this.text.trim() === '' ? '(no output)' : this.text.trimEnd();
  }
}

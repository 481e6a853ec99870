import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { exited } from './child.js';
import { CHECKOUT } from './server.js';

/** Runs `reach audit verify` on a data directory and answers with its exit code and what it printed. */
export async function verifyAudit(
  dataDir: string,
  ...args: readonly string[]
): Promise<{ readonly code: number | null; readonly lines: readonly string[] }> {
  const child = spawn(process.execPath, [join(CHECKOUT, 'sdk/bin/reach.js'), 'audit', 'verify', ...args], {
    env: { ...process.env, REACH_DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err, { code }] = await Promise.all([text(child.stdout), text(child.stderr), exited(child)]);
  return { code, lines: `${out}${err}`.trimEnd().split('\n') };
}

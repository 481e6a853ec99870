import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { EXIT, ExitWith } from './failure.js';
import type { Io } from './io.js';

/** Adds `reach audit verify`. */
export function addAuditCommand(program: Command, io: Io): void {
  const audit = program.command('audit').description('look after the record of calls and changes');
  audit
    .command('verify')
    .description('compare the audit with its chain; runs beside the server, with its data directory and settings')
    .option(
      '--heads <file>',
      'a copy of audit-heads.jsonl that was kept elsewhere, instead of the one in the data directory',
    )
    .addHelpText(
      'after',
      '\nExit codes: 0 the audit is as it was stored, 1 faults were found, 2 it could not be looked at.',
    )
    .action(({ heads }: { readonly heads?: string }) => verify(heads, io));
}

/** The key and the database are the server's, so that the server's own program does it. */
async function verify(heads: string | undefined, io: Io): Promise<void> {
  const program = serverProgram('audit-verify.js');
  if (program === undefined) {
    io.err(
      'The audit is verified beside the server: run this in the checkout of Agent-Reach that the server runs from.',
    );
    throw new ExitWith(EXIT.USAGE);
  }
  const code = await io.run(program, heads === undefined ? [] : ['--heads', heads]);
  if (code !== EXIT.OK) throw new ExitWith(code);
}

function serverProgram(name: string): string | undefined {
  try {
    return join(dirname(createRequire(import.meta.url).resolve('@agent-reach/api/package.json')), 'dist', name);
  } catch {
    return undefined;
  }
}
